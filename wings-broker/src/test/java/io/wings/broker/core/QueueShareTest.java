package io.wings.broker.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.wings.common.config.ByteSize;
import io.wings.common.queue.Lease;
import io.wings.common.queue.QueueCodec;
import io.wings.common.queue.TaskSpec;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** One catalog's tasks leave room for another's: P1's liveness, trap 13. */
class QueueShareTest extends QueueMachineFixture {
  private static final ByteSize LIMIT = ByteSize.ofKibibytes(256);
  private static final String LONG = "e".repeat(QueueMachine.MAX_ERROR_CHARS);

  @BeforeEach
  void small() {
    machine = QueueMachine.empty(rules(LIMIT, List.of()), new CountedIds(), at(now));
  }

  private static TaskSpec table(String catalog, int number) {
    String key = "materialize/%s/%036d".formatted(catalog, number);
    return new TaskSpec(
        "materialize",
        key,
        key,
        Map.of("catalog", catalog, "uuid", "%036d".formatted(number)),
        Duration.ZERO);
  }

  private boolean takes(TaskSpec... tasks) {
    return apply(new Command.Schedule(List.of(tasks))).reply() instanceof Reply.Scheduled;
  }

  /** Schedules tables of a catalog until one is refused. */
  private int fill(String catalog) {
    int taken = 0;
    while (takes(table(catalog, taken))) {
      taken++;
    }
    return taken;
  }

  /** Lets everything that may run fail. */
  private void failAll(String error) {
    pass(LONGEST);
    for (List<Lease> leases = request(64); !leases.isEmpty(); leases = request(64)) {
      leases.forEach(lease -> assertTrue(fail(lease, error, null)));
    }
  }

  private long stored() {
    return machine.stored(at(now)).stream().mapToLong(QueueCodec::encodedSize).sum();
  }

  private void assertBounded() {
    assertTrue(stored() <= LIMIT.bytes(), stored() + " bytes are stored");
    assertTrue(machine.counts(at(now)).bytes() <= LIMIT.bytes());
  }

  @Test
  void aCatalogWhoseTasksAllFailLeavesRoomForAnother() {
    int broken = fill("a");
    assertTrue(broken > 50, "taken " + broken);
    for (int round = 0; round < 3; round++) {
      failAll(LONG);
      assertBounded();
      fill("a");
    }
    assertFalse(takes(table("a", 9_999)));
    assertTrue(takes(table("b", 0)));
    assertTrue(fill("b") > broken / 4);
    assertTrue(takes(table("c", 0)));
    assertBounded();
  }

  @Test
  void aCatalogAboveItsShareDelaysNoTaskThatIsNobodys() {
    fill("a");
    assertTrue(takes(compact("of no catalog")));
  }

  @Test
  void whatIsDoneMakesRoomAgain() {
    fill("a");
    assertTrue(acknowledge(request(1).getFirst()));
    assertTrue(takes(table("a", 9_999)));
    assertFalse(takes(table("a", 10_000)));
  }

  @Test
  void oneCatalogsShareRefusesTheWholeCall() {
    int taken = fill("a");
    Outcome refused =
        apply(new Command.Schedule(List.of(table("b", 0), table("a", 9_999), table("c", 0))));
    assertFalse(refused.changed());
    Reply.Full full = assertInstanceOf(Reply.Full.class, refused.reply());
    assertEquals("a", full.catalog());
    assertTrue(full.needed().bytes() > full.share().bytes());
    assertEquals(taken, list().size());
  }

  @Test
  void whatACatalogAlreadyHasIsTakenAboveItsShare() {
    fill("a");
    fill("b");
    assertTrue(takes(table("a", 0), table("b", 0)));
  }

  @Test
  void errorsAreShortWhereACatalogHasMany() {
    assertTrue(takes(table("a", 0)));
    failAll(LONG);
    assertEquals(LONG, task(table("a", 0).key()).lastError());
    fill("a");
    failAll(LONG);
    assertTrue(takes(table("b", 0)));
    failAll(LONG);
    assertEquals(
        QueueMachine.SHORT_ERROR_CHARS,
        Objects.requireNonNull(task(table("a", 1).key()).lastError()).length());
    assertEquals(LONG, task(table("b", 0).key()).lastError());
  }

  @Test
  void errorsNeverMakeTheQueueLargerThanItsLimit() {
    for (String catalog : List.of("a", "b", "c", "d", "e")) {
      fill(catalog);
    }
    for (String error : List.of("\u0001".repeat(1000), "ü".repeat(1000), "😀".repeat(500))) {
      failAll(error);
      assertBounded();
    }
    Set<Integer> failures =
        Set.copyOf(list().stream().map(io.wings.common.queue.Task::failures).toList());
    assertEquals(Set.of(3), failures);
  }
}
