package io.wings.ingestor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.grpc.Status;
import io.wings.common.flight.StreamOpened;
import io.wings.common.flight.StreamRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.types.Types;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Streams with a column {@code name} that their table hasn't got. */
@Timeout(60)
class AddColumnsTest {
  private static final Map<String, String> ADDS = Map.of("wings.schema.evolution", "add-columns");

  private final IngestorKit kit = new IngestorKit();

  @AfterEach
  void close() {
    kit.close();
  }

  private void create(Map<String, String> properties) {
    kit.createTable(
        new Schema(Types.NestedField.required(1, "id", Types.LongType.get())), properties);
  }

  private Table table() {
    return kit.catalog.loadTable(TableIdentifier.of("db", "t"));
  }

  private PutClient put(String name) {
    return kit.put(IngestorKit.request().unnamed(name, 1)).send(Batches.schema());
  }

  private int snapshots() {
    int count = 0;
    for (Snapshot _ : table().snapshots()) {
      count++;
    }
    return count;
  }

  private static void assertEnds(PutClient put, Status.Code code, String error) {
    Status end = put.end();
    assertEquals(code, end.getCode(), end.toString());
    assertTrue(String.valueOf(end.getDescription()).startsWith(error + ": "), end.toString());
  }

  @Test
  void theColumnIsInTheTableBeforeItsFirstBatchIsAcknowledged() throws Exception {
    create(ADDS);
    PutClient put = put("drawn-1").send(Batches.ids(7));
    assertEquals(1, put.results(1).size());
    Types.NestedField added = table().schema().findField("name");
    assertNotNull(added);
    assertTrue(added.isOptional());
    put.send(Batches.ids(8)).halfClose();
    assertEquals(Status.Code.OK, put.end().getCode());
    assertEquals(List.of("n7", "n8"), kit.stored("t", "name"));
    assertEquals(2, snapshots(), "adoption, and the columns");
  }

  @Test
  void aStrictTableRefusesTheStream() {
    create(Map.of());
    assertEnds(put("drawn-1"), Status.Code.INVALID_ARGUMENT, "schema-mismatch");
    assertNull(table().schema().findField("name"));
  }

  /** Whoever sends rubbish leaves no trace in the schema. */
  @Test
  void aStreamWithoutAGoodBatchAddsNothing() {
    create(ADDS);
    assertEnds(
        put("drawn-1").send(Batches.withoutId()),
        Status.Code.INVALID_ARGUMENT,
        "null-in-required-column");
    PutClient empty = put("drawn-2").halfClose();
    assertEquals(Status.Code.OK, empty.end().getCode());
    assertNull(table().schema().findField("name"));
  }

  @Test
  void streamsThatBringTheSameColumnTogetherAddItOnce() throws Exception {
    create(ADDS);
    List<PutClient> puts = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      puts.add(put("drawn-" + i).send(Batches.ids(i)).halfClose());
    }
    puts.forEach(put -> assertEquals(Status.Code.OK, put.end().getCode(), put.end().toString()));
    assertEquals(2, snapshots());
    assertEquals(10, kit.stored("t", "name").size());
  }

  /** Its sequence is consumed by the log, which the table has before it has the columns. */
  @Test
  void aBadFirstBatchIsReportedAndTheNextOneBringsTheColumn() throws Exception {
    create(ADDS);
    PutClient put = kit.put(IngestorKit.request().reportRejects()).send(Batches.schema());
    put.opened();
    put.send(Batches.withoutId());
    assertEquals(1, put.results(1).size());
    assertNull(table().schema().findField("name"));
    put.send(Batches.ids(7)).halfClose();
    assertEnds(put, Status.Code.INVALID_ARGUMENT, "batches-rejected");
    assertEquals(List.of("1-1 rejected", "2-2 durable"), put.answers());
    assertEquals(List.of("n7"), kit.stored("t", "name"));
  }

  /** Else a load balancer, which sends no batch before it knows the log, would wait for ever. */
  @Test
  void aStreamWithNewColumnsIsOpenBeforeItsFirstBatch() throws Exception {
    create(ADDS);
    PutClient put = put("drawn-1");
    assertEquals(table().uuid(), put.opened().uuid());
    put.send(Batches.ids(7)).halfClose();
    assertEquals(Status.Code.OK, put.end().getCode());
    assertEquals(List.of("n7"), kit.stored("t", "name"));
  }

  /** Trap 35: by the time that the columns are added, the name is that of a table new to Wings. */
  @Test
  void columnsAreNotAddedToANamesake() throws Exception {
    create(ADDS);
    PutClient put = put("drawn-1");
    put.opened();
    kit.catalog.renameTable(TableIdentifier.of("db", "t"), TableIdentifier.of("db", "renamed"));
    create(ADDS);
    assertEnds(put.send(Batches.ids(7)), Status.Code.NOT_FOUND, "table-replaced");
    assertNull(table().schema().findField("name"));
  }

  /** The column is there under another type: the stream is refused, and what is there stays. */
  @Test
  void aConflictingColumnRefusesTheStream() {
    create(ADDS);
    table().updateSchema().addColumn("name", Types.LongType.get()).commit();
    assertEnds(
        put("drawn-1").send(Batches.ids(1)), Status.Code.INVALID_ARGUMENT, "schema-mismatch");
    assertEquals(Types.LongType.get(), table().schema().findType("name"));
  }

  /** P6: another ingestor may have taken it, and its put may land after the refusal. */
  @Test
  void aConflictThatAddingMeetsIsInTheLogBeforeWhatIsSentAgainIsRefused() throws Exception {
    create(ADDS);
    StreamRequest request = IngestorKit.request().build();
    StreamOpened opened = kit.put(request).send(Batches.schema()).opened();
    StreamRequest again = request.resumed(1, null, new StreamRequest.Resumption(opened, 1));
    PutClient second = kit.put(again).send(Batches.schema());
    assertEquals(opened, second.opened());
    // The table is looked at every few seconds: when it is to be altered, this is news.
    table().updateSchema().addColumn("name", Types.LongType.get()).commit();
    assertEnds(second.send(Batches.ids(1)), Status.Code.INVALID_ARGUMENT, "schema-mismatch");
    assertEnds(
        kit.put(again).send(Batches.schema()).send(Batches.ids(1)),
        Status.Code.INVALID_ARGUMENT,
        "rejected-before");
  }
}
