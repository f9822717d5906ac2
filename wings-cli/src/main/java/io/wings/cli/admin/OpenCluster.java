package io.wings.cli.admin;

import io.wings.catalog.CatalogSettings;
import io.wings.catalog.Secrets;
import io.wings.catalog.TenantCatalog;
import io.wings.catalog.TenantCatalogs;
import io.wings.catalog.Tenants;
import io.wings.cli.StoreArguments;
import io.wings.common.cluster.CatalogName;
import io.wings.common.cluster.ClusterFile;
import io.wings.common.concurrent.Threads;
import io.wings.common.id.Ids;
import io.wings.common.lifecycle.Lifecycle;
import io.wings.common.objectstore.ObjectStore;
import io.wings.common.time.Time;

/**
 * A cluster's store and catalogs, opened by an operator's command, which reads the secrets itself.
 */
record OpenCluster(
    Lifecycle lifecycle,
    ObjectStore store,
    ClusterFile file,
    TenantCatalogs catalogs,
    Time time,
    Ids ids,
    Threads threads)
    implements AutoCloseable {

  static OpenCluster open(StoreArguments arguments) {
    Time time = Time.system();
    Ids ids = Ids.secure();
    Threads threads = Threads.virtual();
    Lifecycle lifecycle = new Lifecycle("command");
    try {
      ObjectStore store = lifecycle.add("store", arguments.open());
      ClusterFile file = ClusterFile.open(store, time, ids);
      TenantCatalogs catalogs =
          lifecycle.add(
              "catalogs",
              new TenantCatalogs(
                  new Tenants(store, time, ids),
                  new Secrets(System::getenv),
                  CatalogSettings.of(store.address()),
                  time,
                  ids,
                  threads));
      return new OpenCluster(lifecycle, store, file, catalogs, time, ids, threads);
    } catch (RuntimeException e) {
      throw lifecycle.abandon(e);
    }
  }

  TenantCatalog catalog(CatalogName name) {
    return catalogs.open(name);
  }

  @Override
  public void close() {
    lifecycle.close();
  }
}
