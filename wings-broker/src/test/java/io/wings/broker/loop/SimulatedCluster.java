package io.wings.broker.loop;

import io.wings.broker.core.Command;
import io.wings.broker.core.QueueRules;
import io.wings.broker.core.Reply;
import io.wings.common.cluster.Keys;
import io.wings.common.id.Ids;
import io.wings.common.objectstore.StoredObject;
import io.wings.common.objectstore.memory.MemoryStore;
import io.wings.common.queue.QueueCodec;
import io.wings.common.queue.QueueFile;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Brokers over one store in a {@link Simulation}, and the way that clients reach them. */
final class SimulatedCluster implements AutoCloseable {
  /** How long a client waits for an answer before it looks again. */
  private static final Duration CLIENT_TIMEOUT = Duration.ofSeconds(10);

  final Simulation simulation;
  final MemoryStore store;
  final Witness witness = new Witness();
  private final Map<String, Simulation.Actor> processes = new HashMap<>();
  private final Map<String, Broker> brokers = new HashMap<>();
  private final Map<String, Object> identities = new HashMap<>();
  private final Map<String, List<String>> routes = new HashMap<>();
  private final Map<String, Counts> counts = new HashMap<>();
  Weather weather = Weather.FAIR;

  SimulatedCluster(long seed) {
    this.simulation = new Simulation(seed);
    this.store = new MemoryStore();
  }

  /** What a broker's life has seen. */
  static final class Counts implements BrokerEvents {
    int takeovers;
    int depositions;
    int writes;
    boolean active;

    @Override
    public void status(BrokerStatus status) {
      active = status.isActive();
    }

    @Override
    public void tookOver() {
      takeovers++;
    }

    @Override
    public void deposed() {
      depositions++;
    }

    @Override
    public void wrote(Duration took, int calls) {
      writes++;
    }

    @Override
    public void confirmed(Duration took, int calls) {}

    @Override
    public void storeFailed() {}

    @Override
    public void blind(String reason) {}

    @Override
    public void watching() {}
  }

  Counts counts(String name) {
    Counts found = counts.get(name);
    if (found == null) {
      throw new IllegalArgumentException(name);
    }
    return found;
  }

  Broker broker(String name) {
    Broker found = brokers.get(name);
    if (found == null) {
      throw new IllegalArgumentException(name);
    }
    return found;
  }

  /** Starts a broker whose address is its name. */
  void start(String name) {
    start(name, name);
  }

  /** What dials {@code host} reaches any of {@code names} from now on. */
  void route(String host, String... names) {
    routes.put(host, List.of(names));
  }

  /** Starts a broker that advertises {@code host}, which leads to it from now on. */
  void start(String name, String host) {
    route(host, name);
    Counts events = new Counts();
    counts.put(name, events);
    Object who = new Object();
    processes.put(
        name,
        simulation.spawn(
            name,
            self -> {
              Broker broker =
                  new Broker(
                      new SimulatedStore(simulation, self, store, () -> weather, witness, who),
                      QueueRules.DEFAULT,
                      BrokerTiming.DEFAULT,
                      events,
                      self,
                      ids());
              brokers.put(name, broker);
              identities.put(name, who);
              broker.run(host + ":1");
            }));
  }

  Ids ids() {
    return new Ids() {
      @Override
      public UUID uuid() {
        return new UUID(simulation.random().nextLong(), simulation.random().nextLong());
      }

      @Override
      public double fraction() {
        return simulation.random().nextDouble();
      }
    };
  }

  void kill(String name) {
    Simulation.Actor process = processes.remove(name);
    if (process != null) {
      process.kill();
    }
    brokers.remove(name);
  }

  void freeze(String name, Duration duration) {
    Simulation.Actor process = processes.get(name);
    if (process != null) {
      process.freeze(duration);
    }
  }

  /** Something has arrived for the broker. */
  void signal(String name) {
    Simulation.Actor process = processes.get(name);
    if (process != null) {
      process.signal();
    }
  }

  private static final class Box {
    @Nullable Answer answer;
  }

  /** One try of a client: what the broker answered, or empty where that isn't known. */
  Optional<Reply> call(Simulation.Actor self, Command command, Duration hold) {
    Optional<StoredObject> object = store.get(Keys.QUEUE);
    if (object.isEmpty()) {
      return Optional.empty();
    }
    QueueFile.Broker found = QueueCodec.decodeBroker(object.get().bytes());
    self.pause(Duration.ofMillis(simulation.random().nextLong(20) + 1));
    String host = found.address().substring(0, found.address().indexOf(':'));
    List<String> names = routes.getOrDefault(host, List.of());
    if (names.isEmpty()) {
      return Optional.empty();
    }
    String name = names.get(simulation.random().nextInt(names.size()));
    Broker broker = brokers.get(name);
    if (broker == null) {
      return Optional.empty();
    }
    return call(self, name, broker, found.epoch(), command, hold);
  }

  Optional<Reply> call(
      Simulation.Actor self,
      String name,
      Broker broker,
      long epoch,
      Command command,
      Duration hold) {
    Object who = identities.get(name);
    long submitted = simulation.now();
    Box box = new Box();
    Call call =
        broker.submit(
            epoch,
            command,
            hold,
            answer -> {
              box.answer = answer;
              self.signal();
              if (answer instanceof Answer.Done(Reply reply) && who != null) {
                witness.answered(who, epoch, submitted, reply);
              }
            });
    signal(name);
    if (box.answer == null) {
      self.pauseUnlessSignalled(CLIENT_TIMEOUT.plus(hold));
    }
    if (box.answer instanceof Answer.Done(Reply reply)) {
      return Optional.of(reply);
    }
    call.cancel();
    return Optional.empty();
  }

  /** What the object holds now. */
  QueueFile file() {
    return new QueueCodec().decode(store.get(Keys.QUEUE).orElseThrow().bytes()).value();
  }

  @Override
  public void close() {
    simulation.close();
  }
}
