package io.wings.catalog.commit;

import io.wings.common.time.Time;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;

/** Time that passes only by sleeping, at once. */
public final class UnhurriedTime implements Time {
  private final AtomicLong nanos = new AtomicLong();

  @Override
  public long nanos() {
    return nanos.get();
  }

  @Override
  public Instant now() {
    return Instant.EPOCH.plusNanos(nanos.get());
  }

  @Override
  public void sleep(Duration duration) {
    nanos.addAndGet(duration.toNanos());
  }

  @Override
  public boolean await(Lock lock, Condition condition, Duration timeout) {
    nanos.addAndGet(timeout.toNanos());
    return false;
  }
}
