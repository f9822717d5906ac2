package io.wings.simulation.kernel;

import io.wings.common.time.Time;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;

/**
 * The clocks of one process: a monotonic one that drifts, and a wall clock that also is off and
 * jumps. Both go on while the process is paused, as a stopped process's do.
 */
final class ProcessClock implements Time {
  private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

  private final Scheduler scheduler;
  private final SimulatedProcess process;
  private final double rate;
  private final long bornAt;
  private final long origin;
  private Duration wallOffset;

  ProcessClock(Scheduler scheduler, SimulatedProcess process, double drift, Duration wallOffset) {
    this.scheduler = scheduler;
    this.process = process;
    this.rate = 1 + drift;
    this.wallOffset = wallOffset;
    this.bornAt = scheduler.now();
    this.origin = scheduler.names().nextLong(1L << 50);
  }

  @Override
  public long nanos() {
    return origin + (long) ((scheduler.now() - bornAt) * rate);
  }

  @Override
  public Instant now() {
    return START.plusNanos(scheduler.now()).plus(wallOffset);
  }

  void jump(Duration by) {
    wallOffset = wallOffset.plus(by);
  }

  /** When {@code duration} of this clock will have passed. */
  private long deadline(Duration duration) {
    long wait = Math.max(0, duration.toNanos());
    double real = wait / rate;
    return real >= Long.MAX_VALUE / 4d ? Long.MAX_VALUE : scheduler.now() + (long) Math.ceil(real);
  }

  @Override
  public void sleep(Duration duration) throws InterruptedException {
    boolean _ = scheduler.park(() -> false, deadline(duration));
  }

  /**
   * A condition has no wait on another clock than the machine's: when the time is up a thread of
   * the process signals it, which wakes others spuriously, as {@link Time#await} allows.
   */
  @Override
  // Callers loop, as the interface says.
  @SuppressWarnings("WaitNotInLoop")
  public boolean await(Lock lock, Condition condition, Duration timeout)
      throws InterruptedException {
    long deadline = deadline(timeout);
    Waiter waiter = new Waiter();
    if (deadline != Long.MAX_VALUE) {
      scheduler.at(deadline, () -> ring(waiter, lock, condition));
    }
    try {
      condition.await();
    } finally {
      waiter.over = true;
    }
    return scheduler.now() < deadline;
  }

  /** Whether a wait still lasts. */
  private static final class Waiter {
    boolean over;
  }

  private void ring(Waiter waiter, Lock lock, Condition condition) {
    if (waiter.over || process.dead()) {
      return;
    }
    Thread _ =
        process.start(
            "alarm",
            () -> {
              lock.lock();
              try {
                condition.signalAll();
              } finally {
                lock.unlock();
              }
            });
  }
}
