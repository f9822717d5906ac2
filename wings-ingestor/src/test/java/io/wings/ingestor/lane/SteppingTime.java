package io.wings.ingestor.lane;

import io.wings.common.time.Time;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;

/** A clock that jumps to the end of every wait, for code that runs on one thread. */
final class SteppingTime implements Time {
  private long nanos = 1_000_000_000_000L;

  @Override
  public long nanos() {
    return nanos;
  }

  @Override
  public Instant now() {
    return Instant.ofEpochSecond(0, nanos);
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
