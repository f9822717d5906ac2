package io.wings.broker.core;

import io.wings.common.queue.TaskSpec;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What a client asks of the queue; see {@link io.wings.common.queue.TaskQueue}. */
public sealed interface Command {
  /** All or none. */
  record Schedule(List<TaskSpec> tasks) implements Command {
    public Schedule {
      tasks = List.copyOf(tasks);
    }
  }

  /** Leases up to {@code max} tasks of {@code kinds}. */
  record Request(String worker, Set<String> kinds, int max) implements Command {
    public Request {
      kinds = Set.copyOf(kinds);
    }
  }

  /** The lease's task succeeded. */
  record Acknowledge(String leaseId) implements Command {}

  /** The lease's task failed. */
  record Fail(String leaseId, String error, @Nullable Duration retryAfter) implements Command {}

  /** The workers of these leases live. */
  record Heartbeat(List<String> leaseIds) implements Command {
    public Heartbeat {
      leaseIds = List.copyOf(leaseIds);
    }
  }

  /** All tasks, by key. */
  record ListTasks() implements Command {}

  /** A person wants the task to run now. */
  record Retry(String key) implements Command {}

  /**
   * Of the broker itself: the one who asked for these leases went away before the answer. Their
   * tasks wait again, as if nobody had asked.
   */
  record Release(List<String> leaseIds) implements Command {
    public Release {
      leaseIds = List.copyOf(leaseIds);
    }
  }
}
