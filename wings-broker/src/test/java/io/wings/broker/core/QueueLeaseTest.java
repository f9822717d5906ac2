package io.wings.broker.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.wings.common.config.ByteSize;
import io.wings.common.queue.Lease;
import io.wings.common.queue.QueueCodec;
import io.wings.common.queue.StoredTask;
import io.wings.common.queue.Task;
import io.wings.common.queue.TaskSpec;
import io.wings.common.queue.TaskState;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Leases over time and over takeovers, sizes, and what recurs. */
class QueueLeaseTest extends QueueMachineFixture {
  @Test
  void aHeartbeatExtendsALease() {
    schedule(compact("a"));
    Lease lease = lease("a");
    for (int i = 0; i < 10; i++) {
      pass(LEASE.minusNanos(1));
      assertFalse(expire());
      assertEquals(Set.of(lease.id()), heartbeat(lease));
    }
    pass(LEASE);
    assertTrue(expire());
    assertEquals(Set.of(), heartbeat(lease));
    assertFalse(acknowledge(lease));
  }

  @Test
  void aHeartbeatThatIsAlreadyThereCountsBeforeTheExpiry() {
    schedule(compact("a"));
    Lease lease = lease("a");
    pass(LEASE.multipliedBy(3));
    assertEquals(Set.of(lease.id()), heartbeat(lease));
    assertFalse(expire());
  }

  /** Trap 12: a worker's death counts as the task's failure, or never does. */
  @Test
  void anExpiryIsNoFailureButFiveInARowAre() {
    schedule(compact("a"));
    for (int i = 1; i < 5; i++) {
      lease("a");
      pass(LEASE);
      assertTrue(expire());
      assertEquals(i, task("a").expiries());
      assertEquals(0, task("a").failures());
      assertEquals(Duration.ZERO, task("a").runsIn());
    }
    lease("a");
    pass(LEASE);
    assertTrue(expire());
    assertEquals(0, task("a").expiries());
    assertEquals(1, task("a").failures());
    assertEquals(SECOND, task("a").runsIn());
    assertTrue(String.valueOf(task("a").lastError()).contains("5 leases in a row"));
  }

  /** Trap 12: death that goes on parks the task in the end. */
  @Test
  void aTaskThatKillsEveryWorkerParks() {
    schedule(compact("killer"));
    for (int i = 0; i < 40; i++) {
      pass(LONGEST);
      lease("killer");
      pass(LEASE);
      expire();
    }
    assertEquals(TaskState.PARKED, task("killer").state());
  }

  @Test
  void anAnswerOfTheWorkerEndsTheRowOfExpiries() {
    schedule(compact("a"));
    for (int i = 0; i < 4; i++) {
      lease("a");
      pass(LEASE);
      expire();
    }
    fail(lease("a"), "disk", null);
    assertEquals(0, task("a").expiries());
    pass(SECOND);
    lease("a");
    pass(LEASE);
    expire();
    assertEquals(1, task("a").expiries());
    assertEquals(1, task("a").failures());
  }

  /** Trap 13: one task that fails doesn't stop the others. */
  @Test
  void aTaskThatAlwaysFailsDoesNotStopOthers() {
    schedule(materialize("poisoned"));
    int done = 0;
    for (int i = 0; i < 50; i++) {
      schedule(materialize("healthy"));
      for (Lease lease : request(1)) {
        if (lease.task().key().equals("poisoned")) {
          fail(lease, "unreadable segment", null);
        } else {
          acknowledge(lease);
          done++;
        }
      }
      pass(SECOND);
    }
    assertTrue(done >= 40, "done " + done);
  }

  /** Trap 16: a lease compared across two clocks. */
  @Test
  void aTakenOverLeaseRunsOnTheNewBrokersClock() {
    schedule(compact("a"));
    Lease lease = lease("a");
    List<StoredTask> stored = machine.stored(at(now));
    for (Duration origin : List.of(Duration.ofDays(-9000), Duration.ZERO, Duration.ofDays(9000))) {
      now = origin;
      machine = QueueMachine.restore(rules, new CountedIds(), stored, at(now));
      pass(LEASE.minusNanos(1));
      assertFalse(expire());
      assertEquals(Set.of(lease.id()), heartbeat(lease));
    }
  }

