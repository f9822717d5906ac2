package io.wings.worker.sweep;

import io.wings.common.queue.Lease;
import io.wings.common.queue.Task;
import io.wings.common.queue.TaskQueue;
import io.wings.common.queue.TaskSpec;
import io.wings.common.queue.TaskState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A queue that lists what a test put there and remembers what was scheduled. */
final class ListedQueue implements TaskQueue {
  final List<String> named = new ArrayList<>();
  final List<String> scheduled = new ArrayList<>();
  int calls;

  @Override
  public void schedule(List<TaskSpec> tasks) {
    calls++;
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
