package io.wings.broker.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.wings.common.cas.Fence;
import io.wings.common.queue.Lease;
import io.wings.common.queue.QueueCodec;
import io.wings.common.queue.QueueFile;
import io.wings.common.queue.StoredTask;
import io.wings.common.queue.Task;
import io.wings.common.queue.TaskSpec;
import io.wings.common.queue.TaskState;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Random commands against a model that knows only what must hold: what has been scheduled and not
 * yet been done by a lease granted since is there; a key and a group have at most one lease; what
 * doesn't fail is done in the end.
 */
class QueueModelTest {
  private static final int COMMANDS = 4_000;
  private static final Set<String> KINDS = Set.of("materialize", "compact", "sweep");

  private final QueueCodec codec = new QueueCodec();
  private final CountedIds ids = new CountedIds();
  private Random random = new Random();
  private QueueMachine machine = QueueMachine.empty(QueueRules.DEFAULT, ids, at(Duration.ZERO));
  private Duration now = Duration.ZERO;

  /** Keys that somebody waits for. */
  private final Set<String> needed = new TreeSet<>();

  /** Leases that the model believes in, with what was needed when they were granted. */
  private final Map<String, Lease> leases = new TreeMap<>();

  private final Set<String> scheduledSinceGrant = new HashSet<>();
  private int acknowledged;

