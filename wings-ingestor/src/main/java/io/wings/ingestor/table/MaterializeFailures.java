package io.wings.ingestor.table;

import io.wings.catalog.table.MaterializeTask;
import io.wings.common.cluster.TableId;
import io.wings.common.error.WingsException;
import io.wings.common.queue.Task;
import io.wings.common.time.Time;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Which tables can't go on, as the queue knows it. */
@FunctionalInterface
public interface MaterializeFailures {
  /** Failures in a row before a table counts as stopped: some 30 s of back-off. */
  int FAILURES = 5;

  /** How long one look at the queue counts, for all tables. */
  Duration AGE = Duration.ofSeconds(10);

  /**
   * The stable code that a table's materialise task fails with; empty while it doesn't, or while
   * that isn't known. Blocks.
   */
  Optional<String> failing(TableId table);

  /** Of the tasks in a queue, which is asked once for all tables that stand still. */
  static MaterializeFailures of(Supplier<List<Task>> tasks, Time time) {
    return new Listed(tasks, time);
  }

  /** As of a listing of the queue a while ago. */
  final class Listed implements MaterializeFailures {
    private final Supplier<List<Task>> tasks;
    private final Time time;
    private final ReentrantLock lock = new ReentrantLock();
    private Map<String, String> codes = Map.of();
    private boolean listed;
    private long listedNanos;

    private Listed(Supplier<List<Task>> tasks, Time time) {
      this.tasks = tasks;
      this.time = time;
    }

    @Override
    public Optional<String> failing(TableId table) {
      lock.lock();
      try {
        if (!listed || time.since(listedNanos).compareTo(AGE) >= 0) {
          codes = list();
          listed = true;
          listedNanos = time.nanos();
        }
        return Optional.ofNullable(codes.get(new MaterializeTask(table).key()));
      } finally {
        lock.unlock();
      }
    }

    /** Nothing is known of tables while there is no broker. */
    private Map<String, String> list() {
      Map<String, String> failing = new HashMap<>();
      try {
        for (Task task : tasks.get()) {
          if (task.failures() >= FAILURES) {
            failing.put(task.key(), code(task.lastError()));
          }
        }
      } catch (WingsException e) {
        return Map.of();
      }
      return failing;
    }

    private static String code(@Nullable String error) {
      if (error == null) {
        return "unknown";
      }
      int end = error.indexOf(':');
      return end < 0 ? "internal" : error.substring(0, end);
    }
  }
}
