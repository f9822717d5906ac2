package io.wings.catalog.table;

import io.wings.common.cluster.CatalogName;
import io.wings.common.cluster.TableId;
import io.wings.common.error.WingsException;
import io.wings.common.queue.Task;
import io.wings.common.queue.TaskSpec;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;

/**
 * A task on one table, as ingestors and the sweep schedule it and workers read it. One per table
 * and kind, and a group of its own: at most one worker has it. The table's name is not in it;
 * {@code table.json} has the current one.
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

  static WingsException invalid(Task task) {
    return WingsException.corrupt(
        "task-invalid", "task %s doesn't name a catalog and a table's uuid".formatted(task.key()));
  }
}
