package io.wings.worker.engine;

import io.wings.common.concurrent.Threads;
import io.wings.common.error.WingsException;
import io.wings.common.time.Time;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Runs work that blocks in native code on a thread of its own, so that interrupting the caller can
 * stop it. The caller returns only when the work has ended.
 */
final class InterruptibleCall {
  private static final Duration BETWEEN_CANCELS = Duration.ofMillis(20);

  private final Threads threads;
  private final Time time;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition ended = lock.newCondition();
  private boolean done;

  InterruptibleCall(Threads threads, Time time) {
    this.threads = threads;
    this.time = time;
  }

  @FunctionalInterface
  interface Work<T> {
    T run() throws IOException, InterruptedException;
  }

  /** How work ended: a value or what it threw. */
  private static final class Outcome<T> {
    private @Nullable T value;
    private @Nullable Throwable thrown;
  }

  /**
   * @param cancel makes a native call of the work's end soon; repeated until the work has ended,
   *     since it may come just before such a call
   */
  <T> T run(String name, Work<T> work, Runnable cancel) throws InterruptedException {
    Outcome<T> outcome = new Outcome<>();
    Thread thread = threads.start(name, () -> record(work, outcome));
    boolean interrupted = false;
    lock.lock();
    try {
      while (!done) {
        try {
          if (interrupted) {
            cancel.run();
            boolean _ = time.await(lock, ended, BETWEEN_CANCELS);
          } else {
            ended.await();
          }
        } catch (InterruptedException e) {
          interrupted = true;
          thread.interrupt();
        }
      }
    } finally {
      lock.unlock();
    }
    if (interrupted) {
      throw new InterruptedException();
    }
    return result(outcome);
  }

  // Whatever ends the work is thrown to the caller.
  @SuppressWarnings("CatchingUnchecked")
  private <T> void record(Work<T> work, Outcome<T> outcome) {
    try {
      outcome.value = work.run();
    } catch (IOException | InterruptedException | RuntimeException | Error e) {
      outcome.thrown = e;
    } finally {
      lock.lock();
      try {
        done = true;
        ended.signalAll();
      } finally {
        lock.unlock();
      }
    }
  }

  private static <T> T result(Outcome<T> outcome) throws InterruptedException {
    T value = outcome.value;
    if (value != null) {
      return value;
    }
    switch (outcome.thrown) {
      case InterruptedException e -> throw e;
      case RuntimeException e -> throw e;
      case Error e -> throw e;
      case null, default ->
          throw WingsException.unavailable(
              "engine-failed", "scratch space or the source failed", outcome.thrown);
    }
  }
}
