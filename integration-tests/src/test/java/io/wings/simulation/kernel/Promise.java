package io.wings.simulation.kernel;

import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** A value that one simulated thread waits for, and that arrives, or doesn't. */
final class Promise<T> {
  private final Scheduler scheduler;
  private final @Nullable Thread waiting;
  private @Nullable T value;

  /** To be awaited by the calling thread. */
  Promise(Scheduler scheduler) {
    this.scheduler = scheduler;
    this.waiting = scheduler.requireCurrent().thread;
  }

  /** The first value counts; from the carrier or any simulated thread. */
  void complete(T arrived) {
    if (value == null) {
      value = arrived;
      LockSupport.unpark(waiting);
    }
  }

  /** The value, or null at {@code deadline}. */
  @Nullable T await(long deadline) throws InterruptedException {
    boolean _ = scheduler.park(() -> value != null, deadline);
    return value;
  }
}