  /** Trap 16, for run-at. */
  @Test
  void aTakenOverTaskNeverLiesFurtherAwayThanTheLongestBackoff() {
    StoredTask far =
        new StoredTask(
            "compact",
            "a",
            null,
            Map.of(),
            new StoredTask.Waiting(Duration.ofDays(3000)),
            0,
            0,
            null,
            "2099-01-01T00:00:00Z");
    machine = QueueMachine.restore(rules, new CountedIds(), List.of(far), at(now));
    assertEquals(LONGEST, task("a").runsIn());
  }

  @Test
  void aTakeoverExtendsALeaseAtMostOnceWithoutAHeartbeat() {
    schedule(compact("a"));
    Lease lease = lease("a");
    pass(LEASE.minusNanos(1));
    takeover();
    assertFalse(expire());
    takeover();
    assertTrue(expire());
    assertFalse(acknowledge(lease));
    assertEquals(1, task("a").expiries());
  }

  @Test
  void aHeartbeatEarnsALeaseTheNextExtension() {
    schedule(compact("a"));
    Lease lease = lease("a");
    for (int i = 0; i < 5; i++) {
      takeover();
      assertFalse(expire());
      assertEquals(Set.of(lease.id()), heartbeat(lease));
    }
    assertTrue(acknowledge(lease));
  }

  /** Trap 30: a task kind that this version doesn't know is dropped. */
  @Test
  void aTaskOfAnUnknownKindIsKept() {
    schedule(spec("from-the-future", "x", null, Duration.ZERO), compact("a"));
    assertEquals(List.of("a"), requestKeys(9));
    takeover();
    assertEquals(List.of("a", "x"), list().stream().map(Task::key).toList());
    pass(Duration.ofDays(30));
    expire();
    assertEquals("from-the-future", task("x").kind());
    List<Lease> leases =
        ((Reply.Granted) apply(new Command.Request("new", Set.of("from-the-future"), 1)).reply())
            .leases();
    assertEquals("x", leases.getFirst().task().key());
  }

  @Test
  void overItsSizeTheQueueRefusesAllOfASchedule() {
    machine =
        QueueMachine.empty(rules(ByteSize.ofKibibytes(8), List.of()), new CountedIds(), at(now));
    int taken = 0;
    while (apply(new Command.Schedule(List.of(compact("t" + taken)))).reply()
        instanceof Reply.Scheduled) {
      taken++;
    }
    assertTrue(taken > 3 && taken < 20, "taken " + taken);
    Outcome refused =
        apply(new Command.Schedule(List.of(compact("t0"), compact("new1"), compact("new2"))));
    assertInstanceOf(Reply.Full.class, refused.reply());
    assertFalse(refused.changed());
    assertEquals(taken, list().size());
  }

  @Test
  void aFullQueueStillTakesWhatItAlreadyHolds() {
    machine = QueueMachine.empty(rules(new ByteSize(1500), List.of()), new CountedIds(), at(now));
    schedule(compact("a"));
    assertInstanceOf(Reply.Full.class, apply(new Command.Schedule(List.of(compact("b")))).reply());
    Lease lease = lease("a");
    assertTrue(schedule(compact("a")));
    assertTrue(fail(lease, "e".repeat(1000), null));
    assertFalse(schedule(compact("a")));
  }

  @Test
  void theStatedSizeIsAnUpperBoundOfTheFile() {
    for (int i = 0; i < 50; i++) {
      schedule(
          new TaskSpec(
              "compact",
              "key \"quoted\" " + i,
              "gröup" + i,
              Map.of("name", "\u0001\n" + i),
              SECOND));
    }
    pass(SECOND);
    request(20).forEach(lease -> schedule(compact(lease.task().key())));
    request(10).forEach(lease -> fail(lease, "\u0002".repeat(99), null));
    long stated = machine.counts(at(now)).bytes();
    long actual = machine.stored(at(now)).stream().mapToLong(QueueCodec::encodedSize).sum();
    assertTrue(actual <= stated, actual + " > " + stated);
    assertTrue(stated < 2 * actual + 50 * 600, stated + " for " + actual);
  }

