package io.wings.common.concurrent;

import io.wings.common.error.WingsException;
import io.wings.common.time.Time;
import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Interrupts work that takes too long, so that what doesn't answer holds a caller for a known time.
 */
public final class Deadline {
  private static final Logger LOG = LoggerFactory.getLogger(Deadline.class);

  private final Time time;
  private final Threads threads;
  private final String what;
  private final Duration limit;

  /**
   * @param what is waited for, for people
   */
  public Deadline(Time time, Threads threads, String what, Duration limit) {
    this.what = what;
    this.time = time;
    this.threads = threads;
    this.limit = limit;
  }

  /**
   * What {@code work} gives.
   *
   * @throws WingsException {@code answer-late} (unavailable) when it failed after the time was up;
   *     what it was to change may be changed
   */
  public <T> T within(Supplier<T> work) {
    Run run = new Run(Thread.currentThread());
    Thread watch = threads.start("deadline", () -> run.watch());
    try {
      return work.get();
    } catch (RuntimeException e) {
      if (run.end()) {
        LOG.warn("{} failed after {}", what, limit, e);
        throw WingsException.unavailable(
            "answer-late",
            what + " doesn't answer within " + limit.toSeconds() + " s; ask again later",
            e);
      }
      throw e;
    } finally {
      boolean _ = run.end();
      watch.interrupt();
    }
  }

  /** One piece of work. */
  private final class Run {
    private final Thread worker;
    private final ReentrantLock lock = new ReentrantLock();
    private boolean ended;
    private boolean late;

    Run(Thread worker) {
      this.worker = worker;
    }

    void watch() {
      try {
        time.sleep(limit);
      } catch (InterruptedException _) {
        return; // It ended in time, as mostly.
      }
      lock.lock();
      try {
        if (!ended) {
          late = true;
          worker.interrupt();
        }
      } finally {
        lock.unlock();
      }
    }

    /** From here on the worker isn't interrupted; whether it has been. */
    boolean end() {
      lock.lock();
      try {
        if (!ended && late) {
          boolean _ = Thread.interrupted();
        }
        ended = true;
        return late;
      } finally {
        lock.unlock();
      }
    }
  }
}
