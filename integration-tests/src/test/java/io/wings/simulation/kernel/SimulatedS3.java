package io.wings.simulation.kernel;

import io.wings.common.objectstore.LatencyStore;
import io.wings.common.objectstore.LatencyStore.Latency;
import io.wings.common.objectstore.ObjectStore;
import io.wings.common.objectstore.memory.MemoryStore;
import io.wings.common.time.Time;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;

/**
 * The one object store of a run: what is stored, the weather, and who looks on. Processes reach it
 * through {@link #of}.
 *
 * <p>A call is a request that arrives after a part of its latency, takes effect in that instant,
 * and a reply. So a process may die between the two, and a put of a dead process may still land.
 */
public final class SimulatedS3 {
  /** Looks on: every put that took effect, every object removed. Must not block. */
  public interface Observer {
    /** {@code key} was written by {@code by}, which may have died since. */
    default void written(SimulatedProcess by, String key, byte[] bytes) {}

    /** {@code key} was removed by {@code by}, and was there. */
    default void deleted(SimulatedProcess by, String key) {}
  }

  private final Scheduler scheduler;
  private final Tally faults;
  private final MemoryStore objects;
  private final List<Observer> observers = new ArrayList<>();
  private StoreWeather weather = StoreWeather.CALM;
  private StoreWeather lasting = StoreWeather.CALM;
  private long calls;

  public SimulatedS3(Scheduler scheduler, String name, Tally faults) {
    this.scheduler = scheduler;
    this.faults = faults;
    this.objects = new MemoryStore(name, new StoreClock(scheduler));
  }

  /** The store as {@code process} sees it. */
  public ObjectStore of(SimulatedProcess process) {
    return new SimulatedStore(this, process);
  }

  /** What is stored, for checkers: no latency, no faults. */
  public ObjectStore truth() {
    return objects;
  }

  public void weather(StoreWeather now) {
    weather = now;
  }

  public StoreWeather weather() {
    return weather;
  }

  /** Of deletes and lists, to the end: their failures only put off what nobody waits for. */
  public void lastingWeather(StoreWeather now) {
    lasting = now;
  }

  StoreWeather lastingWeather() {
    return lasting;
  }

  public void observe(Observer observer) {
    observers.add(observer);
  }

  /** Calls that took effect. */
  public long calls() {
    return calls;
  }

  Scheduler scheduler() {
    return scheduler;
  }

  Tally faults() {
    return faults;
  }

  void written(SimulatedProcess by, String key, byte[] bytes) {
    observers.forEach(observer -> observer.written(by, key, bytes));
  }

  void deleted(SimulatedProcess by, String key) {
    observers.forEach(observer -> observer.deleted(by, key));
  }

  void took(String who, String what) {
    calls++;
    scheduler.trace().line(scheduler.now(), who, what);
  }

  /** How long one call takes, in all. */
  Duration latency(boolean put) {
    Latency latency = put ? LatencyStore.S3_PUT : LatencyStore.S3_GET;
    return latency.at(scheduler.choices().nextDouble());
  }

  /** The store's own clock, right. */
  private record StoreClock(Scheduler scheduler) implements Time {
    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

    @Override
    public long nanos() {
      return scheduler.now();
    }

    @Override
    public Instant now() {
      return START.plusNanos(scheduler.now());
    }

    @Override
    public void sleep(Duration duration) {
      throw new UnsupportedOperationException("a store doesn't sleep");
    }

    @Override
    public boolean await(Lock lock, Condition condition, Duration timeout) {
      throw new UnsupportedOperationException("a store doesn't wait");
    }
  }
}
