package io.wings.broker.loop;

import io.wings.common.objectstore.Body;
import io.wings.common.objectstore.ObjectHead;
import io.wings.common.objectstore.ObjectStore;
import io.wings.common.objectstore.PutCondition;
import io.wings.common.objectstore.PutOutcome;
import io.wings.common.objectstore.StoreException;
import io.wings.common.objectstore.StoredObject;
import java.time.Duration;
import java.util.Iterator;
import java.util.Optional;
import java.util.Random;
import java.util.function.Supplier;

/** One process's way to the store that all share: slow, lossy, and judged by a {@link Witness}. */
final class SimulatedStore implements ObjectStore {
  private final Simulation simulation;
  private final Simulation.Actor process;
  private final ObjectStore shared;
  private final Supplier<Weather> weather;
  private final Witness witness;
  private final Object who;

  /**
   * @param who for the witness
   */
  SimulatedStore(
      Simulation simulation,
      Simulation.Actor process,
      ObjectStore shared,
      Supplier<Weather> weather,
      Witness witness,
      Object who) {
    this.simulation = simulation;
    this.process = process;
    this.shared = shared;
    this.weather = weather;
    this.witness = witness;
    this.who = who;
  }

  private void delay() {
    Random random = simulation.random();
    Weather now = weather.get();
    Duration most = random.nextDouble() < now.spikes() ? now.spike() : now.latency();
    process.pause(Duration.ofNanos(random.nextLong(most.toNanos() / 2) + 1));
  }

  private boolean happens(double chance) {
    return simulation.random().nextDouble() < chance;
  }

  @Override
  public Optional<StoredObject> get(String key) {
    long begun = simulation.now();
    delay();
    if (happens(weather.get().lost())) {
      throw new StoreException("simulated: read failed", true, null);
    }
    Optional<StoredObject> found = shared.get(key);
    witness.read(who, begun, found);
    delay();
    return found;
  }

  @Override
  public PutOutcome put(String key, Body body, PutCondition condition) {
    long begun = simulation.now();
    delay();
    Weather now = weather.get();
    if (happens(now.refused())) {
      throw new StoreException("simulated: no space left", true, null);
    }
    if (happens(now.lost())) {
      delay();
      return new PutOutcome.Unknown("simulated: never arrived");
    }
    if (happens(now.late())) {
      long later = simulation.random().nextLong(now.spike().toNanos());
      simulation.after(
          Duration.ofNanos(later),
          () -> {
            PutOutcome _ = land(key, body, condition, begun);
          });
      delay();
      return new PutOutcome.Unknown("simulated: late");
    }
    PutOutcome outcome = land(key, body, condition, begun);
    delay();
    return happens(now.lostReply()) ? new PutOutcome.Unknown("simulated: reply lost") : outcome;
  }

  private PutOutcome land(String key, Body body, PutCondition condition, long begun) {
    PutOutcome outcome = shared.put(key, body, condition);
    if (outcome instanceof PutOutcome.Written) {
      witness.wrote(who, begun, body.toBytes());
    }
    return outcome;
  }

  @Override
  public Optional<StoredObject> getRange(String key, long offset, int length) {
    throw new UnsupportedOperationException("a broker only reads and writes its one object");
  }

  @Override
  public Optional<ObjectHead> head(String key) {
    throw new UnsupportedOperationException("a broker only reads and writes its one object");
  }

  @Override
  public Iterator<ObjectHead> list(String prefix, String startAfter) {
    throw new UnsupportedOperationException("a broker only reads and writes its one object");
  }

  @Override
  public void delete(String key) {
    throw new UnsupportedOperationException("a broker only reads and writes its one object");
  }

  @Override
  public String address() {
    return shared.address();
  }

  @Override
  public void close() {}
}
