package io.wings.ingestor;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.wings.common.flight.ActionBody;
import io.wings.common.flight.ActionReply;
import io.wings.common.flight.AwaitedRange;
import io.wings.common.flight.BatchResult;
import io.wings.common.flight.BatchStatus;
import io.wings.common.flight.StreamMove;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.TableIdentifier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Streams that are answered when their batches are in the table. */
@Timeout(60)
class VisibleTest {
  private final IngestorKit kit = new IngestorKit();
  private final ActionClient actions = new ActionClient(kit.channel);

  @BeforeEach
  void createTable() {
    kit.createTable(Map.of("wings.commit-interval", "400ms"));
  }

  @AfterEach
  void close() {
    kit.close();
  }

  private PutClient put() {
    return kit.put(IngestorKit.request().ackVisible()).send(Batches.schema());
  }

  /** Stands for a worker: all up to {@code number} is in the table, in one snapshot. */
  private long materialise(long number) {
    Table table = kit.catalog.loadTable(TableIdentifier.of("db", "t"));
    String value =
        "%s/main/%s/%s/%d"
            .formatted(IngestorKit.CLUSTER, table.uuid(), kit.lane("t").incarnation(), number);
    String before = requireNonNull(table.properties().get("wings.watermark.0"));
    table
        .newAppend()
        .set("wings.watermark.0", value)
        .set("wings.before.0", before.substring(before.lastIndexOf('/') + 1))
        .commit();
    table.updateProperties().set("wings.watermark.0", value).commit();
    table.refresh();
    return table.currentSnapshot().snapshotId();
  }

  private static void assertEnds(PutClient put, Status.Code code, String error) {
    Status end = put.end();
    assertEquals(code, end.getCode(), end.toString());
    assertTrue(String.valueOf(end.getDescription()).startsWith(error + ": "), end.toString());
  }

  @Test
  void durableIsToldAtOnceAndVisibleWithItsSnapshotOnceItIsInTheTable() throws Exception {
    PutClient put = put().send(Batches.ids(1));
    long first = put.results(1).getFirst().position();
    put.send(Batches.ids(2)).halfClose();
    long second = put.results(2).get(1).position();
    assertEquals(List.of("1-1 durable", "2-2 durable"), put.answers());
    long snapshot = materialise(first);
    BatchResult visible = put.results(3).get(2);
    assertEquals(BatchStatus.VISIBLE, visible.status());
    assertEquals(1, visible.through());
    assertEquals(first, visible.position());
    assertEquals(snapshot, visible.snapshotId());
    assertFalse(put.hasEnded(), "the OK status means that all is visible");
    materialise(second);
    assertEquals(Status.Code.OK, put.end().getCode());
    assertEquals(2, put.count(BatchStatus.VISIBLE));
  }

  @Test
  void whatWasStoredBeforeIsToldVisibleToo() throws Exception {
    long epoch = actions.openProducer("loader").epoch();
    PutClient first = kit.put(IngestorKit.request().named("loader", epoch)).send(Batches.schema());
    first.send(Batches.ids(1), "{\"sequence\":1}").halfClose();
    assertEquals(Status.Code.OK, first.end().getCode());
    materialise(first.results(1).getFirst().position());
    PutClient again =
        kit.put(IngestorKit.request().named("loader", epoch).ackVisible()).send(Batches.schema());
    again.send(Batches.ids(1), "{\"sequence\":1}").halfClose();
    assertEquals(Status.Code.OK, again.end().getCode());
    assertEquals(List.of("1-1 duplicate", "1-1 visible"), again.answers());
  }

