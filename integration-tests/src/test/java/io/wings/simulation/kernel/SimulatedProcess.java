package io.wings.simulation.kernel;

import io.wings.common.concurrent.Threads;
import io.wings.common.id.Ids;
import io.wings.common.time.Time;
import io.wings.simulation.kernel.Scheduler.SimulatedThread;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;

/**
 * One life of one process: its threads, its clocks, its ids. It may be paused at any point, and
 * killed; what comes back under its name is another process.
 */
public final class SimulatedProcess {
  private final Scheduler scheduler;
  private final String name;
  private final long life;
  private final ProcessClock clock;
  private final List<SimulatedThread> threads = new ArrayList<>();
  private final List<SimulatedThread> held = new ArrayList<>();
  private final List<Runnable> deathWatch = new ArrayList<>();
  private boolean dead;
  private boolean paused;

  /**
   * @param drift by what part its clocks run fast (above 0) or slow
   * @param wallOffset how far its wall clock is from the others' at first
   */
  public SimulatedProcess(Scheduler scheduler, String name, double drift, Duration wallOffset) {
    this.scheduler = scheduler;
    this.name = name;
    this.life = scheduler.nextLife();
    this.clock = new ProcessClock(scheduler, this, drift, wallOffset);
  }

  public String name() {
    return name;
  }

  /** Tells this process from the ones of the same name before and after it. */
  public long life() {
    return life;
  }

  public Time time() {
    return clock;
  }

  /** Of this process. */
  public Threads threadFactory() {
    return (threadName, task) -> scheduler.start(this, threadName, task);
  }

  public Ids ids() {
    Random random = scheduler.names();
    return new Ids() {
      @Override
      public UUID uuid() {
        long high = (random.nextLong() & ~0xF000L) | 0x4000L;
        return new UUID(high, (random.nextLong() & 0x3FFFFFFFFFFFFFFFL) | 0x8000000000000000L);
      }

      @Override
      public double fraction() {
        return random.nextDouble();
      }
    };
  }

  /** Starts a thread of this process. */
  public Thread start(String threadName, Runnable task) {
    return scheduler.start(this, threadName, task);
  }

  /** Its wall clock jumps; the monotonic one doesn't. */
  public void jumpClock(Duration by) {
    clock.jump(by);
  }

  public void pause() {
    if (!dead && !paused) {
      paused = true;
      scheduler.pause(this);
    }
  }

  public void resume() {
    if (!dead && paused) {
      paused = false;
      scheduler.resume(this);
    }
  }

  public void kill() {
    if (!dead) {
      dead = true;
      scheduler.kill(this);
      List.copyOf(deathWatch).forEach(Runnable::run);
      deathWatch.clear();
    }
  }

  /** Runs {@code action}, which must not block, when the process dies. */
  public void onDeath(Runnable action) {
    deathWatch.add(action);
  }

  public boolean dead() {
    return dead;
  }

  public boolean paused() {
    return paused;
  }

  Scheduler scheduler() {
    return scheduler;
  }

  List<SimulatedThread> threads() {
    return threads;
  }

  /** Threads that became runnable while it was paused. */
  List<SimulatedThread> held() {
    return held;
  }
}
