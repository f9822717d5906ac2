package io.wings.worker.materialize;

import io.wings.catalog.Catalogs;
import io.wings.catalog.TenantCatalog;
import io.wings.catalog.table.MaterializeTask;
import io.wings.common.cluster.TableId;
import io.wings.common.queue.Task;
import io.wings.common.queue.TaskScheduler;
import io.wings.worker.lease.TaskHandler;
import java.time.Duration;

/** Runs passes over a table until its WAL is in the table. */
public final class MaterializeHandler implements TaskHandler {
  private final Catalogs catalogs;
  private final WriterPool engines;
  private final MaterializePass pass;
  private final MaterializeSettings settings;
  private final TaskScheduler scheduler;

  public MaterializeHandler(
      Catalogs catalogs,
      WriterPool engines,
      MaterializePass pass,
      MaterializeSettings settings,
      TaskScheduler scheduler) {
    this.catalogs = catalogs;
    this.engines = engines;
    this.pass = pass;
    this.settings = settings;
    this.scheduler = scheduler;
  }

  @Override
  public void run(Task task) throws InterruptedException {
    MaterializeTask materialize = MaterializeTask.of(task);
    TableId table = materialize.table();
    boolean[] more = {true};
    engines.lend(
        writer -> {
          for (int i = 0; more[0] && i < settings.passes(); i++) {
            try (TenantCatalog catalog = catalogs.open(table.catalog())) {
              more[0] = pass.run(table, catalog, writer) == MaterializePass.Result.MORE;
            }
          }
        });
    if (more[0]) {
      // The task is leased, so this marks it to run again after the tables that wait.
      scheduler.schedule(materialize.spec(Duration.ZERO));
    }
  }
}
