package io.wings.worker.prune;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.wings.catalog.table.AdoptedTable;
import io.wings.common.cluster.Keys;
import io.wings.common.cluster.LaneId;
import io.wings.common.cluster.TableId;
import io.wings.common.concurrent.Threads;
import io.wings.common.error.WingsException;
import io.wings.common.objectstore.Body;
import io.wings.common.objectstore.Fault;
import io.wings.common.objectstore.Faults;
import io.wings.common.objectstore.FaultyStore;
import io.wings.common.objectstore.ObjectStore;
import io.wings.common.objectstore.PutCondition;
import io.wings.common.retry.Backoff;
import io.wings.common.wal.Boundaries;
import io.wings.common.wal.Boundary;
import io.wings.common.wal.LaneOpener;
import io.wings.worker.materialize.Workbench;
import io.wings.worker.table.TableLooks;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.LongStream;
import org.apache.iceberg.HasTableOperations;
import org.apache.iceberg.TableMetadata;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class PruneTest {
  private static final Duration RETENTION = Duration.ofHours(1);
  private static final Map<String, String> PROPERTIES = Map.of("wings.wal.retention", "1h");

  private final Workbench bench = new Workbench();
  private final AdoptedTable table = bench.create(PROPERTIES);
  private final LaneId lane = table.lane(0);

  @AfterEach
  void close() {
    bench.close();
  }

  private Prune.Result prune() throws InterruptedException {
    return prune(bench.store);
  }

  private Prune.Result prune(ObjectStore store) throws InterruptedException {
    return new Prune(
            store,
            new TableLooks(
                Workbench.CLUSTER, store, bench.time, bench.ids, Backoff.STORE, Threads.virtual()),
            PruneObserver.none(),
            bench.time,
            bench.ids)
        .run(table.id(), bench.tenant);
  }

  private Boundary boundary() {
    return boundaries().require(lane);
  }

  private Boundaries boundaries() {
    return new Boundaries(bench.store, bench.time, bench.ids, Backoff.STORE);
  }

  private List<Long> segments() {
    return bench.keys().stream()
        .map(key -> Keys.segmentNumber(lane, key))
        .filter(OptionalLong::isPresent)
        .map(OptionalLong::getAsLong)
        .toList();
  }

  private static List<Long> numbers(long first, long last) {
    return LongStream.rangeClosed(first, last).boxed().toList();
  }

  private void old() {
    bench.time.sleep(RETENTION);
  }

  /** Rows of segments up to {@code last} are in the table. */
  private void materialized(long first, long last) throws InterruptedException {
    bench.segments(table, first, last);
    bench.run(table);
  }

  @Test
  void freesWhatIsInTheTableAndOldEnough() throws InterruptedException {
    materialized(1, 200);
    old();
    materialized(201, 300);
    prune();
    assertEquals(new Boundary(200, false), boundary());
    assertEquals(numbers(201, 300), segments());
    assertEquals(300, openedHead());
    assertEquals(3_000, bench.visible().size());
  }

  private long openedHead() {
    return new LaneOpener(bench.store, bench.time, bench.ids, Threads.virtual(), Backoff.STORE)
        .open(lane, 0)
        .head();
  }

  @Test
  void staysBelowTheNewestCheckpoint() throws InterruptedException {
    materialized(1, 255);
    old();
    prune();
    assertEquals(Boundary.NONE, boundary(), "no checkpoint, nothing may go");
    bench.segment(table, 256, 1);
    prune();
    assertEquals(255, boundary().number(), "the checkpoint isn't in the table, but it is there");
    bench.segments(table, 257, 600);
    bench.run(table);
    old();
    prune();
    assertEquals(511, boundary().number());
    assertEquals(600, openedHead());
  }

  /** Trap 3: age alone never deletes. */
  @Test
  void staysAtTheWatermark() throws InterruptedException {
    materialized(1, 10);
    bench.segments(table, 11, 600);
    bench.time.sleep(Duration.ofDays(365));
    prune();
    assertEquals(10, boundary().number());
    assertEquals(numbers(11, 600), segments());
  }

  /** Trap 16: a worker's clock that runs ahead, or stands still, makes nothing old. */
  @Test
  void countsByTheStoresClockAlone() throws InterruptedException {
    materialized(1, 300);
    Duration years = Duration.ofDays(3_000);
    var ahead =
        new io.wings.common.time.Time() {
          @Override
          public long nanos() {
            return bench.time.nanos() + years.toNanos();
          }

          @Override
          public java.time.Instant now() {
            return bench.time.now().plus(years);
          }

          @Override
          public void sleep(Duration duration) {
            bench.time.sleep(duration);
          }

          @Override
          public boolean await(
              java.util.concurrent.locks.Lock lock,
              java.util.concurrent.locks.Condition condition,
              Duration timeout) {
            return bench.time.await(lock, condition, timeout);
          }
        };
    new Prune(
            bench.store,
            new TableLooks(
                Workbench.CLUSTER, bench.store, ahead, bench.ids, Backoff.STORE, Threads.virtual()),
            PruneObserver.none(),
            ahead,
            bench.ids)
        .run(table.id(), bench.tenant);
    assertEquals(Boundary.NONE, boundary());
  }

  @Test
  void aClosedBoundaryIsNeitherRaisedNorDeletedBelow() throws InterruptedException {
    materialized(1, 300);
    old();
    boundaries().object(lane).update(_ -> Optional.of(new Boundary(7, true)));
    prune();
    assertEquals(new Boundary(7, true), boundary());
    assertEquals(numbers(1, 300), segments());
  }

  @Test
  void aBoundaryThatIsClosedMeanwhileStopsThePrune() throws InterruptedException {
    materialized(1, 300);
    old();
    Faults closing =
        new Faults() {
          @Override
          public Fault onPut(String key, PutCondition condition) {
            if (key.equals(Keys.boundary(lane)) && !boundary().closed()) {
              boundaries().object(lane).update(_ -> Optional.of(new Boundary(0, true)));
            }
            return new Fault.None();
          }
        };
    prune(new FaultyStore(bench.store, closing, bench.time));
    assertEquals(new Boundary(0, true), boundary());
    assertEquals(numbers(1, 300), segments());
  }

  /** A crash between the CAS of the boundary and the deletes, and a zombie's late segment. */
  @Test
  void removesWhatWasLeftBelowTheBoundary() throws InterruptedException {
    materialized(1, 300);
    boundaries().object(lane).update(_ -> Optional.of(new Boundary(100, false)));
    bench.store.delete(Keys.segment(lane, 1));
    bench.store.put(Keys.segment(lane, 1), Body.of(new byte[3]), PutCondition.ifAbsent());
    prune();
    assertEquals(100, boundary().number());
    assertEquals(numbers(101, 300), segments());
  }

  /** P6. */
  @Test
  void anUnknownRaiseDeletesNothingThatItDidntReach() throws InterruptedException {
    materialized(1, 300);
    old();
    Faults faults =
        new Faults() {
          @Override
          public Fault onPut(String key, PutCondition condition) {
            return key.equals(Keys.boundary(lane)) ? new Fault.FailBefore() : new Fault.None();
          }
        };
    assertThrows(
        WingsException.class, () -> prune(new FaultyStore(bench.store, faults, bench.time)));
    assertEquals(Boundary.NONE, boundary());
    assertEquals(numbers(1, 300), segments());
  }

  @Test
  void aCheckpointThatCantBeReadKeepsWhatIsBeforeIt() throws InterruptedException {
    materialized(1, 300);
    old();
    bench.store.put(Keys.segment(lane, 256), Body.of(new byte[40]), PutCondition.any());
    assertThrows(WingsException.class, this::prune);
    assertEquals(Boundary.NONE, boundary());
    assertEquals(300, segments().size());
  }

  /** Traps 4 and 5: the watermark is the table's property, whatever became of its snapshots. */
  @Test
  void expiryOfEveryWingsSnapshotChangesNothing() throws InterruptedException {
    materialized(1, 300);
    bench.table().newFastAppend().commit();
    bench
        .table()
        .expireSnapshots()
        .expireOlderThan(Long.MAX_VALUE)
        .retainLast(1)
        .cleanupLevel(org.apache.iceberg.ExpireSnapshots.CleanupLevel.NONE)
        .commit();
    old();
    prune();
    assertEquals(255, boundary().number());
  }

  /** The watermark stays where it was when the rows are rolled back. */
  @Test
  void aRollbackKeepsTheSegmentsOfTheRowsItTookOut() throws InterruptedException {
    materialized(1, 100);
    long good = bench.table().currentSnapshot().snapshotId();
    materialized(101, 200);
    materialized(201, 300);
    bench.table().manageSnapshots().rollbackTo(good).commit();
    materialized(301, 310);
    old();
    prune();
    assertEquals(100, boundary().number());
    bench
        .table()
        .expireSnapshots()
        .expireOlderThan(Long.MAX_VALUE)
        .retainLast(100)
        .cleanupLevel(org.apache.iceberg.ExpireSnapshots.CleanupLevel.NONE)
        .commit();
    prune();
    assertEquals(255, boundary().number(), "whoever expired them let the rows go");
  }

  @Test
  void rowsThatABranchKeepsHoldNothing() throws InterruptedException {
    materialized(1, 100);
    long good = bench.table().currentSnapshot().snapshotId();
    materialized(101, 300);
    bench
        .table()
        .manageSnapshots()
        .createTag("kept", bench.table().currentSnapshot().snapshotId())
        .rollbackTo(good)
        .commit();
    old();
    prune();
    assertEquals(255, boundary().number());
  }

  /** Trap 26: someone put older metadata back; what had been in the table isn't any more. */
  @Test
  void aRestoredTableIsNotPruned() throws InterruptedException {
    materialized(1, 10);
    var operations = ((HasTableOperations) bench.table()).operations();
    TableMetadata before = operations.current();
    materialized(11, 300);
    operations.refresh();
    TableMetadata now = operations.current();
    operations.commit(
        now,
        TableMetadata.buildFrom(now)
            .setProperties(before.properties())
            .setBranchSnapshot(before.currentSnapshot().snapshotId(), "main")
            .build());
    old();
    WingsException error = assertThrows(WingsException.class, this::prune);
    assertEquals("watermark-fell", error.code());
    assertEquals(300, segments().size());
  }

  /** Not found is unknown. */
  @Test
  void aTableThatDoesntLoadIsNotPruned() throws InterruptedException {
    materialized(1, 300);
    old();
    bench.catalog.dropTable(Workbench.TABLE, false);
    assertThrows(WingsException.class, this::prune);
    bench.create(PROPERTIES);
    assertThrows(WingsException.class, this::prune);
    assertEquals(300, segments().size());
    assertEquals(Boundary.NONE, boundary());
  }

  @Test
  void notesTheWatermarkBeforeTheBoundaryFollowsIt() throws InterruptedException {
    materialized(1, 300);
    TableId id = table.id();
    String file = Keys.tableJson(id);
    String text =
        new String(
            bench.store.get(file).orElseThrow().bytes(), java.nio.charset.StandardCharsets.UTF_8);
    String behind = text.replace("[ 300 ]", "[ 0 ]");
    assertFalse(behind.equals(text));
    bench.store.put(
        file,
        Body.of(behind.getBytes(java.nio.charset.StandardCharsets.UTF_8)),
        PutCondition.any());
    old();
    Faults dead =
        new Faults() {
          @Override
          public Fault onPut(String key, PutCondition condition) {
            if (key.equals(Keys.boundary(lane))) {
              assertEquals(List.of(300L), bench.file(id).watermarks());
            }
            return new Fault.None();
          }
        };
    prune(new FaultyStore(bench.store, dead, bench.time));
    assertTrue(boundary().number() > 0);
  }
}
