package io.wings.catalog.commit;

import io.wings.common.time.Time;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;

/** Time that passes only by sleeping, at once. */
public final class UnhurriedTime implements Time {
  private long nanos;

  @Override
  public long nanos() {
    return nanos;
  }

  @Override
  public Instant now() {
    return Instant.EPOCH.plusNanos(nanos);
  }

  @Override
  public void sleep(Duration duration) {
    nanos += duration.toNanos();
  }

  @Override
  public boolean await(Lock lock, Condition condition, Duration timeout) {
    nanos += timeout.toNanos();
    return false;
  }
}
