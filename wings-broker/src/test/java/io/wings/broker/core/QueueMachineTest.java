package io.wings.broker.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.wings.common.config.ByteSize;
import io.wings.common.queue.Lease;
import io.wings.common.queue.QueueCodec;
import io.wings.common.queue.StoredTask;
import io.wings.common.queue.Task;
import io.wings.common.queue.TaskSpec;
import io.wings.common.queue.TaskState;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class QueueMachineTest {
  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final Duration LEASE = QueueRules.DEFAULT.lease();
  private static final Duration LONGEST = QueueRules.DEFAULT.longestBackoff();
  private static final Set<String> KINDS = Set.of("materialize", "compact");

  private final QueueRules rules = rules(ByteSize.ofMebibytes(4), List.of());
  private QueueMachine machine = QueueMachine.empty(rules, new CountedIds(), at(Duration.ZERO));
  private Duration now = Duration.ZERO;

  private static QueueRules rules(ByteSize limit, List<QueueRules.Recurring> recurring) {
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

  private static Moment at(Duration now) {
    return new Moment(now.toNanos(), Instant.EPOCH.plus(now));
  }

  private void pass(Duration duration) {
    now = now.plus(duration);
  }

  private Outcome apply(Command command) {
    return machine.apply(command, at(now));
  }

  private static TaskSpec spec(String kind, String key, @Nullable String group, Duration delay) {
    return new TaskSpec(kind, key, group, Map.of(), delay);
  }

  private static TaskSpec compact(String key) {
    return spec("compact", key, null, Duration.ZERO);
  }

  private static TaskSpec materialize(String key) {
    return spec("materialize", key, key, Duration.ZERO);
  }

  private boolean schedule(TaskSpec... tasks) {
    Outcome outcome = apply(new Command.Schedule(List.of(tasks)));
    assertEquals(new Reply.Scheduled(), outcome.reply());
    return outcome.changed();
  }

  private List<Lease> request(int max) {
    Outcome outcome = apply(new Command.Request("w", KINDS, max));
    List<Lease> leases = ((Reply.Granted) outcome.reply()).leases();
    assertEquals(!leases.isEmpty(), outcome.changed());
    return leases;
  }

  private Lease lease(String key) {
    Lease lease = request(1).getFirst();
    assertEquals(key, lease.task().key());
    return lease;
  }

  private List<String> requestKeys(int max) {
    return request(max).stream().map(lease -> lease.task().key()).toList();
  }

  private boolean acknowledge(Lease lease) {
    return ((Reply.Settled) apply(new Command.Acknowledge(lease.id())).reply()).held();
  }

  private boolean fail(Lease lease, String error, @Nullable Duration retryAfter) {
    return ((Reply.Settled) apply(new Command.Fail(lease.id(), error, retryAfter)).reply()).held();
  }

  private Set<String> heartbeat(Lease lease) {
    Outcome outcome = apply(new Command.Heartbeat(List.of(lease.id())));
    assertFalse(outcome.changed());
    return ((Reply.Alive) outcome.reply()).leaseIds();
  }

  private List<Task> list() {
    return ((Reply.Listed) apply(new Command.ListTasks()).reply()).tasks();
  }

  private Task task(String key) {
    return list().stream().filter(task -> task.key().equals(key)).findFirst().orElseThrow();
  }

  private boolean expire() {
    return machine.expire(at(now));
  }

  /** As another broker would find it. */
  private void takeover() {
    List<StoredTask> stored = machine.stored(at(now));
    now = Duration.ofHours(1000);
    machine = QueueMachine.restore(rules, new CountedIds(), stored, at(now));
  }

  @Test
  void aTaskRunsOnceItsTimeHasCome() {
    schedule(spec("compact", "a", null, SECOND));
    assertEquals(List.of(), requestKeys(9));
    pass(SECOND);
    assertEquals(List.of("a"), requestKeys(9));
    assertEquals(List.of(), requestKeys(9));
  }

  @Test
  void theEarlierRunAtWins() {
    assertTrue(schedule(spec("compact", "a", null, SECOND.multipliedBy(10))));
    assertTrue(schedule(spec("compact", "a", null, SECOND)));
    assertFalse(schedule(spec("compact", "a", null, SECOND.multipliedBy(5))));
    assertEquals(SECOND, task("a").runsIn());
  }

  @Test
  void aDelayIsCutToTheLongestBackoff() {
    schedule(spec("compact", "a", null, Duration.ofDays(3000)));
    assertEquals(LONGEST, task("a").runsIn());
  }

  @Test
  void aKeyIsThereOnce() {
    schedule(compact("a"), compact("a"));
    schedule(compact("a"));
    assertEquals(1, list().size());
    assertEquals(List.of("a"), requestKeys(9));
  }

  @Test
  void theNewerPayloadWins() {
    schedule(compact("a"));
    assertTrue(schedule(new TaskSpec("compact", "a", null, Map.of("name", "new"), Duration.ZERO)));
    assertEquals(Map.of("name", "new"), lease("a").task().payload());
  }

  @Test
  void theLongestRunnableComesFirst() {
    schedule(spec("compact", "late", null, SECOND.multipliedBy(2)));
    schedule(spec("compact", "early", null, SECOND));
    pass(SECOND.multipliedBy(3));
    assertEquals(List.of("early", "late"), requestKeys(9));
  }

  @Test
  void aRequestGetsAtMostWhatItAsksFor() {
    schedule(compact("a"), compact("b"), compact("c"));
    assertEquals(2, request(2).size());
    assertEquals(1, request(2).size());
  }

  @Test
  void aRequestGetsAtMostTheLimit() {
    for (int i = 0; i < QueueMachine.MAX_LEASES_PER_REQUEST + 5; i++) {
      schedule(compact("t" + i));
    }
    assertEquals(QueueMachine.MAX_LEASES_PER_REQUEST, request(10_000).size());
  }

  @Test
  void aGroupHasAtMostOneLease() {
    schedule(
        spec("compact", "a", "g", Duration.ZERO),
        spec("compact", "b", "g", Duration.ZERO),
        spec("compact", "c", "h", Duration.ZERO));
    List<Lease> leases = request(9);
    assertEquals(List.of("a", "c"), leases.stream().map(lease -> lease.task().key()).toList());
    assertEquals(List.of(), requestKeys(9));
    assertTrue(acknowledge(leases.getFirst()));
    assertEquals(List.of("b"), requestKeys(9));
  }

  @Test
  void anExpiredLeaseFreesItsGroup() {
    schedule(spec("compact", "a", "g", Duration.ZERO), spec("compact", "b", "g", SECOND));
    lease("a");
    pass(LEASE);
    assertTrue(expire());
    assertEquals(1, request(9).size());
  }

  @Test
  void anAcknowledgedTaskIsGone() {
    schedule(compact("a"));
    Lease lease = lease("a");
    assertTrue(acknowledge(lease));
    assertEquals(List.of(), list());
    assertFalse(acknowledge(lease));
    assertFalse(fail(lease, "late", null));
  }

  /** Trap 11: a wake-up for a running task is lost. */
  @Test
  void aTaskScheduledWhileItRunsRunsAgain() {
    schedule(materialize("a"));
    Lease lease = lease("a");
    assertTrue(schedule(materialize("a")));
    assertFalse(schedule(materialize("a")));
    assertTrue(task("a").runAgain());
    assertEquals(List.of(), requestKeys(9));
    assertTrue(acknowledge(lease));
    Lease again = lease("a");
    assertTrue(acknowledge(again));
    assertEquals(List.of(), list());
  }

  /** Trap 11, over a takeover. */
  @Test
  void theNextBrokerKnowsThatATaskRunsAgain() {
    schedule(materialize("a"));
    Lease lease = lease("a");
    schedule(spec("materialize", "a", "a", SECOND));
    takeover();
    assertTrue(acknowledge(lease));
    assertEquals(SECOND, task("a").runsIn());
  }

  @Test
  void theEarliestOfSeveralWakeUpsOfARunningTaskCounts() {
    schedule(materialize("a"));
    Lease lease = lease("a");
    schedule(spec("materialize", "a", "a", SECOND.multipliedBy(9)));
    schedule(spec("materialize", "a", "a", SECOND.multipliedBy(3)));
    schedule(spec("materialize", "a", "a", SECOND.multipliedBy(6)));
    acknowledge(lease);
    assertEquals(SECOND.multipliedBy(3), task("a").runsIn());
  }

  @Test
  void aTaskScheduledWhileItFailsIsNotForgotten() {
    schedule(compact("a"));
    Lease lease = lease("a");
    schedule(compact("a"));
    fail(lease, "disk", null);
    assertEquals(TaskState.WAITING, task("a").state());
    pass(SECOND);
    acknowledge(lease("a"));
    assertEquals(List.of(), list());
  }

  @Test
  void failuresBackOffFromOneSecondToFiveMinutes() {
    schedule(materialize("a"));
    List<Duration> delays = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      fail(request(1).getFirst(), "disk", null);
      Duration delay = task("a").runsIn();
      delays.add(delay);
      pass(delay.minusNanos(1));
      assertEquals(List.of(), requestKeys(1));
      pass(Duration.ofNanos(1));
    }
    assertEquals(
        List.of(1L, 2L, 4L, 8L, 16L, 32L, 64L, 128L, 256L, 300L, 300L, 300L),
        delays.stream().map(Duration::toSeconds).toList());
  }

  @Test
  void aRetryTimeLengthensTheBackoffUpToTheCap() {
    schedule(materialize("a"));
    fail(lease("a"), "later", Duration.ofSeconds(40));
    assertEquals(Duration.ofSeconds(40), task("a").runsIn());
    pass(Duration.ofSeconds(40));
    fail(lease("a"), "much later", Duration.ofDays(9));
    assertEquals(LONGEST, task("a").runsIn());
    pass(LONGEST);
    fail(lease("a"), "soon", Duration.ofMillis(1));
    assertEquals(Duration.ofSeconds(4), task("a").runsIn());
  }

  @Test
  void schedulingDoesNotHurryATaskThatBacksOff() {
    schedule(materialize("a"));
    for (int i = 0; i < 6; i++) {
      fail(request(1).getFirst(), "disk", null);
      pass(LONGEST);
    }
    fail(request(1).getFirst(), "disk", null);
    assertEquals(Duration.ofSeconds(64), task("a").runsIn());
    assertFalse(schedule(materialize("a")));
    assertEquals(Duration.ofSeconds(64), task("a").runsIn());
    assertEquals(7, task("a").failures());
  }

  @Test
  void aSuccessForgetsFailures() {
    schedule(compact("a"));
    fail(lease("a"), "disk", null);
    pass(SECOND);
    Lease lease = lease("a");
    schedule(compact("a"));
    acknowledge(lease);
    assertEquals(0, task("a").failures());
    assertNull(task("a").lastError());
  }

  private void park(String key) {
    schedule(compact(key));
    for (int i = 0; i < rules.failuresUntilParked(); i++) {
      pass(LONGEST);
      fail(lease(key), "broken " + i, null);
    }
    assertEquals(TaskState.PARKED, task(key).state());
  }

  @Test
  void atTheEighthFailureATaskParksWithItsError() {
    park("a");
    assertEquals("broken 7", task("a").lastError());
    assertEquals(8, task("a").failures());
    pass(Duration.ofDays(1));
    assertEquals(List.of(), requestKeys(9));
  }

  /** Trap 44: a parked task is revived by every schedule. */
  @Test
  void schedulingAParkedTaskOnlyMarksIt() {
    park("a");
    assertTrue(schedule(compact("a")));
    assertFalse(schedule(compact("a")));
    pass(Duration.ofDays(1));
    assertEquals(TaskState.PARKED, task("a").state());
    assertTrue(task("a").runAgain());
    assertEquals(8, task("a").failures());
    assertEquals(List.of(), requestKeys(9));
    takeover();
    assertFalse(schedule(compact("a")));
    assertEquals(TaskState.PARKED, task("a").state());
  }

  @Test
  void aPersonRetriesAParkedTask() {
    park("a");
    assertEquals(new Reply.Retried(true), apply(new Command.Retry("a")).reply());
    assertEquals(0, task("a").failures());
    acknowledge(lease("a"));
    assertEquals(List.of(), list());
  }

  @Test
  void aPersonHurriesATaskThatBacksOffButNotOneThatRuns() {
    schedule(materialize("a"));
    fail(lease("a"), "disk", Duration.ofMinutes(4));
    assertEquals(new Outcome(new Reply.Retried(true), true), apply(new Command.Retry("a")));
    lease("a");
    assertEquals(new Outcome(new Reply.Retried(false), false), apply(new Command.Retry("a")));
    assertEquals(new Outcome(new Reply.Retried(false), false), apply(new Command.Retry("none")));
  }

  @Test
  void materializeNeverParks() {
    schedule(materialize("a"));
    for (int i = 0; i < 100; i++) {
      fail(lease("a"), "hole", null);
      assertEquals(TaskState.WAITING, task("a").state());
      assertTrue(task("a").runsIn().compareTo(LONGEST) <= 0);
      pass(LONGEST);
    }
    assertEquals(100, task("a").failures());
  }

  @Test
  void aLongErrorIsCutBetweenCharacters() {
    schedule(compact("a"));
    String odd = "x" + "😀".repeat(QueueMachine.MAX_ERROR_CHARS);
    fail(lease("a"), odd, null);
    String error = Objects.requireNonNull(task("a").lastError());
    assertEquals(QueueMachine.MAX_ERROR_CHARS - 1, error.length());
    assertTrue(odd.startsWith(error));
    assertFalse(Character.isHighSurrogate(error.charAt(error.length() - 1)));
  }

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
        QueueMachine.empty(rules(ByteSize.ofKibibytes(4), List.of()), new CountedIds(), at(now));
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
    machine = QueueMachine.empty(rules(new ByteSize(700), List.of()), new CountedIds(), at(now));
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
    assertTrue(stated < 2 * actual + 50 * 300, stated + " for " + actual);
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
