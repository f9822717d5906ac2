package io.wings.common.time;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;

enum SystemTime implements Time {
  INSTANCE;

  @Override
  public long nanos() {
    return System.nanoTime();
  }

  @Override
  public Instant now() {
    return Instant.now();
  }

  @Override
  public void sleep(Duration duration) throws InterruptedException {
    Thread.sleep(duration);
  }

  @Override
  // Callers loop, as the interface says.
  @SuppressWarnings("WaitNotInLoop")
  public boolean await(Lock lock, Condition condition, Duration timeout)
      throws InterruptedException {
    return condition.awaitNanos(timeout.toNanos()) > 0;
  }
}
