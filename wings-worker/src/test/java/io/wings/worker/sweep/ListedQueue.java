package io.wings.worker.sweep;

import io.wings.common.error.WingsException;
import io.wings.common.queue.Lease;
import io.wings.common.queue.Task;
import io.wings.common.queue.TaskQueue;
import io.wings.common.queue.TaskSpec;
import io.wings.common.queue.TaskState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A queue that lists what a test put there and remembers what was scheduled. */
final class ListedQueue implements TaskQueue {
  final List<String> named = new ArrayList<>();
  final List<String> scheduled = new ArrayList<>();

  /** How many tasks of a catalog are still taken; of a catalog that isn't there all. */
  final Map<String, Integer> room = new HashMap<>();

  /** With which every call of schedule is refused. */
  @Nullable String refusal;

  int calls;

  @Override
  public void schedule(List<TaskSpec> tasks) {
    calls++;
    if (refusal != null) {
      throw WingsException.unavailable(refusal, "as the test wants it", null);
    }
    Map<String, Long> wanted =
        tasks.stream()
            .collect(
                Collectors.groupingBy(
                    task -> task.payload().getOrDefault("catalog", ""), Collectors.counting()));
    wanted.forEach(
        (catalog, count) -> {
          if (count > room.getOrDefault(catalog, Integer.MAX_VALUE)) {
            throw WingsException.unavailable("queue-full", "no room for " + catalog, null);
          }
        });
    wanted.forEach(
        (catalog, count) -> room.computeIfPresent(catalog, (_, left) -> left - count.intValue()));
    tasks.forEach(task -> scheduled.add(task.key()));
  }

  @Override
  public List<Task> list() {
    return named.stream().map(this::leased).toList();
  }

  Task leased(String key) {
    return new Task(
        "kind", key, null, Map.of(), TaskState.WAITING, Duration.ZERO, false, 0, 0, null, null, "");
  }

  @Override
  public List<Lease> request(String worker, Set<String> kinds, int max, Duration wait) {
    throw new UnsupportedOperationException("a sweep only lists and schedules");
  }

  @Override
  public boolean acknowledge(String leaseId) {
    throw new UnsupportedOperationException("a sweep only lists and schedules");
  }

  @Override
  public boolean fail(String leaseId, String error, @Nullable Duration retryAfter) {
    throw new UnsupportedOperationException("a sweep only lists and schedules");
  }

  @Override
  public void release(List<String> leaseIds) {
    throw new UnsupportedOperationException("a sweep only lists and schedules");
  }

  @Override
  public Set<String> heartbeat(List<String> leaseIds) {
    throw new UnsupportedOperationException("a sweep only lists and schedules");
  }

  @Override
  public boolean retry(String key) {
    throw new UnsupportedOperationException("a sweep only lists and schedules");
  }
}
