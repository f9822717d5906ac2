package io.wings.worker.materialize;

import io.wings.common.cluster.Keys;
import io.wings.common.cluster.LaneId;
import io.wings.common.concurrent.Threads;
import io.wings.common.error.ErrorKind;
import io.wings.common.error.WingsException;
import io.wings.common.objectstore.ObjectStore;
import io.wings.common.objectstore.StoreException;
import io.wings.common.objectstore.StoredObject;
import io.wings.common.retry.Attempt;
import io.wings.common.retry.Retry;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Reads the segments of a pass ahead, several at once, in order, within a budget of bytes. One
 * consumer.
 */
final class Prefetch implements AutoCloseable {
  /** A segment of a lane. */
  record Source(LaneId lane, SegmentObject segment) {}

  /** Reads of one segment before the pass fails. */
  private static final int MAX_READS = 8;

  private final ObjectStore store;
  private final List<Source> sources;
  private final long budget;
  private final Retry retry;
  private final List<Thread> readers = new ArrayList<>();

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final Map<Integer, StoredObject> ready = new HashMap<>();
  private int claimed;
  private int taken;
  private long held;
  private boolean closed;
  private @Nullable RuntimeException failure;

  Prefetch(ObjectStore store, List<Source> sources, MaterializeSettings settings, Retry retry) {
    this.store = store;
    this.sources = List.copyOf(sources);
    this.budget = settings.prefetchBytes();
    this.retry = retry;
  }

  void start(Threads threads, int count) {
    for (int i = 0; i < Math.min(count, sources.size()); i++) {
      readers.add(threads.start("segment-fetch-" + i, this::read));
    }
  }

  /**
   * The next segment, whole; null after the last.
   *
   * @throws WingsException as the read of it ended
   */
  @Nullable StoredObject next() throws InterruptedException {
    lock.lockInterruptibly();
    try {
      if (taken > 0) {
        held -= sources.get(taken - 1).segment().size();
        changed.signalAll();
      }
      if (taken == sources.size()) {
        return null;
      }
      while (!ready.containsKey(taken)) {
        if (failure != null) {
          throw failure;
        }
        changed.await();
      }
      return ready.remove(taken++);
    } finally {
      lock.unlock();
    }
  }

  private void read() {
    try {
      for (int index = claim(); index >= 0; index = claim()) {
        StoredObject object = fetch(sources.get(index));
        lock.lock();
        try {
          ready.put(index, object);
          changed.signalAll();
        } finally {
          lock.unlock();
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (RuntimeException e) {
      fail(e);
    } catch (Error e) {
      fail(new WingsException(ErrorKind.INTERNAL, "fetch-failed", "a read of the WAL: " + e, e));
      throw e;
    }
  }

  /** The next segment to read, once the budget has room for it; -1 when there is none. */
  private int claim() throws InterruptedException {
    lock.lockInterruptibly();
    try {
      while (!closed && failure == null && claimed < sources.size()) {
        long size = sources.get(claimed).segment().size();
        if (held == 0 || held + size <= budget) {
          held += size;
          return claimed++;
        }
        changed.await();
      }
      return -1;
    } finally {
      lock.unlock();
    }
  }

  private StoredObject fetch(Source source) {
    String key = Keys.segment(source.lane(), source.segment().number());
    return retry.run(
        "read of " + key,
        MAX_READS,
        _ -> {
          try {
            return store
                .get(key)
                .map(Attempt::done)
                .orElseThrow(() -> WingsException.corrupt("segment-missing", key + " is gone"));
          } catch (StoreException e) {
            if (!e.retryable()) {
              throw WingsException.unavailable("store-refused", key + ": " + e.getMessage(), e);
            }
            return Attempt.again("store: " + e.getMessage(), e);
          }
        });
  }

  private void fail(RuntimeException e) {
    lock.lock();
    try {
      if (failure == null) {
        failure = e;
      }
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Stops the readers and waits for them. */
  @Override
  public void close() {
    lock.lock();
    try {
      closed = true;
      ready.clear();
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    boolean interrupted = false;
    for (Thread reader : readers) {
      reader.interrupt();
      while (reader.isAlive()) {
        try {
          reader.join();
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
