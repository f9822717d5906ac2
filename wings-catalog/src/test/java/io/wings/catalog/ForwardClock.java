package io.wings.catalog;

import io.wings.common.time.Time;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;

/** The machine's clock, that a test can put forward. */
final class ForwardClock implements Time {
  private final Time system = Time.system();
  private final AtomicLong aheadNanos = new AtomicLong();

  void forward(Duration duration) {
    aheadNanos.addAndGet(duration.toNanos());
  }

  @Override
  public long nanos() {
    return system.nanos() + aheadNanos.get();
  }

  @Override
  public Instant now() {
    return system.now().plusNanos(aheadNanos.get());
  }

  @Override
  public void sleep(Duration duration) throws InterruptedException {
    system.sleep(duration);
  }

  @Override
  public boolean await(Lock lock, Condition condition, Duration timeout)
      throws InterruptedException {
    return system.await(lock, condition, timeout);
  }
}
