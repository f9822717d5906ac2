package io.wings.worker.lease;

import io.wings.common.concurrent.Threads;
import io.wings.common.error.ErrorKind;
import io.wings.common.error.WingsException;
import io.wings.common.queue.Lease;
import io.wings.common.queue.Task;
import io.wings.common.queue.TaskQueue;
import io.wings.common.time.Time;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Requests leases for free slots, runs each on a thread of its own, and heartbeats for them. Two
 * threads of its own: one asks, one heartbeats.
 */
public final class LeaseLoop {
  private static final Logger LOG = LoggerFactory.getLogger(LeaseLoop.class);

  /** For interrupted tasks to end, and to say so. */
  private static final Duration HAND_BACK = Duration.ofSeconds(5);

  private final TaskQueue queue;
  private final Map<String, TaskHandler> handlers;
  private final LeaseSettings settings;
  private final LeaseObserver observer;
  private final Time time;
  private final Threads threads;

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final Map<String, Running> running = new HashMap<>();
  private boolean stopping;

  /** Tasks that have ended, and whose end is being reported. */
  private int reporting;

  private @Nullable Thread requests;
  private @Nullable Thread heartbeats;

  /** A task under way. Guarded by {@link #lock}. */
  private static final class Running {
    private final Lease lease;
    private @Nullable Thread thread;
    private boolean lost;
    private boolean handedBack;

    private Running(Lease lease) {
      this.lease = lease;
    }

    private void stop() {
      lost = true;
      if (thread != null) {
        thread.interrupt();
      }
    }
  }

  /**
   * @param handlers by task kind; tasks of other kinds are left to others
   */
  public LeaseLoop(
      TaskQueue queue,
      Map<String, TaskHandler> handlers,
      LeaseSettings settings,
      LeaseObserver observer,
      Time time,
      Threads threads) {
    this.queue = queue;
    this.handlers = Map.copyOf(handlers);
    this.settings = settings;
    this.observer = observer;
    this.time = time;
    this.threads = threads;
  }

  public void start() {
    requests = threads.start("lease-requests", () -> untilInterrupted(this::request));
    heartbeats = threads.start("lease-heartbeats", () -> untilInterrupted(this::heartbeat));
  }

  /** A round of one of the loops. */
  private interface Round {
    /** False ends the loop. */
    boolean go() throws InterruptedException;
  }

