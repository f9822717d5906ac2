package io.wings.broker.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.wings.common.config.ByteSize;
import io.wings.common.queue.Lease;
import io.wings.common.queue.StoredTask;
import io.wings.common.queue.Task;
import io.wings.common.queue.TaskSpec;
import io.wings.common.queue.TaskState;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A machine at a clock that the test moves, and commands as one-liners. */
abstract class QueueMachineFixture {
  static final Duration SECOND = Duration.ofSeconds(1);
  static final Duration LEASE = QueueRules.DEFAULT.lease();
  static final Duration LONGEST = QueueRules.DEFAULT.longestBackoff();
  static final Set<String> KINDS = Set.of("materialize", "compact");

  final QueueRules rules = rules(QueueRules.DEFAULT.maxSize(), List.of());
  QueueMachine machine = QueueMachine.empty(rules, new CountedIds(), at(Duration.ZERO));
  Duration now = Duration.ZERO;

  static QueueRules rules(ByteSize limit, List<QueueRules.Recurring> recurring) {
    QueueRules base = QueueRules.DEFAULT;
    return new QueueRules(
        base.lease(),
        base.firstBackoff(),
        base.longestBackoff(),
        base.expiriesPerFailure(),
        base.failuresUntilParked(),
        base.neverParked(),
        limit,
        recurring);
  }

  static Moment at(Duration now) {
    return new Moment(now.toNanos(), Instant.EPOCH.plus(now));
  }

  void pass(Duration duration) {
    now = now.plus(duration);
  }

  Outcome apply(Command command) {
    return machine.apply(command, at(now));
  }

  static TaskSpec spec(String kind, String key, @Nullable String group, Duration delay) {
    return new TaskSpec(kind, key, group, Map.of(), delay);
  }

  static TaskSpec compact(String key) {
    return spec("compact", key, null, Duration.ZERO);
  }

  static TaskSpec materialize(String key) {
    return spec("materialize", key, key, Duration.ZERO);
  }

  boolean schedule(TaskSpec... tasks) {
    Outcome outcome = apply(new Command.Schedule(List.of(tasks)));
    assertEquals(new Reply.Scheduled(), outcome.reply());
    return outcome.changed();
  }

  List<Lease> request(int max) {
    Outcome outcome = apply(new Command.Request("w", KINDS, max));
    List<Lease> leases = ((Reply.Granted) outcome.reply()).leases();
    assertEquals(!leases.isEmpty(), outcome.changed());
    return leases;
  }

  Lease lease(String key) {
    Lease lease = request(1).getFirst();
    assertEquals(key, lease.task().key());
    return lease;
  }

  List<String> requestKeys(int max) {
    return request(max).stream().map(lease -> lease.task().key()).toList();
  }

  boolean acknowledge(Lease lease) {
    return ((Reply.Settled) apply(new Command.Acknowledge(lease.id())).reply()).held();
  }

  boolean fail(Lease lease, String error, @Nullable Duration retryAfter) {
    return ((Reply.Settled) apply(new Command.Fail(lease.id(), error, retryAfter)).reply()).held();
  }

  Set<String> heartbeat(Lease lease) {
    Outcome outcome = apply(new Command.Heartbeat(List.of(lease.id())));
    assertFalse(outcome.changed());
    return ((Reply.Alive) outcome.reply()).leaseIds();
  }

  List<Task> list() {
    return ((Reply.Listed) apply(new Command.ListTasks()).reply()).tasks();
  }

  Task task(String key) {
    return list().stream().filter(task -> task.key().equals(key)).findFirst().orElseThrow();
  }

  boolean expire() {
    return machine.expire(at(now));
  }

  /** As another broker would find it. */
  void takeover() {
    List<StoredTask> stored = machine.stored(at(now));
    now = Duration.ofHours(1000);
    machine = QueueMachine.restore(rules, new CountedIds(), stored, at(now));
  }

  void park(String key) {
    schedule(compact(key));
    for (int i = 0; i < rules.failuresUntilParked(); i++) {
      pass(LONGEST);
      fail(lease(key), "broken " + i, null);
    }
    assertEquals(TaskState.PARKED, task(key).state());
  }
}
