package io.wings.common.objectstore;

import io.wings.common.concurrent.Threads;
import io.wings.common.time.Time;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Races, begun one after another. One that has ended soon is alone; one that hasn't goes on beside
 * the next, so that a store whose losers wait in steps of a second isn't waited for in each race.
 * All have ended before there is a verdict.
 */
final class ProbeRaces {
  /** Races under way; with all their contenders they stay below a client's connections. */
  static final int AT_ONCE = 8;

  /** How long a race is alone. The winner of a store that is fit for use is known by then. */
  static final Duration ALONE = Duration.ofMillis(500);

  private final Time time;
  private final Threads threads;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition oneEnded = lock.newCondition();

  /** In the order in which they began. */
  private final List<Race> races = new ArrayList<>();

  private boolean failed;

  ProbeRaces(Time time, Threads threads) {
    this.time = time;
    this.threads = threads;
  }

  private static final class Race {
    private final Runnable work;
    private final Supplier<String> step;
    private @Nullable Thread thread;
    private @Nullable RuntimeException failure;
    private boolean ended;

    Race(Runnable work, Supplier<String> step) {
      this.work = work;
      this.step = step;
    }
  }

  /**
   * Begins a race once there is room for it, unless one has failed, and returns when it has ended
   * or was alone long enough.
   *
   * @param step says at what it is
   */
  void begin(Runnable work, Supplier<String> step) {
    Race race = new Race(work, step);
    lock.lock();
    try {
      while (underWay() >= AT_ONCE) {
        oneEnded.await();
      }
      if (failed) {
        return;
      }
      races.add(race);
      race.thread = threads.start("store-probe-round", () -> run(race));
      long begun = time.nanos();
      while (!race.ended && time.since(begun).compareTo(ALONE) < 0) {
        boolean _ = time.await(lock, oneEnded, ALONE.minus(time.since(begun)));
      }
    } catch (InterruptedException e) {
      throw interrupted(e);
    } finally {
      lock.unlock();
    }
  }

  private void run(Race race) {
    RuntimeException failure = null;
    try {
      race.work.run();
    } catch (RuntimeException e) {
      failure = e;
    }
    lock.lock();
    try {
      race.failure = failure;
      race.ended = true;
      failed |= failure != null;
      oneEnded.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private long underWay() {
    return races.stream().filter(race -> !race.ended).count();
  }

  /** Returns when all have ended; throws what the first of those that failed threw. */
  void end() {
    lock.lock();
    try {
      while (underWay() > 0) {
        oneEnded.await();
      }
      for (Race race : races) {
        if (race.failure != null) {
          throw race.failure;
        }
      }
    } catch (InterruptedException e) {
      throw interrupted(e);
    } finally {
      lock.unlock();
    }
  }

  /** Interrupts those under way, and so their contenders. */
  private StoreException interrupted(InterruptedException cause) {
    for (Race race : races) {
      if (!race.ended && race.thread != null) {
        race.thread.interrupt();
      }
    }
    Thread.currentThread().interrupt();
    return new StoreException("interrupted", true, cause);
  }

  /** At what the oldest of those under way is. */
  String step() {
    lock.lock();
    try {
      return races.stream()
          .filter(race -> !race.ended)
          .findFirst()
          .map(race -> race.step.get())
          .orElse("the end of its races");
    } finally {
      lock.unlock();
    }
  }
}
