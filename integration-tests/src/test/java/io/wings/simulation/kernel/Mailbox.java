package io.wings.simulation.kernel;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A queue that anyone in the run fills, the carrier too, and one simulated thread at a time
 * empties.
 */
public final class Mailbox<T> {
  private final Scheduler scheduler;
  private final Deque<T> letters = new ArrayDeque<>();
  private @Nullable Thread waiting;

  public Mailbox(Scheduler scheduler) {
    this.scheduler = scheduler;
  }

  public void put(T letter) {
    letters.addLast(letter);
    LockSupport.unpark(waiting);
  }

  /** Ahead of all that waits. */
  public void putFirst(T letter) {
    letters.addFirst(letter);
    LockSupport.unpark(waiting);
  }

  public int size() {
    return letters.size();
  }

  /** The next, waiting for it. */
  public T take() throws InterruptedException {
    T letter = poll(null);
    if (letter == null) {
      throw new IllegalStateException("an endless wait ended");
    }
    return letter;
  }

  /** The next, or null when none has come within {@code patience}; null: waits for ever. */
  public @Nullable T poll(@Nullable Duration patience) throws InterruptedException {
    waiting = scheduler.requireCurrent().thread;
    try {
      long deadline = patience == null ? Long.MAX_VALUE : scheduler.now() + patience.toNanos();
      boolean _ = scheduler.park(() -> !letters.isEmpty(), deadline);
      return letters.pollFirst();
    } finally {
      waiting = null;
    }
  }
}