  private static void untilInterrupted(Round round) {
    try {
      boolean more = true;
      while (more) {
        more = round.go();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private boolean request() throws InterruptedException {
    int free = awaitFree();
    if (free == 0) {
      return false;
    }
    List<Lease> leases;
    try {
      leases = queue.request(settings.worker(), handlers.keySet(), free, settings.poll());
    } catch (RuntimeException e) {
      // Whatever it is: a worker whose loop ends would do nothing and look alive.
      if (Thread.interrupted()) {
        throw new InterruptedException("stopped");
      }
      observer.unreachable(String.valueOf(e.getMessage()));
      LOG.warn("no leases: {}", e.getMessage());
      time.sleep(settings.retry());
      return true;
    }
    observer.reached();
    List<String> unwanted = leases.stream().filter(lease -> !begin(lease)).map(Lease::id).toList();
    if (!unwanted.isEmpty()) {
      // Told to stop already, and this call is still to be made.
      boolean interrupted = Thread.interrupted();
      handBack(unwanted);
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
    return true;
  }

  /** Slots that are free, at least one; 0 when the loop stops. */
  private int awaitFree() throws InterruptedException {
    lock.lock();
    try {
      while (!stopping && running.size() >= settings.slots()) {
        changed.await();
      }
      return stopping ? 0 : settings.slots() - running.size();
    } finally {
      lock.unlock();
    }
  }

  /** False where the loop stops: the lease is not wanted any more. */
  private boolean begin(Lease lease) {
    lock.lock();
    try {
      if (stopping) {
        return false;
      }
      if (running.containsKey(lease.id())) {
        return true;
      }
      Running task = new Running(lease);
      running.put(lease.id(), task);
      changed.signalAll();
      task.thread = threads.start("task-" + lease.task().key(), () -> run(task));
      return true;
    } finally {
      lock.unlock();
    }
  }

  private void run(Running running) {
    Task task = running.lease.task();
    long start = time.nanos();
    observer.began(task);
    @Nullable Throwable failure = null;
    try {
      handler(task).run(task);
    } catch (Throwable e) {
      failure = e;
    }
    boolean lost = end(running);
    try {
      settle(running, failure, lost, time.since(start));
    } finally {
      reported();
    }
    if (failure instanceof VirtualMachineError fatal) {
      throw fatal;
    }
  }

  private void settle(Running running, @Nullable Throwable failure, boolean lost, Duration took) {
    Task task = running.lease.task();
    if (lost || failure instanceof InterruptedException) {
      observer.abandoned(task, took);
      LOG.info("task {} was abandoned after {}", task.key(), took);
      if (running.handedBack) {
        handBack(List.of(running.lease.id()));
      }
    } else if (failure == null) {
      observer.succeeded(task, took);
      report(task, () -> queue.acknowledge(running.lease.id()));
    } else {
      if (failure instanceof WingsException known && known.kind() != ErrorKind.INTERNAL) {
        LOG.error("task {} failed: {}", task.key(), known.getMessage());
      } else {
        LOG.error("task {} failed", task.key(), failure);
      }
      observer.failed(task, code(failure), took);
      String error = describe(failure);
      report(task, () -> queue.fail(running.lease.id(), error, null));
    }
  }

  /** Whoever takes it up begins now, instead of when the lease runs out. */
  private void handBack(List<String> leases) {
    try {
      queue.release(leases);
    } catch (RuntimeException e) {
      LOG.warn("{} leases were not handed back: {}", leases.size(), e.getMessage());
    }
  }

  private void reported() {
    lock.lock();
    try {
      reporting--;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private TaskHandler handler(Task task) {
    TaskHandler handler = handlers.get(task.kind());
    if (handler == null) {
      throw WingsException.corrupt("task-unknown", "task " + task.key() + " was not asked for");
    }
    return handler;
  }

  /** Gives the slot back. From here on nobody interrupts the thread. */
  private boolean end(Running task) {
    lock.lock();
    try {
      running.remove(task.lease.id());
      reporting++;
      changed.signalAll();
      // An interrupt that came too late for the task must not hit its report.
      boolean _ = Thread.interrupted();
      return task.lost;
    } finally {
      lock.unlock();
    }
  }

  private static void report(Task task, Runnable call) {
    try {
      call.run();
    } catch (WingsException e) {
      LOG.warn("the end of task {} was not reported: {}", task.key(), e.getMessage());
    }
  }

  private static String code(Throwable failure) {
    return failure instanceof WingsException wings ? wings.code() : "internal";
  }

  /** Of foreign exceptions only the kind: their messages may hold data. */
  private static String describe(Throwable failure) {
    return failure instanceof WingsException wings
        ? String.valueOf(wings.getMessage())
        : "internal: " + failure.getClass().getSimpleName();
  }

  private boolean heartbeat() throws InterruptedException {
    List<String> leases = awaitLeases();
    if (leases.isEmpty()) {
      return false;
    }
    try {
      Set<String> held = queue.heartbeat(leases);
      drop(leases.stream().filter(id -> !held.contains(id)).toList());
    } catch (RuntimeException e) {
      if (Thread.interrupted()) {
        throw new InterruptedException("stopped");
      }
      // The broker counts no time in which it couldn't serve: the work goes on.
      LOG.warn("no heartbeat: {}", e.getMessage());
    }
    return true;
  }

  /** Leases that have run for a heartbeat's time; empty when the loop stops. */
  private List<String> awaitLeases() throws InterruptedException {
    lock.lock();
    try {
      while (true) {
        while (!stopping && running.isEmpty()) {
          changed.await();
        }
        if (stopping && running.isEmpty()) {
          return List.of();
        }
        long start = time.nanos();
        Duration left = settings.heartbeat();
        while (left.isPositive() && !(stopping && running.isEmpty())) {
          boolean _ = time.await(lock, changed, left);
          left = settings.heartbeat().minus(time.since(start));
        }
        if (!running.isEmpty()) {
          return new ArrayList<>(running.keySet());
        }
      }
    } finally {
      lock.unlock();
    }
  }

  private void drop(List<String> leases) {
    lock.lock();
    try {
      for (String id : leases) {
        Running task = running.get(id);
        if (task != null) {
          LOG.warn("the lease of task {} is gone", task.lease.task().key());
          task.stop();
        }
      }
    } finally {
      lock.unlock();
    }
  }

  /**
   * Asks for nothing more, lets tasks go on for the grace time, then interrupts them and hands
   * their leases back. What doesn't end even then keeps its lease until that runs out.
   */
  public void stop() throws InterruptedException {
    lock.lock();
    try {
      stopping = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    end(requests);
    if (!awaitEnd(settings.grace())) {
      lock.lock();
      try {
        for (Running task : running.values()) {
          task.handedBack = !task.lost;
          task.stop();
        }
      } finally {
        lock.unlock();
      }
      boolean _ = awaitEnd(HAND_BACK);
    }
    end(heartbeats);
  }

  private static void end(@Nullable Thread thread) throws InterruptedException {
    if (thread != null) {
      thread.interrupt();
      thread.join();
    }
  }

  private boolean awaitEnd(Duration patience) throws InterruptedException {
    lock.lock();
    try {
      long start = time.nanos();
      while (!running.isEmpty() || reporting > 0) {
        Duration left = patience.minus(time.since(start));
        if (!left.isPositive()) {
          return false;
        }
        boolean _ = time.await(lock, changed, left);
      }
      return true;
    } finally {
      lock.unlock();
    }
  }
}
