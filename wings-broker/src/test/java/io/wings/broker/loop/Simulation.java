package io.wings.broker.loop;

import io.wings.common.concurrent.Threads;
import io.wings.common.time.Time;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Processes that run one at a time, on a clock that jumps to whoever wakes next: the same seed is
 * the same run. A process gives way whenever it sleeps, waits, or calls the store.
 *
 * <p>A wait on a condition ends at a random moment up to its time-out, as {@link Time#await}
 * allows, or soon after {@link Actor#signal}.
 */
final class Simulation implements AutoCloseable {
  /** Unwinds a process that was killed. */
  static final class Killed extends Error {
    private static final long serialVersionUID = 1L;

    Killed() {
      super("killed", null, false, false);
    }
  }

  /** What a process does. */
  interface Body {
    void run(Actor self) throws InterruptedException;
  }

  private record Timer(long at, long order, Runnable action) {}

  private final Random random;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition yielded = lock.newCondition();
  private final List<Actor> processes = new ArrayList<>();
  private final PriorityQueue<Timer> timers =
      new PriorityQueue<>(Comparator.comparingLong(Timer::at).thenComparingLong(Timer::order));
  private @Nullable Actor running;
  private long now;
  private long timerCount;

  Simulation(long seed) {
    this.random = new Random(seed);
  }

  Random random() {
    return random;
  }

  /** The one true time, which no process knows. */
  long now() {
    return now;
  }

  Actor spawn(String name, Body body) {
    Actor process = new Actor(name, now, random.nextLong(1L << 50));
    processes.add(process);
    Thread _ = Threads.virtual().start(name, () -> process.live(body));
    return process;
  }

  void after(Duration delay, Runnable action) {
    timers.add(new Timer(now + delay.toNanos(), timerCount++, action));
  }

  /** Runs {@code test} where handing over is cheap, and throws what it throws. */
  static void onVirtualThread(Runnable test) {
    AtomicReference<Throwable> failure = new AtomicReference<>();
    Thread thread =
        Threads.virtual()
            .start(
                "simulation",
                () -> {
                  try {
                    test.run();
                  } catch (Throwable e) {
                    failure.set(e);
                  }
                });
    try {
      thread.join();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
    Throwable thrown = failure.get();
    if (thrown instanceof Error error) {
      throw error;
    }
    if (thrown != null) {
      throw new AssertionError(thrown);
    }
  }

  /** Lets {@code duration} pass. */
  void run(Duration duration) {
    long end = now + duration.toNanos();
    while (true) {
      Actor next = null;
      for (Actor process : processes) {
        if (!process.done && (next == null || process.wakeAt < next.wakeAt)) {
          next = process;
        }
      }
      Timer timer = timers.peek();
      if (timer != null && timer.at <= end && (next == null || timer.at <= next.wakeAt)) {
        now = Math.max(now, timer.at);
        timers.remove(timer);
        timer.action.run();
      } else if (next != null && next.wakeAt <= end) {
        now = Math.max(now, next.wakeAt);
        turn(next);
      } else {
        now = end;
        return;
      }
    }
  }

  private void turn(Actor process) {
    lock.lock();
    try {
      running = process;
      process.turn.signal();
      while (running != null) {
        yielded.awaitUninterruptibly();
      }
    } finally {
      lock.unlock();
    }
    if (process.failure != null) {
      throw new AssertionError(process.name + " failed", process.failure);
    }
    if (process.done) {
      processes.remove(process);
    }
  }

  @Override
  public void close() {
    for (Actor process : List.copyOf(processes)) {
      process.kill();
    }
  }

  /** One process: its clock is off from every other's. */
  final class Actor implements Time {
    private final String name;
    private final long offset;
    private final Condition turn = lock.newCondition();
    private long wakeAt;
    private boolean killed;
    private boolean waiting;
    private boolean done;
    private @Nullable Throwable failure;

    private Actor(String name, long wakeAt, long offset) {
      this.name = name;
      this.wakeAt = wakeAt;
      this.offset = offset;
    }

    private void live(Body body) {
      lock.lock();
      try {
        while (running != this) {
          turn.awaitUninterruptibly();
        }
      } finally {
        lock.unlock();
      }
      try {
        body.run(this);
      } catch (Killed _) {
        // As intended.
      } catch (Throwable e) {
        failure = e;
      } finally {
        lock.lock();
        try {
          done = true;
          running = null;
          yielded.signal();
        } finally {
          lock.unlock();
        }
      }
    }

    /** Gives way for {@code duration}. */
    void pause(Duration duration) {
      if (killed) {
        throw new Killed();
      }
      lock.lock();
      try {
        wakeAt = now + duration.toNanos();
        running = null;
        yielded.signal();
        while (running != this) {
          turn.awaitUninterruptibly();
        }
      } finally {
        lock.unlock();
      }
      if (killed) {
        throw new Killed();
      }
    }

    /** Stops it dead for {@code duration}, wherever it is. */
    void freeze(Duration duration) {
      waiting = false;
      wakeAt = Math.max(wakeAt, now + duration.toNanos());
    }

    /** Ends it where it is. Not to be called by a process. */
    void kill() {
      killed = true;
      if (!done) {
        turn(this);
      }
    }

    boolean isDone() {
      return done;
    }

    @Override
    public long nanos() {
      return now + offset;
    }

    @Override
    public Instant now() {
      return Instant.ofEpochMilli(offset / 1_000_000 + now / 1_000_000);
    }

    @Override
    public void sleep(Duration duration) {
      pause(duration);
    }

    @Override
    public boolean await(Lock held, Condition condition, Duration timeout) {
      held.unlock();
      waiting = true;
      try {
        pause(Duration.ofNanos(random.nextLong(Math.max(1, timeout.toNanos())) + 1));
      } finally {
        waiting = false;
        held.lock();
      }
      return true;
    }

    /** Ends its wait on a condition soon, if it waits on one. */
    void signal() {
      if (waiting) {
        wakeAt = Math.min(wakeAt, now + random.nextLong(Duration.ofMillis(5).toNanos()));
      }
    }

    /** As {@link #pause}, but {@link #signal} ends it. */
    void pauseUnlessSignalled(Duration most) {
      waiting = true;
      try {
        pause(most);
      } finally {
        waiting = false;
      }
    }
  }
}
