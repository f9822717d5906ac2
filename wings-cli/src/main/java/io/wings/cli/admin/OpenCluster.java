package io.wings.cli.admin;

import io.wings.catalog.Secrets;
import io.wings.catalog.TenantCatalog;
import io.wings.catalog.TenantCatalogs;
import io.wings.catalog.Tenants;
import io.wings.catalog.table.AdoptedTable;
import io.wings.catalog.table.Adoption;
import io.wings.cli.CatalogAccess;
import io.wings.cli.StoreArguments;
import io.wings.cli.client.TableName;
import io.wings.common.cluster.CatalogName;
import io.wings.common.cluster.ClusterFile;
import io.wings.common.concurrent.Threads;
import io.wings.common.id.Ids;
import io.wings.common.lifecycle.Lifecycle;
import io.wings.common.objectstore.ObjectStore;
import io.wings.common.time.Time;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableIdentifier;

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

  static OpenCluster open(StoreArguments arguments, CatalogAccess access) {
    Time time = Time.system();
    Ids ids = Ids.secure();
    Threads threads = Threads.virtual();
    Lifecycle lifecycle = new Lifecycle("command");
    try {
      ObjectStore store = lifecycle.add("store", arguments.open());
      ClusterFile file = ClusterFile.existing(store, time, ids);
      TenantCatalogs catalogs =
          lifecycle.add(
              "catalogs",
              new TenantCatalogs(
                  new Tenants(store, time, ids),
                  new Secrets(System::getenv),
                  access.settings(store.address(), arguments.options().endpoint()),
                  time,
                  ids,
                  threads));
      return new OpenCluster(lifecycle, store, file, catalogs, time, ids, threads);
    } catch (RuntimeException e) {
      throw lifecycle.abandon(e);
    }
  }

  OperatorActs acts() {
    return new OperatorActs(store, time, ids);
  }

  TenantCatalog catalog(CatalogName name) {
    return catalogs.open(name);
  }

  /** The table, which is adopted: otherwise {@code table-not-adopted}. */
  AdoptedTable load(TableName name, TenantCatalog catalog) {
    return new Adoption(file.clusterId(), store, time, ids, threads)
        .load(catalog.name(), catalog.catalog(), identifier(name));
  }

  static TableIdentifier identifier(TableName name) {
    return TableIdentifier.of(Namespace.of(name.namespace().toArray(String[]::new)), name.table());
  }

  @Override
  public void close() {
    lifecycle.close();
  }
}