  /** P6: its position is its producer's last, which says nothing of rows that were rolled back. */
  @Test
  void aDuplicateThatWasRolledBackIsToldVisibleWithoutASnapshot() throws Exception {
    long epoch = actions.openProducer("loader").epoch();
    PutClient first = kit.put(IngestorKit.request().named("loader", epoch)).send(Batches.schema());
    first.send(Batches.ids(1), "{\"sequence\":1}");
    materialise(first.results(1).getFirst().position());
    Table table = kit.catalog.loadTable(TableIdentifier.of("db", "t"));
    long parent = requireNonNull(table.currentSnapshot().parentId());
    table.manageSnapshots().rollbackTo(parent).commit();
    first.send(Batches.ids(2), "{\"sequence\":2}").halfClose();
    materialise(first.results(2).get(1).position());
    assertEquals(Status.Code.OK, first.end().getCode());
    PutClient again =
        kit.put(IngestorKit.request().named("loader", epoch).ackVisible()).send(Batches.schema());
    again.send(Batches.ids(1), "{\"sequence\":1}");
    again.send(Batches.ids(2), "{\"sequence\":2}");
    again.send(Batches.ids(3), "{\"sequence\":3}").halfClose();
    while (again.count(BatchStatus.DURABLE) == 0) {
      Thread.sleep(5);
    }
    long snapshot =
        materialise(again.results(1).stream().mapToLong(BatchResult::position).max().orElseThrow());
    assertEquals(Status.Code.OK, again.end().getCode());
    List<BatchResult> visible =
        again.results(1).stream().filter(each -> each.status() == BatchStatus.VISIBLE).toList();
    assertNull(visible.getFirst().snapshotId(), again.answers().toString());
    assertEquals(3, visible.getLast().sequence(), again.answers().toString());
    assertEquals(snapshot, visible.getLast().snapshotId());
  }

