package io.wings.worker.prune;

import io.wings.catalog.Catalogs;
import io.wings.catalog.TenantCatalog;
import io.wings.catalog.table.TableTask;
import io.wings.common.queue.Task;
import io.wings.common.queue.TaskScheduler;
import io.wings.worker.lease.TaskHandler;
import java.time.Duration;

/** Prunes a table. */
public final class PruneHandler implements TaskHandler {
  public static final String KIND = "prune";

  private final Catalogs catalogs;
  private final Prune prune;
  private final TaskScheduler scheduler;

  public PruneHandler(Catalogs catalogs, Prune prune, TaskScheduler scheduler) {
    this.catalogs = catalogs;
    this.prune = prune;
    this.scheduler = scheduler;
  }

  @Override
  public void run(Task task) throws InterruptedException {
    TableTask named = TableTask.of(task);
    try (TenantCatalog catalog = catalogs.open(named.table().catalog())) {
      if (prune.run(named.table(), catalog) == Prune.Result.MORE) {
        // The task is leased, so this marks it to run again after those that wait.
        scheduler.schedule(named.spec(Duration.ZERO));
      }
    }
  }
}
