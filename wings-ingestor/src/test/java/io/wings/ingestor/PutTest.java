package io.wings.ingestor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.grpc.Status;
import io.wings.common.flight.BatchResult;
import io.wings.common.flight.StreamOpened;
import io.wings.common.wal.Operation;
import io.wings.ingestor.stream.Frames;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import org.apache.iceberg.Table;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Streams, from their first frame to their end. */
class PutTest {
  private final IngestorKit kit = new IngestorKit();

  @AfterEach
  void close() {
    kit.close();
  }

  private static List<Object> numbers(long... values) {
    return Arrays.stream(values).<Object>mapToObj(BigDecimal::new).toList();
  }

  @Test
  void answersEveryBatchOnceItIsInTheLog() throws Exception {
    kit.createTable();
    PutClient put =
        kit.put(IngestorKit.request())
            .send(Batches.schema())
            .send(Batches.ids(1, 2))
            .send(Batches.ids(3));
    StreamOpened opened = put.opened();
    assertEquals(kit.lane("t").table().uuid(), opened.uuid());
    assertEquals(kit.lane("t").incarnation(), opened.incarnation());
    put.halfClose();
    assertEquals(Status.Code.OK, put.end().getCode());
    BatchResult last = put.results(1).getLast();
    assertEquals(2, last.through());
    assertEquals(opened.incarnation(), last.incarnation());
    assertEquals(numbers(1, 2, 3), kit.stored("t", "id"));
    assertEquals(List.of("n1", "n2", "n3"), kit.stored("t", "name"));
  }

  @Test
  void makesTheTableOnceTheFirstBatchIsKnownToBeGood() throws Exception {
    PutClient put =
        kit.put(IngestorKit.request().table("fresh").createIfMissing()).send(Batches.schema());
    put.send(Batches.ids(7)).halfClose();
    assertEquals(Status.Code.OK, put.end().getCode());
    assertEquals(numbers(7), kit.stored("fresh", "id"));
  }

  @Test
  void makesNoTableForAStreamWhoseFirstBatchIsBad() throws Exception {
    PutClient put =
        kit.put(IngestorKit.request().table("never").createIfMissing())
            .send(Batches.schema())
            .send(new Frames(Batches.ids(1).header(), ByteBuffer.allocate(3)))
            .halfClose();
    Status end = put.end();
    assertEquals(Status.Code.INVALID_ARGUMENT, end.getCode());
    assertTrue(
        String.valueOf(end.getDescription()).startsWith("batch-malformed: "), end.toString());
    assertFalse(kit.tableExists("never"));
  }

  @Test
  void refusesAStreamToATableThatIsNotThere() {
    Status end = kit.put(IngestorKit.request().table("none")).send(Batches.schema()).end();
    assertEquals(Status.Code.NOT_FOUND, end.getCode());
    assertTrue(String.valueOf(end.getDescription()).startsWith("table-not-found: "));
  }

  /** It would give the rows numbers of a log of its own, and the table counts the other's. */
  @Test
  void refusesATableThatAnotherCatalogOfTheClusterAdopted() {
    Table table = kit.createTable();
    table
        .updateProperties()
        .set("wings.watermark.0", "c1/other/%s/%s/3".formatted(table.uuid(), "a".repeat(32)))
        .commit();
    PutClient put =
        kit.put(IngestorKit.request()).send(Batches.schema()).send(Batches.ids(1)).halfClose();
    Status end = put.end();
    assertEquals(Status.Code.INVALID_ARGUMENT, end.getCode());
    assertTrue(
        String.valueOf(end.getDescription()).startsWith("table-adopted-elsewhere: "),
        end.toString());
    assertFalse(kit.store.list("catalogs/", "").hasNext());
  }

  /** The OK status of a stream acks all that was sent. */
  @Test
  void anErrorOfTheMachineNeverEndsAStreamWell() {
    kit.createTable();
    kit.catalogError = new StackOverflowError("a test's");
    Status end =
        kit.put(IngestorKit.request())
            .send(Batches.schema())
            .send(Batches.ids(1))
            .halfClose()
            .end();
    assertEquals(Status.Code.INTERNAL, end.getCode());
  }

  @Test
  void refusesOperationsThatAnAppendTableDoesNotTake() {
    kit.createTable();
    Status end =
        kit.put(IngestorKit.request().operation(Operation.UPSERT)).send(Batches.schema()).end();
    assertEquals(Status.Code.INVALID_ARGUMENT, end.getCode());
    assertTrue(String.valueOf(end.getDescription()).startsWith("operation-unsupported: "));
  }
}
