package io.wings.loadbalancer.proxy;

import io.wings.common.time.Time;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** What one stream at a time has, in the order in which they asked. Safe for several threads. */
final class Permit {
  private final Time time;
  private final ReentrantLock lock = new ReentrantLock();

  /** As many as there are streams, at most. */
  private final ArrayDeque<Condition> waiting = new ArrayDeque<>();

  private boolean taken;

  Permit(Time time) {
    this.time = time;
  }

  /** False when the time ran out. */
  boolean acquire(Duration patience) throws InterruptedException {
    long sinceNanos = time.nanos();
    lock.lockInterruptibly();
    try {
      Condition mine = lock.newCondition();
      waiting.addLast(mine);
      try {
        while (taken || !mine.equals(waiting.peekFirst())) {
          Duration left = patience.minus(time.since(sinceNanos));
          if (!left.isPositive()) {
            return false;
          }
          boolean _ = time.await(lock, mine, left);
        }
        taken = true;
        return true;
      } finally {
        boolean _ = waiting.remove(mine);
        wakeNext();
      }
    } finally {
      lock.unlock();
    }
  }

  void release() {
    lock.lock();
    try {
      taken = false;
      wakeNext();
    } finally {
      lock.unlock();
    }
  }

  private void wakeNext() {
    Condition next = waiting.peekFirst();
    if (!taken && next != null) {
      next.signal();
    }
  }
}
