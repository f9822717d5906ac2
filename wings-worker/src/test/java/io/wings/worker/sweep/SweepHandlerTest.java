package io.wings.worker.sweep;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.wings.catalog.commit.SeededIds;
import io.wings.catalog.commit.UnhurriedTime;
import io.wings.catalog.table.MaterializeTask;
import io.wings.catalog.table.TableFile;
import io.wings.catalog.table.TableFiles;
import io.wings.catalog.table.TableTask;
import io.wings.common.cas.JsonCodec;
import io.wings.common.cluster.CatalogName;
import io.wings.common.cluster.Keys;
import io.wings.common.cluster.LaneId;
import io.wings.common.cluster.TableId;
import io.wings.common.error.WingsException;
import io.wings.common.objectstore.Body;
import io.wings.common.objectstore.ObjectStore;
import io.wings.common.objectstore.PutCondition;
import io.wings.common.objectstore.memory.MemoryStore;
import io.wings.worker.orphan.OrphanHandler;
import io.wings.worker.prune.PruneHandler;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

class SweepHandlerTest {
  private static final String FIRST = "0".repeat(32);
  private static final String SECOND = "f".repeat(32);

  private final UnhurriedTime time = new UnhurriedTime();
  private final SeededIds ids = new SeededIds(3);
  private final ObjectStore store = new MemoryStore("cluster", time);
  private final ListedQueue queue = new ListedQueue();
  private final SweepHandler handler =
      new SweepHandler(
          store, new TableFiles(store, time, ids), queue, Duration.ofHours(1), time, ids);

  @Test
  void findsTheTableThatIsBehind() throws InterruptedException {
    TableId behind = table("main", FIRST, 4L);
    segments(behind, FIRST, 1, 5);
    TableId done = table("main", FIRST, 5L);
    segments(done, FIRST, 1, 5);
    table("other", FIRST, 0L);
    sweep();
    assertEquals(List.of(new MaterializeTask(behind).key()), queue.scheduled);
  }

  @Test
  void looksAtEachLane() throws InterruptedException {
    TableId behind = table("main", FIRST, 4L, 4L, 4L);
    TableId done = table("main", FIRST, 4L, 4L, 4L);
    for (int lane = 0; lane < 3; lane++) {
      segments(behind, FIRST, lane, 1, lane == 2 ? 5 : 4);
      segments(done, FIRST, lane, 1, 4);
    }
    sweep();
    assertEquals(List.of(new MaterializeTask(behind).key()), queue.scheduled);
  }

  @Test
  void leavesOutWhatATaskNames() throws InterruptedException {
    TableId behind = table("main", FIRST, 0L);
    segments(behind, FIRST, 1, 1);
    queue.named.add(new MaterializeTask(behind).key());
    sweep();
    assertEquals(List.of(), queue.scheduled);
  }

  @Test
  void anotherIncarnationsSegmentsCountForNothing() throws InterruptedException {
    TableId table = table("main", FIRST, 3L);
    segments(table, FIRST, 1, 3);
    segments(table, SECOND, 1, 9);
    sweep();
    assertEquals(List.of(), queue.scheduled);
  }

  /** Trap 13. */
  @Test
  void aTableFileThatCantBeReadHidesNoOther() throws InterruptedException {
    TableId sick = table("main", FIRST, 0L);
    store.put(
        Keys.tableJson(sick), Body.of("{".getBytes(StandardCharsets.UTF_8)), PutCondition.any());
    segments(sick, FIRST, 1, 1);
    TableId behind = table("other", FIRST, 0L);
    segments(behind, FIRST, 1, 1);
    sweep();
    assertEquals(List.of(new MaterializeTask(behind).key()), queue.scheduled);
  }

  @Test
  void aTableThatWasNeverAdoptedIsLeftAlone() throws InterruptedException {
    TableId table = new TableId(new CatalogName("main"), ids.uuid());
    segments(table, FIRST, 1, 2);
    store.put("catalogs/junk", Body.of(new byte[1]), PutCondition.any());
    store.put(
        "catalogs/main/tables/not-a-uuid/table.json", Body.of(new byte[1]), PutCondition.any());
    sweep();
    assertEquals(List.of(), queue.scheduled);
  }

