package io.wings.ingestor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.wings.common.cluster.Position;
import io.wings.common.flight.ActionBody;
import io.wings.common.flight.ActionReply;
import io.wings.common.flight.BatchResult;
import io.wings.common.flight.BatchStatus;
import io.wings.common.flight.LaneHash;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.iceberg.Table;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A table of three lanes. */
@Timeout(60)
class LanesTest {
  private static final int LANES = 3;

  private final IngestorKit kit = new IngestorKit();
  private final ActionClient actions = new ActionClient(kit.channel);

  @AfterEach
  void close() {
    kit.close();
  }

  private Table create() {
    return kit.createTable(Map.of("wings.wal.lanes", "" + LANES));
  }

  private BatchResult write(IngestorKit.Request request, long id) throws InterruptedException {
    PutClient put = kit.put(request.routed(LANES)).send(Batches.schema()).send(Batches.ids(id));
    put.halfClose();
    assertEquals(Status.Code.OK, put.end().getCode(), put.end().toString());
    return put.results(1).getFirst();
  }

  private ActionReply.Flushed flush(@Nullable Integer lane) {
    return actions.run(
        ActionReply.Flushed.class,
        new ActionBody.Flush(IngestorKit.MAIN, List.of("db"), "t", lane));
  }

  @Test
  void aStreamsRowsAreInTheLaneOfItsPartitionOrName() throws Exception {
    create();
    Set<Integer> lanes = new HashSet<>();
    for (int i = 0; i < 12; i++) {
      BatchResult drawn = write(IngestorKit.request().unnamed("drawn-" + i, 1), i);
      assertEquals(LaneHash.unnamed("drawn-" + i, LANES), drawn.lane());
      lanes.add(drawn.lane());
      BatchResult parted =
          write(IngestorKit.request().unnamed("other-" + i, 1).partition("2026-11"), i);
      assertEquals(LaneHash.unnamed("2026-11", LANES), parted.lane());
    }
    assertEquals(Set.of(0, 1, 2), lanes);
    assertEquals(24, kit.rows("t", LANES).stream().mapToLong(Long::longValue).sum());
  }

  /** P2: a producer's state is in its lane, and only there. */
  @Test
  void aNamedProducerGoesOnInItsLane() throws Exception {
    create();
    for (int i = 0; i < 6; i++) {
      String name = "loader-" + i;
      int lane = LaneHash.named(IngestorKit.PRINCIPAL, name, LANES);
      long epoch = actions.openProducer(name).epoch();
      PutClient put =
          kit.put(IngestorKit.request().named(name, epoch).routed(LANES)).send(Batches.schema());
      put.send(Batches.ids(i), "{\"sequence\":1}").halfClose();
      assertEquals(Status.Code.OK, put.end().getCode());
      assertEquals(lane, put.results(1).getFirst().lane());
      assertEquals(1, actions.openProducer(name).sequence());
      PutClient again =
          kit.put(
                  IngestorKit.request()
                      .named(name, actions.openProducer(name).epoch())
                      .routed(LANES))
              .send(Batches.schema());
      again.send(Batches.ids(i), "{\"sequence\":1}").halfClose();
      assertEquals(Status.Code.OK, again.end().getCode());
      assertEquals(1, again.count(BatchStatus.DUPLICATE));
    }
    assertEquals(6, kit.rows("t", LANES).stream().mapToLong(Long::longValue).sum());
  }

  /**
   * P2: a load balancer that knows a table of the same name with another number of lanes would give
   * one producer two lanes.
   */
  @Test
  void aStreamThatWasSentToAnotherLaneIsSentAgain() {
    create();
    String name = "etl";
    int lane = LaneHash.named(IngestorKit.PRINCIPAL, name, LANES);
    long epoch = actions.openProducer(name).epoch();
    for (int wrong : List.of((lane + 1) % LANES, LANES, 98)) {
      PutClient put =
          kit.put(IngestorKit.request().named(name, epoch).lane(wrong)).send(Batches.schema());
      Status end = put.end();
      assertEquals(Status.Code.UNAVAILABLE, end.getCode(), end.toString());
      assertTrue(String.valueOf(end.getDescription()).startsWith("lane-unknown: "));
    }
    assertEquals(List.of(0L, 0L, 0L), kit.rows("t", LANES));
  }

  @Test
  void flushTellsAPositionForEachLane() throws Exception {
    create();
    long[] expected = new long[LANES];
    for (int i = 0; i < 9; i++) {
      BatchResult result = write(IngestorKit.request().unnamed("drawn-" + i, 1), i);
      expected[result.lane()] = result.position();
    }
    List<Position> positions = flush(null).positions();
    for (int lane = 0; lane < LANES; lane++) {
      assertEquals(
          new Position(kit.lane("t").incarnation(), lane, expected[lane]), positions.get(lane));
      assertEquals(List.of(positions.get(lane)), flush(lane).positions());
    }
    StatusRuntimeException refused =
        Assertions.assertThrows(StatusRuntimeException.class, () -> flush(LANES));
    assertEquals(Status.Code.INVALID_ARGUMENT, refused.getStatus().getCode());
    assertTrue(String.valueOf(refused.getStatus().getDescription()).startsWith("lane-unknown: "));
  }

  @Test
  void thePropertyChangesNothingOnceTheTableIsAdopted() throws Exception {
    Table table = create();
    BatchResult before = write(IngestorKit.request().unnamed("drawn-1", 1).partition("p"), 1);
    table.refresh();
    table.updateProperties().set("wings.wal.lanes", "7").commit();
    BatchResult after = write(IngestorKit.request().unnamed("drawn-2", 1).partition("p"), 2);
    assertEquals(before.lane(), after.lane());
    ActionReply.TableDescription described =
        actions.run(
            ActionReply.TableDescription.class,
            new ActionBody.DescribeTable(IngestorKit.MAIN, List.of("db"), "t"));
    assertEquals(LANES, described.lanes());
    assertEquals(List.of(0L, 0L, 0L), described.watermarks());
  }

  /** A lane's position becomes the snapshot in which that lane's watermark reached it. */
  @Test
  void awaitVisibleLooksAtThePositionsLane() throws Exception {
    Table table = create();
    BatchResult[] written = new BatchResult[LANES];
    for (int i = 0; i < 9; i++) {
      BatchResult result = write(IngestorKit.request().unnamed("drawn-" + i, 1), i);
      written[result.lane()] = result;
    }
    table.refresh();
    long[] snapshots = new long[LANES];
    for (int lane = 0; lane < LANES; lane++) {
      table.refresh();
      var marks = table.newAppend();
      var properties = table.updateProperties();
      for (int other = 0; other < LANES; other++) {
        String value =
            "%s/main/%s/%s/%d"
                .formatted(
                    IngestorKit.CLUSTER,
                    table.uuid(),
                    written[other].incarnation(),
                    other <= lane ? written[other].position() : 0);
        marks.set("wings.watermark." + other, value);
        properties.set("wings.watermark." + other, value);
      }
      properties.commit();
      marks.commit();
      table.refresh();
      snapshots[lane] = table.currentSnapshot().snapshotId();
    }
    for (int lane = 0; lane < LANES; lane++) {
      ActionReply.Visible visible =
          actions.run(
              ActionReply.Visible.class,
              new ActionBody.AwaitVisible(
                  IngestorKit.MAIN,
                  List.of("db"),
                  "t",
                  written[lane].incarnation(),
                  lane,
                  written[lane].position(),
                  0));
      assertEquals(snapshots[lane], visible.snapshotId());
    }
  }
}
