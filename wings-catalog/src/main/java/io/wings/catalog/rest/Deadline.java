package io.wings.catalog.rest;

import io.wings.common.concurrent.Threads;
import io.wings.common.error.WingsException;
import io.wings.common.time.Time;
import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Interrupts work that takes too long, so that a store that doesn't answer holds a request for a
 * known time.
 */
final class Deadline {
  private static final Logger LOG = LoggerFactory.getLogger(Deadline.class);

  /** Less than the HTTP server's own, which closes the connection without an answer. */
  static final Duration OF_A_REQUEST = Duration.ofSeconds(45);

  private final Time time;
  private final Threads threads;
  private final Duration limit;

  Deadline(Time time, Threads threads, Duration limit) {
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
  <T> T within(Supplier<T> work) {
    Run run = new Run(Thread.currentThread());
    Thread watch = threads.start("catalog-deadline", () -> run.watch());
    try {
      return work.get();
    } catch (RuntimeException e) {
      if (run.end()) {
        LOG.warn("a request failed after {}", limit, e);
        throw WingsException.unavailable(
            "answer-late",
            "the catalog's storage doesn't answer within "
                + limit.toSeconds()
                + " s; ask again later",
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
