package io.wings.ingestor.table;

import io.wings.common.concurrent.Threads;
import io.wings.common.error.ErrorKind;
import io.wings.common.error.WingsException;
import io.wings.common.flight.TableName;
import io.wings.common.time.Time;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What is known of one name: one look at a time, shared by all who wait for it. */
final class TableSlot {
  private static final Logger log = LoggerFactory.getLogger(TableSlot.class);

  /** Between batches that come more often than this many times the age, nobody waits for a look. */
  private static final int MAX_AGES = 2;

  /**
   * How a look ended.
   *
   * @param table null when it showed that there is none that can be used
   * @param startedNanos when it began
   */
  private record Look(
      @Nullable StreamTable table, @Nullable WingsException error, long startedNanos) {}

  private final TableName name;
  private final Function<Runnable, StreamTable> lookup;
  private final Time time;
  private final ReentrantLock lock = new ReentrantLock();
  private final AtomicBoolean refreshing = new AtomicBoolean();
  private volatile @Nullable Look last;

  /** When a look was last tried, successful or not. */
  private volatile long triedNanos;

  TableSlot(TableName name, Function<Runnable, StreamTable> lookup, Time time) {
    this.name = name;
    this.lookup = lookup;
    this.time = time;
  }

  /**
   * By a look that began after this was called.
   *
   * @param adopting runs before that look adopts the table
   */
  StreamTable fresh(Runnable adopting) {
    long asked = time.nanos();
    lock.lock();
    try {
      Look known = last;
      if (known == null || known.startedNanos - asked < 0) {
        known = look(adopting);
      }
      return result(known);
    } finally {
      lock.unlock();
    }
  }

  /**
   * As last known if that satisfies {@code done}; else by {@code change}, which is then what is
   * known. Its failure changes nothing about that.
   */
  StreamTable changed(Predicate<StreamTable> done, Supplier<StreamTable> change) {
    lock.lock();
    try {
      Look known = last;
      if (known != null && known.table != null && done.test(known.table)) {
        return known.table;
      }
      long started = time.nanos();
      StreamTable table = change.get();
      last = new Look(table, null, started);
      triedNanos = time.nanos();
      return table;
    } finally {
      lock.unlock();
    }
  }

  private Look look(Runnable adopting) {
    long started = time.nanos();
    Look look;
    try {
      look = new Look(lookup.apply(adopting), null, started);
    } catch (WingsException e) {
      if (e.kind() == ErrorKind.UNAVAILABLE) {
        throw e;
      }
      look = new Look(null, e, started);
    } finally {
      triedNanos = time.nanos();
    }
    last = look;
    return look;
  }

  private static StreamTable result(Look look) {
    if (look.table != null) {
      return look.table;
    }
    WingsException error = look.error;
    if (error == null) {
      throw new IllegalStateException("a look without an outcome");
    }
    throw new WingsException(error.kind(), error.code(), error.detail(), error);
  }

  /**
   * As last known; begins another look when that is older than {@code age}, and waits for it when
   * nobody has looked for so long that the table may be another by now.
   */
  StreamTable known(Duration age, Threads threads, Runnable adopting) {
    Look known = last;
    if (known == null) {
      return fresh(adopting);
    }
    if (time.since(triedNanos).compareTo(age.multipliedBy(MAX_AGES)) >= 0) {
      return freshOr(known, adopting);
    }
    if (time.since(triedNanos).compareTo(age) >= 0 && refreshing.compareAndSet(false, true)) {
      try {
        Thread _ = threads.start("table-refresh", () -> refresh(adopting));
      } catch (RuntimeException e) {
        refreshing.set(false);
        throw e;
      }
    }
    return result(known);
  }

  /** As it is now, or as it was while the catalog can't be asked. */
  private StreamTable freshOr(Look known, Runnable adopting) {
    try {
      return fresh(adopting);
    } catch (WingsException e) {
      if (e.kind() != ErrorKind.UNAVAILABLE) {
        throw e;
      }
      log.info("looking up {} again: {}", name, e.getMessage());
      return result(known);
    }
  }

  private void refresh(Runnable adopting) {
    try {
      StreamTable _ = fresh(adopting);
    } catch (WingsException e) {
      log.info("looking up {} again: {}", name, e.getMessage());
    } catch (RuntimeException e) {
      log.warn("looking up {} again failed; going on with what is known", name, e);
    } finally {
      triedNanos = time.nanos();
      refreshing.set(false);
    }
  }
}