  /** P6: one that isn't read yet must not get the snapshot of a later one, with which it merges. */
  @Test
  void theFirstResultAfterARollbackNamesNoSnapshotAndMergesWithNoneBefore() throws Exception {
    PutClient put = put();
    List<@Nullable Long> told = new ArrayList<>();
    List<Long> made = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      put.send(Batches.ids(i));
      made.add(materialise(put.results(2 * i + 1).getLast().position()));
      told.add(put.results(2 * i + 2).getLast().snapshotId());
      if (i == 0) {
        Table table = kit.catalog.loadTable(TableIdentifier.of("db", "t"));
        long parent = requireNonNull(table.currentSnapshot().parentId());
        table.manageSnapshots().rollbackTo(parent).commit();
      }
    }
    put.halfClose();
    assertEquals(Status.Code.OK, put.end().getCode());
    assertEquals(Arrays.asList(made.getFirst(), null, made.getLast()), told);
  }

  /** The ingestor that told durable may be dead when it is visible. */
  @Test
  void anotherIngestorTellsWhatTheFirstLeft() throws Exception {
    PutClient first = put().send(Batches.ids(1)).send(Batches.ids(2));
    long position = first.results(2).get(1).position();
    first.cancel();
    PutClient next =
        kit.put(
                IngestorKit.request()
                    .unnamed("drawn-1b", 3)
                    .awaiting(kit.lane("t").incarnation(), new AwaitedRange(1, 2, position)))
            .send(Batches.schema());
    next.opened();
    next.halfClose();
    materialise(position);
    assertEquals(Status.Code.OK, next.end().getCode());
    assertEquals(List.of("1-2 visible"), next.answers());
    PutClient other =
        kit.put(IngestorKit.request().awaiting("0".repeat(32), new AwaitedRange(1, 2, position)))
            .send(Batches.schema());
    assertEnds(other, Status.Code.NOT_FOUND, "table-replaced");
  }

  @Test
  void aRejectedBatchIsNeverVisibleAndTheStreamNeverEndsWell() throws Exception {
    PutClient put =
        kit.put(IngestorKit.request().ackVisible().reportRejects()).send(Batches.schema());
    put.send(Batches.ids(1)).send(Batches.withoutId()).send(Batches.ids(3)).halfClose();
    materialise(put.results(3).getLast().position());
    assertEnds(put, Status.Code.INVALID_ARGUMENT, "batches-rejected");
    assertEquals(2, put.count(BatchStatus.VISIBLE));
    assertEquals(1, put.count(BatchStatus.REJECTED));
  }

  @Test
  void aBadBatchEndsTheStreamAfterEverythingBeforeItIsVisible() throws Exception {
    PutClient put = put().send(Batches.ids(1)).send(Batches.withoutId());
    long position = put.results(1).getFirst().position();
    Thread.sleep(200);
    assertFalse(put.hasEnded());
    materialise(position);
    assertEnds(put, Status.Code.INVALID_ARGUMENT, "null-in-required-column");
    assertEquals(List.of("1-1 durable", "1-1 visible"), put.answers());
  }

  /** Not per batch, nor per stream. */
  @Test
  void aTableIsLookedAtOnceForAllItsStreams() throws Exception {
    List<PutClient> puts = new ArrayList<>();
    long position = 0;
    for (int i = 0; i < 20; i++) {
      PutClient put =
          kit.put(IngestorKit.request().unnamed("drawn-" + i, 1).ackVisible())
              .send(Batches.schema());
      put.send(Batches.ids(1)).send(Batches.ids(2)).halfClose();
      position = Math.max(position, put.results(2).get(1).position());
      puts.add(put);
    }
    long before = kit.catalogOpens.get();
    long began = System.nanoTime();
    Thread.sleep(1000);
    long looks = kit.catalogOpens.get() - before;
    long tenths = (System.nanoTime() - began) / 100_000_000;
    assertTrue(looks > 0 && looks <= tenths + 2, looks + " looks in " + tenths + " pauses");
    assertEquals(1.0, kit.registry.get("wings.ingestor.tables.watched").gauge().value());
    materialise(position);
    puts.forEach(put -> assertEquals(Status.Code.OK, put.end().getCode()));
    while (kit.registry.get("wings.ingestor.tables.watched").gauge().value() > 0) {
      Thread.sleep(5);
    }
  }

  @Test
  void aDroppedTableEndsTheStreamAndTellsWhatIsDurable() throws Exception {
    PutClient put = put().send(Batches.ids(1)).send(Batches.ids(2)).halfClose();
    BatchResult last = put.results(2).get(1);
    kit.catalog.dropTable(TableIdentifier.of("db", "t"), false);
    assertEnds(put, Status.Code.NOT_FOUND, "table-not-found");
    String described = String.valueOf(put.end().getDescription());
    assertTrue(
        described.contains(
            "sequences up to 2 are durable (lane 0, position %d)".formatted(last.position())),
        described);
  }

  @Test
  void nothingIsHeldForAClientThatWentAway() throws Exception {
    PutClient put = put().send(Batches.ids(1)).halfClose();
    assertEquals(1, put.results(1).size());
    put.cancel();
    while (kit.registry.get("wings.ingestor.calls.open").gauge().value() > 0
        || kit.registry.get("wings.ingestor.tables.watched").gauge().value() > 0) {
      Thread.sleep(5);
    }
  }

  /** Whoever sent everything, and whoever may send more: both wait on elsewhere. */
  @Test
  void anIngestorThatStopsLetsStreamsWaitElsewhere() throws Exception {
    PutClient done = put().send(Batches.ids(1)).halfClose();
    PutClient open =
        kit.put(IngestorKit.request().unnamed("drawn-2", 1).ackVisible())
            .send(Batches.schema())
            .send(Batches.ids(2));
    assertEquals(1, done.results(1).size());
    assertEquals(1, open.results(1).size());
    kit.server.close();
    for (PutClient put : List.of(done, open)) {
      assertEquals(Status.Code.OK, put.end().getCode(), put.end().toString());
      assertEquals(StreamMove.Reason.DRAIN, put.moved);
      assertEquals(List.of("1-1 durable"), put.answers());
    }
  }

  @Test
  void aStreamThatAsksForDurableIsToldNothingElse() throws Exception {
    PutClient put = kit.put(IngestorKit.request()).send(Batches.schema()).send(Batches.ids(1));
    BatchResult durable = put.results(1).getFirst();
    materialise(durable.position());
    put.send(Batches.ids(2)).halfClose();
    assertEquals(Status.Code.OK, put.end().getCode());
    assertEquals(List.of("1-1 durable", "2-2 durable"), put.answers());
    assertNull(durable.snapshotId());
  }

  @Test
  void aPositionBeyondTheHeadIsNotWaitedFor() throws Exception {
    PutClient put = kit.put(IngestorKit.request()).send(Batches.schema()).send(Batches.ids(1));
    BatchResult durable = put.results(1).getFirst();
    StatusRuntimeException refused =
        assertThrows(
            StatusRuntimeException.class,
            () ->
                actions.run(
                    ActionReply.Visible.class,
                    new ActionBody.AwaitVisible(
                        IngestorKit.MAIN,
                        List.of("db"),
                        "t",
                        durable.incarnation(),
                        0,
                        durable.position() + 1,
                        600_000)));
    assertEquals(Status.Code.INVALID_ARGUMENT, refused.getStatus().getCode());
    String described = String.valueOf(refused.getStatus().getDescription());
    assertTrue(
        described.startsWith(
            "position-beyond-head: lane 0 of table \"main.db.t\" ends at " + durable.position()),
        described);
  }
}
