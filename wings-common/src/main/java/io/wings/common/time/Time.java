package io.wings.common.time;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;

/**
 * A process's clocks: a monotonic one for intervals, a wall clock for people, and sleep.
 *
 * <p>Instants of two processes are never compared to decide anything.
 */
public interface Time {
  /** Nanoseconds of a monotonic clock with an arbitrary origin; only differences mean anything. */
  long nanos();

  /** Wall-clock time, for logs, summaries and footers. */
  Instant now();

  /** Blocks for {@code duration}, or throws at once when the thread is interrupted. */
  void sleep(Duration duration) throws InterruptedException;

  /**
   * Waits on {@code condition} for at most {@code timeout}; the caller holds {@code lock}, which
   * made the condition. The only timed wait that Wings' own code uses. May wake spuriously.
   *
   * @return false when the time ran out
   */
  boolean await(Lock lock, Condition condition, Duration timeout) throws InterruptedException;

  /** Elapsed time since {@code startNanos}, an earlier reading of {@link #nanos()}. */
  default Duration since(long startNanos) {
    return Duration.ofNanos(nanos() - startNanos);
  }

  /** The clocks of the machine. */
  static Time system() {
    return SystemTime.INSTANCE;
  }
}
