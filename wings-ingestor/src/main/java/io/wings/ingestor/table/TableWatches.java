package io.wings.ingestor.table;

import io.wings.common.cluster.TableId;
import io.wings.common.concurrent.Threads;
import io.wings.common.error.ErrorKind;
import io.wings.common.error.WingsException;
import io.wings.common.flight.TableName;
import io.wings.common.time.Time;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Watches tables for streams that wait until their batches are visible: while anyone waits, one
 * look at the table in a part of its commit interval, for all its streams together.
 */
public final class TableWatches {
  private static final Logger LOG = LoggerFactory.getLogger(TableWatches.class);

  /** Looks in one commit interval. */
  private static final int LOOKS = 4;

  private static final Duration SHORTEST_PAUSE = Duration.ofMillis(100);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(30);

  /** Commit intervals without progress after which the queue is asked why. */
  private static final int PATIENCE = 4;

  private static final Duration SHORTEST_PATIENCE = Duration.ofSeconds(20);

  private final Looker looker;
  private final MaterializeFailures failures;
  private final Time time;
  private final Threads threads;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final Map<Key, Watch> watches = new HashMap<>();

  /** One table and its log, under one name. */
  private record Key(TableName name, TableId id, String incarnation) {}

  /** Looks at a table now. */
  @FunctionalInterface
  interface Looker {
    TableSight look(TableName name);
  }

  TableWatches(Looker looker, MaterializeFailures failures, Time time, Threads threads) {
    this.looker = looker;
    this.failures = failures;
    this.time = time;
    this.threads = threads;
  }

  public TableWatches(TableAdmin admin, MaterializeFailures failures, Time time, Threads threads) {
    this(admin::look, failures, time, threads);
  }

  /** Hears of looks, on the watch's thread. Must not block, nor call the subscription. */
  public interface Listener {
    /** The table as it is. */
    void looked(TableSight sight);

    /** Whether anything is waited for. */
    boolean waits();

    /** Nothing more will become visible by this table, or not for now. */
    void stopped(WingsException reason);
  }

  /** A stream's part in a watch. */
  public interface Subscription extends AutoCloseable {
    /** Lets the table be looked at from now on until the listener waits for nothing. */
    void await();

    @Override
    void close();
  }

  /** Takes part in the watch of a table; nothing is looked at before {@link Subscription#await}. */
  public Subscription subscribe(StreamTable table, Listener listener) {
    return new Subscribed(table, listener);
  }

  private final class Subscribed implements Subscription {
    private final StreamTable table;
    private final Key key;
    private final Listener listener;

    Subscribed(StreamTable table, Listener listener) {
      this.table = table;
      this.key = new Key(table.name(), table.id(), table.incarnation());
      this.listener = listener;
    }

    @Override
    public void await() {
      lock.lock();
      try {
        Watch watch = watches.computeIfAbsent(key, k -> new Watch(k, table.commitInterval()));
        watch.waiting.add(listener);
        if (watch.thread == null) {
          watch.thread = threads.start("visible-" + key.id, watch::run);
        }
      } finally {
        lock.unlock();
      }
    }

    @Override
    public void close() {
      lock.lock();
      try {
        Watch watch = watches.get(key);
        if (watch != null) {
          watch.waiting.remove(listener);
          changed.signalAll();
        }
      } finally {
        lock.unlock();
      }
    }
  }

  /** Tables that are watched now. */
  public int size() {
    lock.lock();
    try {
      return watches.size();
    } finally {
      lock.unlock();
    }
  }

  /** One table that somebody waits for. */
  private final class Watch {
    private final Key key;
    private final Duration pause;
    private final Duration patience;

    /** Guarded by the lock. */
    private final Set<Listener> waiting = new LinkedHashSet<>();

    private @Nullable Thread thread;
    private List<Long> progress = List.of();
    private long progressNanos;

    Watch(Key key, Duration commitInterval) {
      this.key = key;
      Duration part = commitInterval.dividedBy(LOOKS);
      this.pause = longer(SHORTEST_PAUSE, shorter(part, LONGEST_PAUSE));
      this.patience = longer(SHORTEST_PATIENCE, commitInterval.multipliedBy(PATIENCE));
    }

    void run() {
      progressNanos = time.nanos();
      try {
        while (pause()) {
          look();
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        stop(
            WingsException.unavailable(
                "ingestor-stopping", "the ingestor is stopping; send the rest again", null));
      } catch (RuntimeException | Error e) {
        LOG.error("the watch of table {} failed", key.id, e);
        stop(new WingsException(ErrorKind.INTERNAL, "watch-failed", "the table's watch failed", e));
        if (e instanceof Error error) {
          throw error;
        }
      }
    }

    /** Until the next look is due; false once nobody waits, and the watch is over. */
    private boolean pause() throws InterruptedException {
      long began = time.nanos();
      lock.lockInterruptibly();
      try {
        Duration left = pause;
        while (!waiting.isEmpty() && left.isPositive()) {
          boolean _ = time.await(lock, changed, left);
          left = pause.minus(time.since(began));
        }
        return !endIfIdle();
      } finally {
        lock.unlock();
      }
    }

    /** The caller holds the lock. True when nobody waits; the watch is then found no more. */
    private boolean endIfIdle() {
      if (!waiting.isEmpty()) {
        return false;
      }
      boolean _ = watches.remove(key, this);
      return true;
    }

    private List<Listener> waiting() {
      lock.lock();
      try {
        return new ArrayList<>(waiting);
      } finally {
        lock.unlock();
      }
    }

    private void look() {
      List<Listener> asked = waiting();
      TableSight sight;
      try {
        sight = looker.look(key.name);
        sight.requireLog(key.id, key.incarnation);
      } catch (WingsException e) {
        if (e.kind() == ErrorKind.UNAVAILABLE) {
          LOG.info("looking at table {} failed: {}", key.id, e.getMessage());
          requireNotFailing();
        } else {
          stop(e);
        }
        return;
      }
      asked.forEach(listener -> listener.looked(sight));
      dropDone();
      if (!sight.watermarks().equals(progress)) {
        progress = sight.watermarks();
        progressNanos = time.nanos();
      }
      requireNotFailing();
    }

    /** Whoever begins to wait after it was asked here adds itself again. */
    private void dropDone() {
      lock.lock();
      try {
        waiting.removeIf(listener -> !listener.waits());
      } finally {
        lock.unlock();
      }
    }

    /**
     * A table that makes no progress because it can't: streams are told, again at each back-off.
     */
    private void requireNotFailing() {
      if (time.since(progressNanos).compareTo(patience) < 0 || waiting().isEmpty()) {
        return;
      }
      progressNanos = time.nanos();
      Optional<String> failing = failures.failing(key.id);
      failing.ifPresent(
          code ->
              stop(
                  WingsException.unavailable(
                      "table-stopped",
                      "table \"%s\" takes nothing in: its materialise task fails with %s; tell the operator"
                          .formatted(key.name, code),
                      null)));
    }

    private void stop(WingsException reason) {
      List<Listener> told;
      lock.lock();
      try {
        told = new ArrayList<>(waiting);
        waiting.clear();
        boolean _ = endIfIdle();
      } finally {
        lock.unlock();
      }
      told.forEach(listener -> listener.stopped(reason));
    }
  }

  private static Duration longer(Duration a, Duration b) {
    return a.compareTo(b) >= 0 ? a : b;
  }

  private static Duration shorter(Duration a, Duration b) {
    return a.compareTo(b) <= 0 ? a : b;
  }
}
