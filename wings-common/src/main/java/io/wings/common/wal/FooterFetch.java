package io.wings.common.wal;

import io.wings.common.cluster.LaneId;
import io.wings.common.concurrent.Threads;
import io.wings.common.error.ErrorKind;
import io.wings.common.error.WingsException;
import io.wings.common.objectstore.StoreException;
import io.wings.common.retry.Attempt;
import io.wings.common.retry.Retry;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Reads a range of footers in order, several at a time. A read that fails is tried again by itself:
 * of some hundreds one may fail each time, and all of them would never succeed together.
 */
final class FooterFetch implements AutoCloseable {
  /** Footers being read, or read and not yet taken. */
  static final int WINDOW = 16;

  /** Tries of one read. */
  static final int MAX_READS = 5;

  private final SegmentReader reader;
  private final LaneId lane;
  private final long last;
  private final Retry retry;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final Map<Long, Optional<SegmentFooter>> ready = new HashMap<>();
  private long nextToRead;
  private long nextToTake;
  private boolean stopped;
  private @Nullable RuntimeException failure;

  FooterFetch(
      SegmentReader reader, Threads threads, Retry retry, LaneId lane, long first, long last) {
    this.reader = reader;
    this.retry = retry;
    this.lane = lane;
    this.last = last;
    this.nextToRead = first;
    this.nextToTake = first;
    long readers = Math.min(WINDOW, last - first + 1);
    for (int i = 0; i < readers; i++) {
      threads.start("wal-footers-" + lane, this::read);
    }
  }

  /** The next footer, or empty when there is no such segment. */
  Optional<SegmentFooter> next() {
    lock.lock();
    try {
      while (!ready.containsKey(nextToTake)) {
        if (failure != null) {
          throw failure;
        }
        changed.await();
      }
      Optional<SegmentFooter> footer = ready.remove(nextToTake);
      nextToTake++;
      changed.signalAll();
      return footer == null ? Optional.empty() : footer;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw WingsException.unavailable("interrupted", "reading footers was told to stop", e);
    } finally {
      lock.unlock();
    }
  }

  private void read() {
    try {
      for (long number = take(); number > 0; number = take()) {
        give(number, footer(number));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (RuntimeException e) {
      fail(e);
    } catch (Error e) {
      fail(new WingsException(ErrorKind.INTERNAL, "fetch-failed", "a read of footers: " + e, e));
      throw e;
    }
  }

  private Optional<SegmentFooter> footer(long number) {
    return retry.run(
        "reading segment " + number + " of lane " + lane,
        MAX_READS,
        tried -> {
          try {
            return Attempt.done(reader.footer(lane, number));
          } catch (StoreException e) {
            if (!e.retryable() || tried == MAX_READS) {
              throw e;
            }
            return Attempt.again(e.toString(), e);
          }
        });
  }

  /** The next number to read, or 0 when there is none. */
  private long take() throws InterruptedException {
    lock.lock();
    try {
      while (!stopped && nextToRead <= last && nextToRead >= nextToTake + WINDOW) {
        changed.await();
      }
      return stopped || nextToRead > last ? 0 : nextToRead++;
    } finally {
      lock.unlock();
    }
  }

  private void give(long number, Optional<SegmentFooter> footer) {
    lock.lock();
    try {
      ready.put(number, footer);
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private void fail(RuntimeException e) {
    lock.lock();
    try {
      stopped = true;
      failure = e;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Readers end after what they are reading. */
  @Override
  public void close() {
    lock.lock();
    try {
      stopped = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }
}
