package io.wings.ingestor.table;

import io.wings.catalog.table.MaterializeTask;
import io.wings.common.cluster.LaneId;
import io.wings.common.queue.TaskScheduler;
import io.wings.ingestor.lane.MaterializeScheduler;
import java.time.Duration;

/** Schedules {@code materialize} for tables whose log grew, after the table's commit interval. */
public final class Materializing implements MaterializeScheduler {
  /** For a table that is no longer remembered. */
  private static final Duration DEFAULT_DELAY = Duration.ofSeconds(5);

  private final TaskScheduler queue;
  private final CatalogTables tables;

  public Materializing(TaskScheduler queue, CatalogTables tables) {
    this.queue = queue;
    this.tables = tables;
  }

  @Override
  public void durable(LaneId lane, long head) {
    Duration delay =
        tables.find(lane.table()).map(StreamTable::commitInterval).orElse(DEFAULT_DELAY);
    queue.schedule(new MaterializeTask(lane.table()).spec(delay));
  }
}
