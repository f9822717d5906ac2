package io.wings.worker.lease;

import io.wings.common.error.WingsException;
import io.wings.common.queue.Lease;
import io.wings.common.queue.Task;
import io.wings.common.queue.TaskQueue;
import io.wings.common.queue.TaskSpec;
import io.wings.common.queue.TaskState;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** A broker in memory that does what a test says. */
final class ScriptedQueue implements TaskQueue {
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final Deque<Lease> due = new ArrayDeque<>();
  private final Set<String> lost = new HashSet<>();
  private final List<String> events = new ArrayList<>();
  private int refusals;
  private int largestRequest;

  /** A task that is due. */
  void offer(String kind, String lease) {
    Task task =
        new Task(
            kind,
            kind + "/" + lease,
            null,
            Map.of(),
            TaskState.LEASED,
            Duration.ZERO,
            false,
            0,
            0,
            null,
            "w",
            "");
    locked(
        () -> {
          due.add(new Lease(lease, task, Duration.ofSeconds(30)));
        });
  }

  /** The next calls fail. */
  void refuse(int calls) {
    locked(() -> refusals = calls);
  }

  /** The lease no longer holds. */
  void lose(String lease) {
    locked(() -> lost.add(lease));
  }

  List<String> events() {
    lock.lock();
    try {
      return List.copyOf(events);
    } finally {
      lock.unlock();
    }
  }

  int largestRequest() {
    lock.lock();
    try {
      return largestRequest;
    } finally {
      lock.unlock();
    }
  }

  /** Waits until {@code event} has happened. */
  void await(String event) throws InterruptedException {
    lock.lock();
    try {
      while (!events.contains(event)) {
        changed.await();
      }
    } finally {
      lock.unlock();
    }
  }

  void note(String event) {
    locked(() -> events.add(event));
  }

  private void locked(Runnable action) {
    lock.lock();
    try {
      action.run();
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private void maybeRefuse() {
    if (refusals > 0) {
      refusals--;
      events.add("refused");
      changed.signalAll();
      throw WingsException.unavailable("broker-unavailable", "away", null);
    }
  }

  @Override
  public List<Lease> request(String worker, Set<String> kinds, int max, Duration wait) {
    lock.lock();
    try {
      maybeRefuse();
      largestRequest = Math.max(largestRequest, max);
      while (due.isEmpty()) {
        changed.await();
      }
      List<Lease> leased = new ArrayList<>();
      while (leased.size() < max && !due.isEmpty()) {
        leased.add(due.poll());
      }
      return leased;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw WingsException.unavailable("interrupted", "stopped", e);
    } finally {
      lock.unlock();
    }
  }

  @Override
  public boolean acknowledge(String leaseId) {
    note("acknowledged " + leaseId);
    return true;
  }

  @Override
  public boolean fail(String leaseId, String error, @Nullable Duration retryAfter) {
    note("failed " + leaseId + " " + error);
    return true;
  }

  @Override
  public Set<String> heartbeat(List<String> leaseIds) {
    lock.lock();
    try {
      maybeRefuse();
      leaseIds.forEach(id -> events.add("heartbeat " + id));
      changed.signalAll();
      Set<String> held = new HashSet<>(leaseIds);
      held.removeAll(lost);
      return held;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void release(List<String> leaseIds) {
    leaseIds.forEach(id -> note("released " + id));
  }

  @Override
  public void schedule(List<TaskSpec> tasks) {
    throw new UnsupportedOperationException("a lease loop only asks, answers and keeps alive");
  }

  @Override
  public List<Task> list() {
    throw new UnsupportedOperationException("a lease loop only asks, answers and keeps alive");
  }

  @Override
  public boolean retry(String key) {
    throw new UnsupportedOperationException("a lease loop only asks, answers and keeps alive");
  }
}
