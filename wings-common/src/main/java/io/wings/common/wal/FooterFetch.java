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
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Reads a range of footers in order, several at a time, as many as there is room for. A read that
 * fails is tried again by itself: of some hundreds one may fail each time, and all of them would
 * never succeed together.
 *
 * <p>Room is taken in the order of numbers, so what waits for room waits for none that comes after
 * it.
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
  private final FooterRoom room;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final Map<Long, Read> ready = new HashMap<>();
  private long nextToRead;
  private long nextToAdmit;
  private long nextToTake;
  private int takenRoom;
  private boolean stopped;
  private boolean closed;
  private @Nullable RuntimeException failure;

  /** A footer, if there is one, and the room that it has. */
  private record Read(Optional<SegmentFooter> footer, int room) {}

  FooterFetch(
      SegmentReader reader,
      Threads threads,
      Retry retry,
      FooterRoom room,
      LaneId lane,
      long first,
      long last) {
    this.reader = reader;
    this.retry = retry;
    this.room = room;
    this.lane = lane;
    this.last = last;
    this.nextToRead = first;
    this.nextToAdmit = first;
    this.nextToTake = first;
    long readers = Math.min(WINDOW, last - first + 1);
    for (int i = 0; i < readers; i++) {
      threads.start("wal-footers-" + lane, this::read);
    }
  }

  /** The next footer, or empty when there is no such segment. The one before is done with. */
  Optional<SegmentFooter> next() {
    lock.lock();
    try {
      giveBackTaken();
      while (!ready.containsKey(nextToTake)) {
        if (failure != null) {
          throw failure;
        }
        changed.await();
      }
      Read read = ready.remove(nextToTake);
      nextToTake++;
      changed.signalAll();
      if (read == null) {
        return Optional.empty();
      }
      takenRoom = read.room();
      return read.footer();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw WingsException.unavailable("interrupted", "reading footers was told to stop", e);
    } finally {
      lock.unlock();
    }
  }

  private void giveBackTaken() {
    room.giveBack(takenRoom);
    takenRoom = 0;
  }

  private void read() {
    try {
      for (long number = toRead(); number > 0; number = toRead()) {
        long which = number;
        Optional<SegmentReader.Tail> tail = retried(number, () -> reader.tail(lane, which));
        if (!awaitAdmission(number)) {
          return;
        }
        int taken = room.take(tail.map(SegmentReader.Tail::footerBytes).orElse(0));
        try {
          admitted(number);
          give(
              number,
              new Read(
                  tail.flatMap(t -> retried(which, () -> reader.footer(lane, which, t))), taken));
          taken = 0;
        } finally {
          room.giveBack(taken);
        }
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

  private <T> T retried(long number, Supplier<T> read) {
    return retry.run(
        "reading segment " + number + " of lane " + lane,
        MAX_READS,
        tried -> {
          try {
            return Attempt.done(read.get());
          } catch (StoreException e) {
            if (!e.retryable() || tried == MAX_READS) {
              throw e;
            }
            return Attempt.again(e.toString(), e);
          }
        });
  }

  /** The next number to read, or 0 when there is none. */
  private long toRead() throws InterruptedException {
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

  /** Waits until all numbers before have their room; false: there is nothing more to do. */
  private boolean awaitAdmission(long number) throws InterruptedException {
    lock.lock();
    try {
      while (!stopped && nextToAdmit < number) {
        changed.await();
      }
      return !stopped;
    } finally {
      lock.unlock();
    }
  }

  private void admitted(long number) {
    lock.lock();
    try {
      nextToAdmit = number + 1;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private void give(long number, Read read) {
    lock.lock();
    try {
      if (closed) {
        room.giveBack(read.room());
      } else {
        ready.put(number, read);
        changed.signalAll();
      }
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
      closed = true;
      giveBackTaken();
      ready.values().forEach(read -> room.giveBack(read.room()));
      ready.clear();
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }
}
