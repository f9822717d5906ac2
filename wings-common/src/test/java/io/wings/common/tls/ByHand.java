package io.wings.common.tls;

import io.wings.common.time.Time;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;

/** Time in which one thread sleeps until the test lets it go on, once round. */
public final class ByHand implements Time {
  private final Time real = Time.system();
  private final Duration ahead;
  private final SynchronousQueue<CountDownLatch> turns = new SynchronousQueue<>();
  private CountDownLatch round = new CountDownLatch(0);

  public ByHand() {
    this(Duration.ZERO);
  }

  /**
   * @param ahead how far its clock is ahead of the real one
   */
  public ByHand(Duration ahead) {
    this.ahead = ahead;
  }

  /** Returns when the sleeper sleeps again. */
  public void pass() throws InterruptedException {
    CountDownLatch again = new CountDownLatch(1);
    turns.put(again);
    again.await();
  }

  @Override
  public void sleep(Duration duration) throws InterruptedException {
    round.countDown();
    round = turns.take();
  }

  @Override
  public long nanos() {
    return real.nanos();
  }

  @Override
  public Instant now() {
    return real.now().plus(ahead);
  }

  @Override
  public boolean await(Lock lock, Condition condition, Duration timeout)
      throws InterruptedException {
    return real.await(lock, condition, timeout);
  }
}
