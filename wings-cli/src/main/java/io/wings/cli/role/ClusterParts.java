package io.wings.cli.role;

import io.wings.catalog.Secrets;
import io.wings.catalog.TenantCatalogs;
import io.wings.catalog.Tenants;
import io.wings.cli.CatalogAccess;
import io.wings.common.cluster.ClusterToken;
import io.wings.common.lifecycle.Lifecycle;
import io.wings.common.queue.QueueClient;
import io.wings.common.queue.QueueClientSettings;

/** What ingestors, workers and the catalog role share of a cluster: its catalogs and its queue. */
record ClusterParts(Tenants tenants, TenantCatalogs catalogs, QueueClient queue) {

  /** Opens them; {@code lifecycle} closes them. */
  static ClusterParts open(
      Role.Parts parts, String token, CatalogAccess access, Lifecycle lifecycle) {
    var store = parts.cluster().store();
    Tenants tenants = new Tenants(store, parts.time(), parts.ids());
    TenantCatalogs catalogs =
        lifecycle.add(
            "catalogs",
            new TenantCatalogs(
                tenants,
                new Secrets(System::getenv),
                access.settings(store.address(), parts.cluster().endpoint()),
                parts.time(),
                parts.ids(),
                parts.threads()));
    QueueClient queue =
        lifecycle.add(
            "queue client",
            new QueueClient(
                store,
                QueueClientSettings.DEFAULT.with(new ClusterToken(token)).over(parts.transport()),
                parts.time(),
                parts.ids()));
    return new ClusterParts(tenants, catalogs, queue);
  }
}
