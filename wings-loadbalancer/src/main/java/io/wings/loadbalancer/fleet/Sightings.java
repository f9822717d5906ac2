package io.wings.loadbalancer.fleet;

import io.wings.common.config.HostPort;
import io.wings.common.flight.ServingProcess;
import io.wings.common.time.Time;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** Which process answered a health check last, at each address. Safe for use by several threads. */
final class Sightings {
  /**
   * How long a process goes on answering before it has outlived a call: what had reached it before
   * the call broke off, it may read only when it goes on.
   */
  static final Duration SETTLED = Duration.ofSeconds(2);

  /** How long one wait is; one that took more than twice as long is a pause of this process. */
  private static final Duration LOOK = Duration.ofSeconds(1);

  private record Sight(@Nullable ServingProcess process, long askedNanos, long answeredNanos) {}

  private final Time time;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final Map<HostPort, Sight> latest = new HashMap<>();

  Sightings(Time time) {
    this.time = time;
  }

  /**
   * A health check was answered.
   *
   * @param process null for one that doesn't say
   */
  void seen(HostPort address, @Nullable ServingProcess process, long askedNanos) {
    lock.lock();
    try {
      Sight _ = latest.put(address, new Sight(process, askedNanos, time.nanos()));
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** No longer asked. */
  void forget(HostPort address) {
    lock.lock();
    try {
      Sight _ = latest.remove(address);
    } finally {
      lock.unlock();
    }
  }

  /**
   * What became of a process after {@code sinceNanos}; waits for at most {@code patience} from then
   * on. Time in which this process itself stood still doesn't count: it asked nobody meanwhile.
   */
  Fate await(HostPort address, ServingProcess process, long sinceNanos, Duration patience)
      throws InterruptedException {
    Long firstNanos = null;
    Duration waited = Duration.ZERO;
    long lookedNanos = sinceNanos;
    lock.lockInterruptibly();
    try {
      while (true) {
        Sight sight = latest.get(address);
        if (sight != null && sight.askedNanos - sinceNanos >= 0) {
          if (!process.equals(sight.process)) {
            return Fate.GONE;
          }
          if (firstNanos == null) {
            firstNanos = sight.answeredNanos;
          } else if (sight.askedNanos - firstNanos >= SETTLED.toNanos()) {
            return Fate.ALIVE;
          }
        }
        long nowNanos = time.nanos();
        waited =
            waited.plus(atMost(LOOK.multipliedBy(2), Duration.ofNanos(nowNanos - lookedNanos)));
        lookedNanos = nowNanos;
        Duration left = patience.minus(waited);
        if (!left.isPositive()) {
          return Fate.UNKNOWN;
        }
        boolean _ = time.await(lock, changed, atMost(LOOK, left));
      }
    } finally {
      lock.unlock();
    }
  }

  private static Duration atMost(Duration most, Duration duration) {
    return duration.compareTo(most) < 0 ? duration : most;
  }
}
