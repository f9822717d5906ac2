package io.wings.catalog.table;

import io.wings.common.cluster.TableId;
import io.wings.common.error.WingsException;
import io.wings.common.queue.Task;
import io.wings.common.queue.TaskSpec;
import java.time.Duration;

/** The {@link TableTask} of bringing a table's WAL into the table. */
public record MaterializeTask(TableId table) {
  public static final String KIND = "materialize";

  /**
   * Reads a leased task.
   *
   * @throws WingsException {@code task-invalid}
   */
  public static MaterializeTask of(Task task) {
    if (!task.kind().equals(KIND)) {
      throw TableTask.invalid(task);
    }
    return new MaterializeTask(TableTask.of(task).table());
  }

  /** {@code materialize/{catalog}/{uuid}}. */
  public String key() {
    return new TableTask(KIND, table).key();
  }

  /**
   * What to schedule.
   *
   * @param delay the table's commit interval ({@link TableSettings#commitInterval}); zero where
   *     work has waited already
   */
  public TaskSpec spec(Duration delay) {
    return new TableTask(KIND, table).spec(delay);
  }
}
