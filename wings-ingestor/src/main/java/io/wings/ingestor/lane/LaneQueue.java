package io.wings.ingestor.lane;

import io.wings.common.error.WingsException;
import io.wings.common.time.Time;
import io.wings.common.wal.SegmentWriter;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * What waits for a lane's next flush, and when that starts: at once when the last one began a flush
 * interval ago, when a segment's worth is there, or when someone asks; never while one is in
 * flight, because the lane's one thread takes and flushes in turn. Bounded by the byte budget that
 * each item was charged to before it came.
 */
final class LaneQueue {
  private final Time time;
  private final Duration flushInterval;
  private final long capBytes;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final Deque<Pending> waiting = new ArrayDeque<>();
  private long waitingBytes;
  private long waitingFooterBytes;
  private int urgent;
  private boolean inFlight;
  private boolean finishing;
  private @Nullable Long lastStart;
  private @Nullable WingsException stopped;

  LaneQueue(Time time, Duration flushInterval, long capBytes) {
    this.time = time;
    this.flushInterval = flushInterval;
    this.capBytes = capBytes;
  }

  /**
   * @throws WingsException when the lane has stopped
   */
  void add(Pending item) {
    lock.lock();
    try {
      if (stopped != null) {
        throw Errors.again(stopped);
      }
      waiting.addLast(item);
      waitingBytes += item.segmentBytes();
      waitingFooterBytes += item.footerBytes();
      urgent += item instanceof Pending.Flush ? 1 : 0;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Waits for the next flush to be due and takes its work.
   *
   * @param patience how long to wait for work
   * @return in the order of submission; empty when there was none for that long, or the queue is
   *     stopped
   */
  List<Pending> take(Duration patience) throws InterruptedException {
    lock.lockInterruptibly();
    try {
      inFlight = false;
      long began = time.nanos();
      while (waiting.isEmpty() && stopped == null && !finishing) {
        Duration left = patience.minus(time.since(began));
        if (left.isNegative() || left.isZero()) {
          return List.of();
        }
        time.await(lock, changed, left);
      }
      while (!waiting.isEmpty() && !due() && stopped == null) {
        time.await(lock, changed, untilDue());
      }
      if (stopped != null || waiting.isEmpty()) {
        return List.of();
      }
      lastStart = time.nanos();
      inFlight = true;
      return takeSegment();
    } finally {
      lock.unlock();
    }
  }

  private boolean due() {
    return urgent > 0
        || finishing
        || waitingBytes >= capBytes
        || waitingFooterBytes >= LaneSettings.FOOTER_CAP_BYTES
        || waiting.size() >= SegmentWriter.MAX_ENTRIES
        || untilDue().isZero();
  }

  private Duration untilDue() {
    Long start = lastStart;
    if (start == null) {
      return Duration.ZERO;
    }
    Duration left = flushInterval.minus(time.since(start));
    return left.isNegative() ? Duration.ZERO : left;
  }

  private List<Pending> takeSegment() {
    List<Pending> taken = new ArrayList<>();
    long bytes = 0;
    long footerBytes = 0;
    while (!waiting.isEmpty() && taken.size() < SegmentWriter.MAX_ENTRIES) {
      Pending next = waiting.peekFirst();
      boolean full =
          bytes + next.segmentBytes() > capBytes
              || footerBytes + next.footerBytes() > LaneSettings.FOOTER_CAP_BYTES;
      if (!taken.isEmpty() && full) {
        break;
      }
      waiting.removeFirst();
      bytes += next.segmentBytes();
      footerBytes += next.footerBytes();
      waitingBytes -= next.segmentBytes();
      waitingFooterBytes -= next.footerBytes();
      urgent -= next instanceof Pending.Flush ? 1 : 0;
      taken.add(next);
    }
    return taken;
  }

  /** From here on nothing waits for the flush interval, and nobody for work. */
  void finish() {
    lock.lock();
    try {
      finishing = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Whether nothing waits and nothing is in flight. */
  boolean isIdle() {
    lock.lock();
    try {
      return waiting.isEmpty() && !inFlight;
    } finally {
      lock.unlock();
    }
  }

  /** Takes no more; returns what waited. The first reason stays. */
  List<Pending> stop(WingsException reason) {
    lock.lock();
    try {
      if (stopped == null) {
        stopped = reason;
      }
      List<Pending> left = List.copyOf(waiting);
      waiting.clear();
      waitingBytes = 0;
      waitingFooterBytes = 0;
      urgent = 0;
      changed.signalAll();
      return left;
    } finally {
      lock.unlock();
    }
  }
}
