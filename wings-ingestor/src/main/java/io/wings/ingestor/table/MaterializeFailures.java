package io.wings.ingestor.table;

import io.wings.catalog.table.MaterializeTask;
import io.wings.common.cluster.TableId;
import io.wings.common.error.WingsException;
import io.wings.common.queue.Task;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Which tables can't go on, as the queue knows it. */
@FunctionalInterface
public interface MaterializeFailures {
  /** Failures in a row before a table counts as stopped: some 30 s of back-off. */
  int FAILURES = 5;

  /**
   * The stable code that a table's materialise task fails with; empty while it doesn't, or while
   * that isn't known. Blocks.
   */
  Optional<String> failing(TableId table);

  /** Of the tasks in a queue. */
  static MaterializeFailures of(Supplier<List<Task>> tasks) {
    return table -> {
      String key = new MaterializeTask(table).key();
      try {
        return tasks.get().stream()
            .filter(task -> task.key().equals(key) && task.failures() >= FAILURES)
            .map(task -> code(task.lastError()))
            .findFirst();
      } catch (WingsException e) {
        return Optional.empty();
      }
    };
  }

  private static String code(@Nullable String error) {
    if (error == null) {
      return "unknown";
    }
    int end = error.indexOf(':');
    return end < 0 ? "internal" : error.substring(0, end);
  }
}
