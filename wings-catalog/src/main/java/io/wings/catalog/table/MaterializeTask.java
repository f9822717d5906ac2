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
 * The task of bringing a table's WAL into the table, as ingestors and the sweep schedule it and
 * workers read it. One per table, and a group of its own: at most one worker has it. The table's
 * name is not in it; {@code table.json} has the current one.
 */
public record MaterializeTask(TableId table) {
  public static final String KIND = "materialize";

  private static final String CATALOG = "catalog";
  private static final String UUID_KEY = "uuid";

  /**
   * Reads a leased task.
   *
   * @throws WingsException {@code task-invalid}
   */
  public static MaterializeTask of(Task task) {
    String catalog = task.payload().get(CATALOG);
    String uuid = task.payload().get(UUID_KEY);
    if (!task.kind().equals(KIND) || catalog == null || uuid == null) {
      throw invalid(task);
    }
    try {
      return new MaterializeTask(new TableId(new CatalogName(catalog), UUID.fromString(uuid)));
    } catch (IllegalArgumentException e) {
      throw invalid(task);
    }
  }

  /** {@code materialize/{catalog}/{uuid}}. */
  public String key() {
    return "%s/%s/%s".formatted(KIND, table.catalog(), table.uuid());
  }

  /**
   * What to schedule.
   *
   * @param delay the table's commit interval ({@link TableSettings#commitInterval}); zero where
   *     work has waited already
   */
  public TaskSpec spec(Duration delay) {
    return new TaskSpec(
        KIND,
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
