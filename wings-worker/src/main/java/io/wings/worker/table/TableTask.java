package io.wings.worker.table;

import io.wings.common.cluster.CatalogName;
import io.wings.common.cluster.TableId;
import io.wings.common.error.WingsException;
import io.wings.common.queue.Task;
import io.wings.common.queue.TaskSpec;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;

/**
 * A task of maintenance on one table, as the sweep schedules it and workers read it. One per table
 * and kind, and a group of its own: at most one worker has it.
 */
public record TableTask(String kind, TableId table) {
  private static final String CATALOG = "catalog";
  private static final String UUID_KEY = "uuid";

  /**
   * Reads a leased task.
   *
   * @throws WingsException {@code task-invalid}
   */
  public static TableTask of(Task task) {
    String catalog = task.payload().get(CATALOG);
    String uuid = task.payload().get(UUID_KEY);
    if (catalog == null || uuid == null) {
      throw invalid(task);
    }
    try {
      return new TableTask(
          task.kind(), new TableId(new CatalogName(catalog), UUID.fromString(uuid)));
    } catch (IllegalArgumentException e) {
      throw invalid(task);
    }
  }

  /** {@code {kind}/{catalog}/{uuid}}. */
  public String key() {
    return "%s/%s/%s".formatted(kind, table.catalog(), table.uuid());
  }

  /** What to schedule. */
  public TaskSpec spec(Duration delay) {
    return new TaskSpec(
        kind,
        key(),
        key(),
        Map.of(CATALOG, table.catalog().value(), UUID_KEY, table.uuid().toString()),
        delay);
  }

  private static WingsException invalid(Task task) {
    return WingsException.corrupt(
        "task-invalid", "task %s doesn't name a catalog and a table's uuid".formatted(task.key()));
  }
}
