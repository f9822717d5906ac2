package io.wings.ingestor.service;

import io.wings.common.error.WingsException;
import io.wings.common.time.Time;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** Calls that are being served, at most so many; once stopped, no more. */
final class LiveCalls {
  private final int limit;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition fewer = lock.newCondition();

  /** In the order in which they began. */
  private final Set<Live> live = new LinkedHashSet<>();

  private boolean stopping;

  /** Something to be stopped. */
  private record Live(Runnable stop, Runnable drain) {}

  LiveCalls(int limit) {
    this.limit = limit;
  }

  /**
   * Counts one more, which ends at once when the process drains.
   *
   * @param stop asks the call to end; doesn't block
   * @return to be run when it has ended
   * @throws WingsException UNAVAILABLE {@code ingestor-stopping}, {@code too-many-calls}
   */
  Runnable begin(Runnable stop) {
    return begin(stop, stop);
  }

  /**
   * The same, for one that goes on for a while when the process drains.
   *
   * @param drain asks the call to come to its end; doesn't block
   */
  Runnable begin(Runnable stop, Runnable drain) {
    lock.lock();
    try {
      if (stopping) {
        throw stopping();
      }
      if (live.size() >= limit) {
        throw WingsException.unavailable(
            "too-many-calls",
            "this ingestor serves %d calls, its most; try again".formatted(limit),
            null);
      }
      Live call = new Live(stop, drain);
      live.add(call);
      return () -> ended(call);
    } finally {
      lock.unlock();
    }
  }

  private void ended(Live call) {
    lock.lock();
    try {
      if (live.remove(call)) {
        fewer.signalAll();
      }
    } finally {
      lock.unlock();
    }
  }

  int count() {
    lock.lock();
    try {
      return live.size();
    } finally {
      lock.unlock();
    }
  }

  /** What a call that meets the end of the process is told. */
  static WingsException stopping() {
    return WingsException.unavailable(
        "ingestor-stopping",
        "the ingestor is stopping; what was acknowledged is safe, send the rest again",
        null);
  }

  /** Asks every call to come to its end, and lets none begin. */
  void drain() {
    close().forEach(call -> call.drain().run());
  }

  /** Asks every call to end, and lets none begin. */
  void stop() {
    close().forEach(call -> call.stop().run());
  }

  private List<Live> close() {
    lock.lock();
    try {
      stopping = true;
      return new ArrayList<>(live);
    } finally {
      lock.unlock();
    }
  }

  /** Waits until no call is left, for at most {@code patience}; false when some are. */
  boolean awaitNone(Time time, Duration patience) throws InterruptedException {
    long began = time.nanos();
    lock.lockInterruptibly();
    try {
      while (!live.isEmpty()) {
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
}