  @Test
  void theSweepComesBackAMinuteAfterEachSuccess() {
    machine = QueueMachine.empty(QueueRules.DEFAULT, new CountedIds(), at(now));
    for (int i = 0; i < 3; i++) {
      Outcome outcome = apply(new Command.Request("w", Set.of("sweep"), 1));
      Lease lease = ((Reply.Granted) outcome.reply()).leases().getFirst();
      assertTrue(acknowledge(lease));
      assertEquals(Duration.ofSeconds(60), task("sweep").runsIn());
      pass(Duration.ofSeconds(60));
    }
  }

  @Test
  void theSweepNeverParksAndIsThereAfterEveryTakeover() {
    machine = QueueMachine.restore(QueueRules.DEFAULT, new CountedIds(), List.of(), at(now));
    for (int i = 0; i < 30; i++) {
      Outcome outcome = apply(new Command.Request("w", Set.of("sweep"), 1));
      fail(((Reply.Granted) outcome.reply()).leases().getFirst(), "store", null);
      assertEquals(TaskState.WAITING, task("sweep").state());
      pass(LONGEST);
    }
    assertEquals(1, list().size());
  }

  @Test
  void aSweepThatSomeoneWantsSoonerComesSooner() {
    machine = QueueMachine.empty(QueueRules.DEFAULT, new CountedIds(), at(now));
    Outcome outcome = apply(new Command.Request("w", Set.of("sweep"), 1));
    Lease lease = ((Reply.Granted) outcome.reply()).leases().getFirst();
    schedule(spec("sweep", "sweep", "sweep", SECOND));
    acknowledge(lease);
    assertEquals(SECOND, task("sweep").runsIn());
  }

  @Test
  void aReleasedLeaseIsAsIfNobodyHadAsked() {
    schedule(compact("a"));
    Lease lease = lease("a");
    assertTrue(apply(new Command.Release(List.of(lease.id(), "none"))).changed());
    assertEquals(0, task("a").expiries());
    lease("a");
    assertFalse(apply(new Command.Release(List.of(lease.id()))).changed());
  }

  @Test
  void theFileGivesBackTheSameQueue() {
    schedule(compact("parked"));
    schedule(
        new TaskSpec("compact", "waiting", "g", Map.of("a", "b"), SECOND), materialize("leased"));
    lease("leased");
    schedule(materialize("leased"));
    List<StoredTask> before = machine.stored(at(now));
    takeover();
    List<StoredTask> after = machine.stored(at(now));
    assertEquals(before.size(), after.size());
    for (int i = 0; i < before.size(); i++) {
      StoredTask one = before.get(i);
      if (one.standing() instanceof StoredTask.Leased lease) {
        StoredTask.Leased taken = (StoredTask.Leased) after.get(i).standing();
        assertEquals(lease.id(), taken.id());
        assertFalse(lease.takenOver());
        assertTrue(taken.takenOver());
      } else {
        assertEquals(one, after.get(i));
      }
    }
  }

  @Test
  void theNextRunIsTheNextOneThatCannotRunYet() {
    assertTrue(machine.nextRun(at(now)).isEmpty());
    schedule(compact("now"), spec("compact", "later", null, SECOND));
    assertEquals(SECOND, machine.nextRun(at(now)).orElseThrow());
    pass(SECOND);
    assertTrue(machine.nextRun(at(now)).isEmpty());
  }

  @Test
  void theCountsSayWhatWaitsAndForHowLong() {
    schedule(compact("a"), compact("b"), spec("compact", "later", null, LONGEST));
    lease("a");
    pass(SECOND);
    QueueCounts counts = machine.counts(at(now));
    assertEquals(2, counts.tasks().get(new QueueCounts.Key("compact", TaskState.WAITING)));
    assertEquals(1, counts.tasks().get(new QueueCounts.Key("compact", TaskState.LEASED)));
    assertEquals(SECOND, counts.oldestRunnable());
    assertEquals(1, counts.leases());
  }
}
