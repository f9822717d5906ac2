package io.wings.ingestor.lane;

import io.wings.common.cluster.LaneId;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells the scheduler about durable lanes from a thread of its own, so that a broker that is slow
 * or gone holds up no ack. Keeps one notice per lane; a failed one is dropped, since the broker's
 * sweep finds the work.
 */
final class MaterializeNotices {
  private static final Logger LOG = LoggerFactory.getLogger(MaterializeNotices.class);

  private final MaterializeScheduler scheduler;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();

  /** At most one per open lane. */
  private final LinkedHashMap<LaneId, Long> waiting = new LinkedHashMap<>();

  private boolean stopped;

  MaterializeNotices(MaterializeScheduler scheduler) {
    this.scheduler = scheduler;
  }

  void durable(LaneId lane, long head) {
    lock.lock();
    try {
      waiting.merge(lane, head, Math::max);
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** The thread; ends when it is stopped, after what already waits, or interrupted. */
  void run() {
    try {
      for (Map.Entry<LaneId, Long> next = take(); next != null; next = take()) {
        try {
          scheduler.durable(next.getKey(), next.getValue());
        } catch (RuntimeException e) {
          LOG.warn("materialising lane {} was not scheduled: {}", next.getKey(), e.toString());
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private Map.@Nullable Entry<LaneId, Long> take() throws InterruptedException {
    lock.lockInterruptibly();
    try {
      while (waiting.isEmpty() && !stopped) {
        changed.await();
      }
      return waiting.pollFirstEntry();
    } finally {
      lock.unlock();
    }
  }

  void stop() {
    lock.lock();
    try {
      stopped = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }
}
