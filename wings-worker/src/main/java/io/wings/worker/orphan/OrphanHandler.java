package io.wings.worker.orphan;

import io.wings.catalog.Catalogs;
import io.wings.catalog.TenantCatalog;
import io.wings.catalog.table.TableTask;
import io.wings.common.queue.Task;
import io.wings.worker.lease.TaskHandler;

/** Removes a table's orphans. */
public final class OrphanHandler implements TaskHandler {
  public static final String KIND = "remove-orphans";

  private final Catalogs catalogs;
  private final OrphanRemoval removal;

  public OrphanHandler(Catalogs catalogs, OrphanRemoval removal) {
    this.catalogs = catalogs;
    this.removal = removal;
  }

  @Override
  public void run(Task task) throws InterruptedException {
    TableTask named = TableTask.of(task);
    try (TenantCatalog catalog = catalogs.open(named.table().catalog())) {
      OrphanRemoval.Report _ = removal.run(named.table(), catalog);
    }
  }
}
