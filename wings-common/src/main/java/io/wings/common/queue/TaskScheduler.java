package io.wings.common.queue;

import java.util.List;

/** Where work is announced. */
public interface TaskScheduler {
  /**
   * Makes sure that each task runs after now. For a key that exists: one that waits runs at the
   * earlier of both times; one that is leased runs again afterwards; one that is parked stays
   * parked and is only marked.
   *
   * <p>Blocks until the queue holds it durably. All or nothing.
   *
   * @throws io.wings.common.error.WingsException {@code queue-full} (retry later; the sweep finds
   *     the work anyway), {@code broker-unavailable}: it may or may not be scheduled
   */
  void schedule(List<TaskSpec> tasks);

  default void schedule(TaskSpec task) {
    schedule(List.of(task));
  }
}