  @Test
  void findsTheBoundaryThatLags() throws InterruptedException {
    TableId old = table("main", FIRST, 300L);
    segments(old, FIRST, 1, 300);
    TableId withoutCheckpoint = table("main", FIRST, 200L);
    segments(withoutCheckpoint, FIRST, 1, 200);
    time.sleep(Duration.ofHours(2));
    TableId young = table("main", FIRST, 300L);
    segments(young, FIRST, 1, 300);
    sweep();
    assertEquals(List.of(new TableTask(PruneHandler.KIND, old).key()), queue.scheduled);
  }

  /** Trap 3. */
  @Test
  void whatIsNotInTheTableIsNeverToPrune() throws InterruptedException {
    TableId table = table("main", FIRST, 0L);
    segments(table, FIRST, 1, 300);
    time.sleep(Duration.ofDays(300));
    sweep();
    assertEquals(List.of(new MaterializeTask(table).key()), queue.scheduled);
  }

  @Test
  void findsLedgersThatWereLeftAlone() throws InterruptedException {
    TableId old = table("main", FIRST, 0L);
    store.put(Keys.ledger(old, ids.hex()), Body.of(new byte[1]), PutCondition.any());
    time.sleep(Duration.ofMinutes(63));
    TableId young = table("main", FIRST, 0L);
    store.put(Keys.ledger(young, ids.hex()), Body.of(new byte[1]), PutCondition.any());
    store.put(Keys.ledger(old, ids.hex()), Body.of(new byte[1]), PutCondition.any());
    sweep();
    assertEquals(List.of(new TableTask(OrphanHandler.KIND, old).key()), queue.scheduled);
  }

  @Test
  void findsEveryOneOfMany() throws InterruptedException {
    List<String> expected = new ArrayList<>();
    for (int i = 0; i < 1_200; i++) {
      TableId table = table("c" + i % 3, FIRST, 0L);
      segments(table, FIRST, 1, 2);
      expected.add(new MaterializeTask(table).key());
    }
    sweep();
    assertEquals(expected.stream().sorted().toList(), queue.scheduled.stream().sorted().toList());
    assertEquals(3, queue.calls);
  }

  /** P1's liveness, trap 13. */
  @Test
  void aCatalogWithoutRoomInTheQueueKeepsNoOthersTasksOut() throws InterruptedException {
    List<String> expected = new ArrayList<>();
    for (int i = 0; i < 700; i++) {
      TableId table = table(i % 350 == 0 ? "healthy" + i : "full", FIRST, 0L);
      segments(table, FIRST, 1, 1);
      if (!table.catalog().value().equals("full")) {
        expected.add(new MaterializeTask(table).key());
      }
    }
    TableId behind = table("another", FIRST, 0L);
    segments(behind, FIRST, 1, 1);
    expected.add(new MaterializeTask(behind).key());
    queue.room.put("full", 123);
    sweep();
    assertTrue(queue.scheduled.containsAll(expected), "of " + expected);
    assertEquals(123 + 3, queue.scheduled.size());
    assertTrue(queue.calls < 40, "calls: " + queue.calls);
  }

  /** A queue that can't be asked is another matter: the sweep fails, and comes again. */
  @Test
  void anotherRefusalFailsTheSweep() {
    TableId behind = table("main", FIRST, 0L);
    segments(behind, FIRST, 1, 1);
    queue.refusal = "broker-unavailable";
    assertEquals("broker-unavailable", assertThrows(WingsException.class, this::sweep).code());
  }

  private void sweep() throws InterruptedException {
    handler.run(queue.leased(SweepHandler.KIND));
  }

  private TableId table(String catalog, String incarnation, Long... watermarks) {
    TableId table = new TableId(new CatalogName(catalog), ids.uuid());
    TableFile file =
        new TableFile(
            List.of("db"),
            "t",
            incarnation,
            watermarks.length,
            List.of(watermarks),
            Collections.nCopies(watermarks.length, List.of()),
            3_600L);
    store.put(
        Keys.tableJson(table),
        new JsonCodec<>(TableFile.class).encode(file, ids.hex()),
        PutCondition.ifAbsent());
    store.put(
        Keys.boundary(new LaneId(table, incarnation, 0)),
        Body.of(new byte[1]),
        PutCondition.ifAbsent());
    return table;
  }

  private void segments(TableId table, String incarnation, long from, long to) {
    segments(table, incarnation, 0, from, to);
  }

  private void segments(TableId table, String incarnation, int lane, long from, long to) {
    for (long number = from; number <= to; number++) {
      store.put(
          Keys.segment(new LaneId(table, incarnation, lane), number),
          Body.of(new byte[1]),
          PutCondition.ifAbsent());
    }
  }
}
