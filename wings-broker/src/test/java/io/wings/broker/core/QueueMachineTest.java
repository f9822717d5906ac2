package io.wings.broker.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.wings.common.queue.Lease;
import io.wings.common.queue.TaskSpec;
import io.wings.common.queue.TaskState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Scheduling, requesting, settling and failing. */
class QueueMachineTest extends QueueMachineFixture {
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
}
