package io.wings.broker.core;

import io.wings.common.queue.TaskState;
import java.time.Duration;
import java.util.Map;

/**
 * The queue in numbers, for metrics.
 *
 * @param tasks by kind and state
 * @param oldestRunnable how long the first in turn has been able to run
 * @param bytes an upper bound of the file's size
 */
public record QueueCounts(
    Map<Key, Integer> tasks, Duration oldestRunnable, int leases, int failing, long bytes) {
  public static final QueueCounts NONE = new QueueCounts(Map.of(), Duration.ZERO, 0, 0, 0);

  /** What is counted apart. */
  public record Key(String kind, TaskState state) {}
}