  private static Moment at(Duration now) {
    return new Moment(now.toNanos(), Instant.EPOCH.plus(now));
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
  void whatMustHoldHoldsAfterEveryCommand(long seed) {
    random = new Random(seed);
    needed.add("sweep");
    for (int i = 0; i < COMMANDS; i++) {
      step();
      check();
    }
    drain();
    assertTrue(acknowledged > COMMANDS / 20, "acknowledged " + acknowledged);
  }

  private void step() {
    switch (random.nextInt(12)) {
      case 0, 1, 2 -> schedule();
      case 3, 4 -> request();
      case 5 -> acknowledge();
      case 6 -> fail();
      case 7 -> heartbeat();
      case 8 -> now = now.plus(Duration.ofMillis(random.nextInt(10_000)));
      case 9 -> now = now.plus(Duration.ofNanos(random.nextInt(1_000)));
      case 10 -> {
        machine.expire(at(now));
        leases.keySet().retainAll(held());
      }
      default -> rarely();
    }
  }

  private void rarely() {
    switch (random.nextInt(6)) {
      case 0 -> takeover();
      case 1 -> machine.apply(new Command.Retry(key()), at(now));
      case 2 -> now = now.plus(Duration.ofSeconds(random.nextInt(400)));
      case 3 -> {
        if (!leases.isEmpty()) {
          String id = leases.keySet().iterator().next();
          assertTrue(machine.apply(new Command.Release(List.of(id)), at(now)).changed());
          leases.remove(id);
        }
      }
      default -> schedule();
    }
  }

  private String key() {
    int number = random.nextInt(8);
    return (number < 5 ? "materialize/" : "compact/") + number;
  }

  private void schedule() {
    List<TaskSpec> specs = new ArrayList<>();
    for (int i = 0; i <= random.nextInt(3); i++) {
      String key = key();
      String kind = key.substring(0, key.indexOf('/'));
      String group = kind.equals("materialize") ? key : "all-compactions";
      Duration delay = Duration.ofMillis(random.nextInt(8_000));
      specs.add(new TaskSpec(kind, key, group, Map.of("n", "" + random.nextInt(3)), delay));
      needed.add(key);
      scheduledSinceGrant.add(key);
    }
    assertEquals(
        new Reply.Scheduled(), machine.apply(new Command.Schedule(specs), at(now)).reply());
  }

  private void request() {
    Outcome outcome =
        machine.apply(new Command.Request("w", KINDS, 1 + random.nextInt(4)), at(now));
    for (Lease lease : ((Reply.Granted) outcome.reply()).leases()) {
      leases.put(lease.id(), lease);
      scheduledSinceGrant.remove(lease.task().key());
    }
  }

  private void acknowledge() {
    for (Lease lease : List.copyOf(leases.values())) {
      if (random.nextInt(3) == 0) {
        Outcome outcome = machine.apply(new Command.Acknowledge(lease.id()), at(now));
        assertEquals(new Reply.Settled(true), outcome.reply());
        leases.remove(lease.id());
        acknowledged++;
        String key = lease.task().key();
        if (!scheduledSinceGrant.contains(key) && !key.equals("sweep")) {
          needed.remove(key);
        }
      }
    }
  }

  private void fail() {
    for (Lease lease : List.copyOf(leases.values())) {
      if (random.nextInt(3) == 0) {
        Duration after = Duration.ofMillis(random.nextInt(5_000));
        machine.apply(new Command.Fail(lease.id(), "simulated", after), at(now));
        leases.remove(lease.id());
      }
    }
  }

  private void heartbeat() {
    List<String> some = leases.keySet().stream().filter(_ -> random.nextBoolean()).toList();
    Outcome outcome = machine.apply(new Command.Heartbeat(some), at(now));
    assertEquals(new Reply.Alive(Set.copyOf(some)), outcome.reply());
  }

  private void takeover() {
    QueueFile file = new QueueFile("b:1", at(now).wall().toString(), machine.stored(at(now)));
    Fence fence = new Fence(2, "p", new TreeMap<>(Map.of(1L, "o")));
    QueueFile read = codec.decode(codec.encode(fence, file).toBytes()).value();
    assertEquals(file.tasks().size(), read.tasks().size());
    now = Duration.ofDays(random.nextInt(10_000));
    machine = QueueMachine.restore(QueueRules.DEFAULT, ids, read.tasks(), at(now));
  }

  private Set<String> held() {
    Set<String> held = new HashSet<>();
    for (StoredTask task : machine.stored(at(now))) {
      if (task.standing() instanceof StoredTask.Leased lease) {
        held.add(lease.id());
      }
    }
    return held;
  }

  private void check() {
    Set<String> keys = new TreeSet<>();
    Set<String> leasedGroups = new HashSet<>();
    Set<String> leaseIds = new HashSet<>();
    for (StoredTask task : machine.stored(at(now))) {
      assertTrue(keys.add(task.key()), "twice: " + task.key());
      assertTrue(task.failures() >= 0 && task.expiries() < 5, task.toString());
      switch (task.standing()) {
        case StoredTask.Waiting(Duration runsIn) ->
            assertFalse(runsIn.compareTo(Duration.ofMinutes(5)) > 0, task.toString());
        case StoredTask.Leased lease -> {
          leaseIds.add(lease.id());
          if (task.group() != null) {
            assertTrue(leasedGroups.add(task.group()), "two leases in " + task.group());
          }
        }
        case StoredTask.Parked _ -> assertEquals("compact", task.kind());
      }
    }
    assertTrue(keys.containsAll(needed), () -> "lost of " + needed + ": " + keys);
    assertTrue(leaseIds.containsAll(leases.keySet()), "a lease ended unasked");
    assertEquals(leaseIds.size(), machine.counts(at(now)).leases());
  }

  /** From here on nothing fails: all that isn't parked is done within the longest back-off. */
  private void drain() {
    for (int i = 0; i < 40; i++) {
      now = now.plus(Duration.ofSeconds(31));
      machine.expire(at(now));
      leases.keySet().retainAll(held());
      request();
      for (Lease lease : List.copyOf(leases.values())) {
        machine.apply(new Command.Acknowledge(lease.id()), at(now));
        leases.remove(lease.id());
      }
    }
    Outcome outcome = machine.apply(new Command.ListTasks(), at(now));
    for (Task task : ((Reply.Listed) outcome.reply()).tasks()) {
      assertTrue(task.key().equals("sweep") || task.state() == TaskState.PARKED, "left: " + task);
    }
  }
}
