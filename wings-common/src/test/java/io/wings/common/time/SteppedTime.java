package io.wings.common.time;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;

/** Time that passes only when someone sleeps, and then at once. For tests of one thread. */
public final class SteppedTime implements Time {
  private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

  private final AtomicLong nanos = new AtomicLong();

  @Override
  public long nanos() {
    return nanos.get();
  }

  @Override
  public Instant now() {
    return START.plusNanos(nanos.get());
  }

  @Override
  public void sleep(Duration duration) throws InterruptedException {
    if (Thread.interrupted()) {
      throw new InterruptedException();
    }
    nanos.addAndGet(duration.toNanos());
  }

  @Override
  public boolean await(Lock lock, Condition condition, Duration timeout)
      throws InterruptedException {
    sleep(timeout);
    return false;
  }
}
