package io.wings.broker.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.wings.broker.core.Command;
import io.wings.broker.core.Reply;
import io.wings.common.queue.Lease;
import io.wings.common.queue.StoredTask;
import io.wings.common.queue.TaskSpec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Brokers that are killed, frozen and cut off, over a store that loses, delays and refuses; clients
 * that do real book-keeping. {@code -Dwings.seeds=FIRST-LAST} runs others.
 *
 * <p>Checked throughout, by {@link Witness}: no reply from memory, no lease granted before it
 * landed, epochs that only grow, one holder each. Checked here: whatever was scheduled is done in
 * the end, and no two workers hold one group at once within one epoch.
 */
class BrokerSimulationTest {
  private static final int KEYS = 6;
  private static final Set<String> KINDS = Set.of("materialize", "sweep", "compact");

  static List<Long> seeds() {
    String[] range = System.getProperty("wings.seeds", "1-10").split("-", 2);
    List<Long> seeds = new ArrayList<>();
    for (long seed = Long.parseLong(range[0]); seed <= Long.parseLong(range[1]); seed++) {
      seeds.add(seed);
    }
    return seeds;
  }

  /** Work as the log would hold it: what has arrived, and up to where it has been done. */
  private static final class Book {
    final Map<String, Integer> arrived = new HashMap<>();
    final Map<String, Integer> announced = new HashMap<>();
    final Map<String, Integer> done = new HashMap<>();
    boolean producing = true;
    boolean failing = true;
    int runs;
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void whateverIsScheduledIsDone(long seed) {
    Simulation.onVirtualThread(() -> simulate(seed));
  }

  private static void simulate(long seed) {
    try (SimulatedCluster cluster = new SimulatedCluster(seed)) {
      Random random = cluster.simulation.random();
      Book book = new Book();
      cluster.weather = Weather.ROUGH;
      cluster.start("a");
      cluster.start("b");
      for (int i = 0; i < 2; i++) {
        cluster.simulation.spawn("producer" + i, self -> produce(cluster, book, self));
        cluster.simulation.spawn("worker" + i, self -> work(cluster, book, self));
      }
      for (int i = 0; i < 15; i++) {
        cluster.simulation.run(Duration.ofSeconds(5 + random.nextInt(15)));
        String victim = random.nextBoolean() ? "a" : "b";
        switch (random.nextInt(4)) {
          case 0 -> {
            cluster.kill(victim);
            cluster.start(victim);
          }
          case 1 -> cluster.freeze(victim, Duration.ofSeconds(1 + random.nextInt(60)));
          default -> {
            // The weather is enough.
          }
        }
      }
      book.producing = false;
      book.failing = false;
      cluster.weather = Weather.FAIR;
      cluster.simulation.run(Duration.ofMinutes(12));
      assertTrue(book.runs > KEYS, "runs " + book.runs);
      book.announced.forEach(
          (key, announced) ->
              assertTrue(
                  book.done.getOrDefault(key, 0) >= announced,
                  key + ": announced " + announced + ", done " + book.done.get(key)));
      List<StoredTask> left = cluster.file().tasks();
      for (StoredTask task : left) {
        assertTrue(
            task.key().equals("sweep") || task.standing() instanceof StoredTask.Parked,
            "left behind: " + task);
      }
    }
  }

  private static void produce(SimulatedCluster cluster, Book book, Simulation.Actor self) {
    Random random = cluster.simulation.random();
    while (book.producing) {
      String key = "materialize/" + random.nextInt(KEYS);
      int now = book.arrived.merge(key, 1, Integer::sum);
      TaskSpec task =
          new TaskSpec("materialize", key, key, Map.of(), Duration.ofMillis(random.nextInt(5_000)));
      Optional<Reply> reply =
          cluster.call(self, new Command.Schedule(List.of(task)), Duration.ZERO);
      if (reply.isPresent()) {
        assertEquals(new Reply.Scheduled(), reply.get());
        book.announced.merge(key, now, Math::max);
      }
      self.pause(Duration.ofMillis(random.nextInt(3_000)));
    }
  }

  private static void work(SimulatedCluster cluster, Book book, Simulation.Actor self) {
    Random random = cluster.simulation.random();
    while (true) {
      Optional<Reply> reply =
          cluster.call(
              self,
              new Command.Request("w", KINDS, 1 + random.nextInt(3)),
              Duration.ofSeconds(random.nextInt(8)));
      if (reply.isPresent() && reply.get() instanceof Reply.Granted(List<Lease> leases)) {
        for (Lease lease : leases) {
          run(cluster, book, self, lease);
        }
      }
      self.pause(Duration.ofMillis(random.nextInt(500)));
    }
  }

  private static void run(SimulatedCluster cluster, Book book, Simulation.Actor self, Lease lease) {
    Random random = cluster.simulation.random();
    String key = lease.task().key();
    book.runs++;
    int seen = book.arrived.getOrDefault(key, 0);
    self.pause(Duration.ofMillis(random.nextInt(3_000)));
    if (book.failing && random.nextInt(12) == 0) {
      return; // The worker died.
    }
    if (book.failing && random.nextInt(6) == 0) {
      Optional<Reply> _ =
          cluster.call(self, new Command.Fail(lease.id(), "simulated", null), Duration.ZERO);
      return;
    }
    if (random.nextInt(4) == 0) {
      Optional<Reply> beat =
          cluster.call(self, new Command.Heartbeat(List.of(lease.id())), Duration.ZERO);
      if (beat.isPresent()
          && beat.get() instanceof Reply.Alive(Set<String> alive)
          && alive.isEmpty()) {
        return; // Someone else may be doing it.
      }
    }
    book.done.merge(key, seen, Math::max);
    for (int i = 0; i < 5; i++) {
      if (cluster.call(self, new Command.Acknowledge(lease.id()), Duration.ZERO).isPresent()) {
        return;
      }
      self.pause(Duration.ofSeconds(1));
    }
  }
}
