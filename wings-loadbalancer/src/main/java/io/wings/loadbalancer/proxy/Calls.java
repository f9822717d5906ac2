package io.wings.loadbalancer.proxy;

import io.wings.common.error.WingsException;
import io.wings.common.time.Time;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** Counts open calls, so that a flood of them costs its sender alone. Safe for several threads. */
final class Calls {
  private final int perPrincipal;
  private final int all;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition fewer = lock.newCondition();
  private final Map<String, Integer> open = new HashMap<>();
  private int total;

  Calls(int perPrincipal, int all) {
    this.perPrincipal = perPrincipal;
    this.all = all;
  }

  /**
   * Counts one more; every success needs a {@link #end}.
   *
   * @throws WingsException {@code too-many-calls} of kind UNAVAILABLE
   */
  void begin(String principal) {
    lock.lock();
    try {
      int own = open.getOrDefault(principal, 0);
      if (own >= perPrincipal) {
        throw WingsException.unavailable(
            "too-many-calls",
            "principal '" + principal + "' has " + own + " calls open, at most " + perPrincipal,
            null);
      }
      if (total >= all) {
        throw WingsException.unavailable(
            "too-many-calls", "this load balancer has " + total + " calls open, its most", null);
      }
      open.put(principal, own + 1);
      total++;
    } finally {
      lock.unlock();
    }
  }

  void end(String principal) {
    lock.lock();
    try {
      Integer _ = open.computeIfPresent(principal, (_, count) -> count == 1 ? null : count - 1);
      total--;
      fewer.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Waits until none is open, for at most {@code patience}; false when some are. */
  boolean awaitNone(Time time, Duration patience) throws InterruptedException {
    long began = time.nanos();
    lock.lockInterruptibly();
    try {
      while (total > 0) {
        Duration left = patience.minus(time.since(began));
        if (!left.isPositive()) {
          return false;
        }
        boolean _ = time.await(lock, fewer, left);
      }
      return true;
    } finally {
      lock.unlock();
    }
  }

  /** Open calls of all principals. */
  int total() {
    lock.lock();
    try {
      return total;
    } finally {
      lock.unlock();
    }
  }
}
