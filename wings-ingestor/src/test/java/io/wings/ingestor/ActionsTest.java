package io.wings.ingestor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.json.JsonMapper;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.wings.catalog.table.MaterializeTask;
import io.wings.common.cluster.CatalogName;
import io.wings.common.cluster.Position;
import io.wings.common.error.WingsException;
import io.wings.common.flight.ActionBody;
import io.wings.common.flight.ActionReply;
import io.wings.common.flight.FlightAction;
import io.wings.common.flight.ListDemand;
import io.wings.common.flight.ListRequest;
import io.wings.common.flight.TableName;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import org.apache.arrow.flight.impl.Flight;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.TableIdentifier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Actions and look-ups. */
@Timeout(60)
class ActionsTest {
  private static final TableName NAME = new TableName(IngestorKit.MAIN, List.of("db"), "t");

  private final IngestorKit kit = new IngestorKit();
  private final ActionClient actions = new ActionClient(kit.channel);

  @AfterEach
  void close() {
    kit.close();
  }

  private ActionReply.TableDescription describe() {
    return actions.run(
        ActionReply.TableDescription.class,
        new ActionBody.DescribeTable(IngestorKit.MAIN, List.of("db"), "t"));
  }

  private static void assertFails(Status.Code code, String error, Runnable call) {
    StatusRuntimeException failed = assertThrows(StatusRuntimeException.class, call::run);
    assertEquals(code, failed.getStatus().getCode(), failed.toString());
    String description = String.valueOf(failed.getStatus().getDescription());
    assertTrue(description.startsWith(error + ": "), description);
  }

  /** Not what the interrupted look-up says of the catalog: whoever asked asks elsewhere. */
  @Test
  void anActionThatIsCutOffWhenTheIngestorStopsSaysSo() throws Exception {
    kit.createTable();
    CountDownLatch looking = new CountDownLatch(1);
    kit.onCatalogOpen =
        () -> {
          looking.countDown();
          try {
            new CountDownLatch(1).await();
          } catch (InterruptedException e) {
            throw WingsException.unavailable("catalog-unavailable", "interrupted", e);
          }
        };
    Thread stopping =
        Thread.ofVirtual()
            .start(
                () -> {
                  try {
                    looking.await();
                    kit.server.close();
                  } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                  }
                });
    assertFails(Status.Code.UNAVAILABLE, "ingestor-stopping", this::describe);
    stopping.join();
  }

  private Position write(long id) throws InterruptedException {
    PutClient put = kit.put(IngestorKit.request()).send(Batches.schema()).send(Batches.ids(id));
    var result = put.results(1).getFirst();
    put.halfClose();
    assertEquals(Status.Code.OK, put.end().getCode());
    return new Position(result.incarnation(), result.lane(), result.position());
  }

  @Test
  void createsDescribesAndDropsATable() throws Exception {
    Schema schema =
        new Schema(
            List.of(
                Field.notNullable("id", new ArrowType.Int(64, true)),
                Field.nullable(
                    "day", new ArrowType.Date(org.apache.arrow.vector.types.DateUnit.DAY))));
    var spec =
        JsonMapper.builder()
            .build()
            .readTree(
                "{\"spec-id\":0,\"fields\":[{\"name\":\"day\",\"transform\":\"identity\",\"source-id\":2,\"field-id\":1000}]}");
    ActionBody create =
        new ActionBody.CreateTable(
            IngestorKit.MAIN,
            List.of("db"),
            "t",
            Base64.getEncoder().encodeToString(schema.serializeAsMessage()),
            spec,
            null,
            Map.of("wings.commit-interval", "1s"));
    ActionReply.TableDescription made = actions.run(ActionReply.TableDescription.class, create);
    assertEquals(1, made.lanes());
    assertEquals(List.of(0L), made.watermarks());
    assertEquals(kit.lane("t").incarnation(), made.incarnation());
    ActionReply.IcebergDescription iceberg = Objects.requireNonNull(made.iceberg());
    assertEquals("date", iceberg.schema().at("/fields/1/type").asText());
    assertEquals("identity", iceberg.partitionSpec().at("/fields/0/transform").asText());
    assertEquals(0, iceberg.sortOrder().path("fields").size());
    assertEquals(Map.of("wings.commit-interval", "1s"), iceberg.properties());
    Table table = kit.catalog.loadTable(TableIdentifier.of("db", "t"));
    assertEquals("day", table.spec().fields().getFirst().name());
    assertFails(
        Status.Code.INVALID_ARGUMENT,
        "table-exists",
        () -> actions.run(ActionReply.TableDescription.class, create));
    ActionReply.Dropped dropped =
        actions.run(
            ActionReply.Dropped.class,
            new ActionBody.DropTable(IngestorKit.MAIN, List.of("db"), "t"));
    assertEquals(made.uuid(), dropped.uuid());
    assertFalse(kit.tableExists("t"));
    assertFails(Status.Code.NOT_FOUND, "table-not-found", this::describe);
  }

  @Test
  void describesATableThatIsNotAdoptedWithoutAdoptingIt() {
    kit.createTable();
    assertNull(describe().incarnation());
    assertEquals(List.of(), describe().watermarks());
    assertNull(describe().incarnation());
  }

  @Test
  void flushTellsWhatIsDurable() throws Exception {
    kit.createTable();
    Position written = write(1);
    ActionReply.Flushed flushed =
        actions.run(
            ActionReply.Flushed.class,
            new ActionBody.Flush(IngestorKit.MAIN, List.of("db"), "t", null));
    assertEquals(List.of(written), flushed.positions());
  }

  @Test
  void schedulesMaterialisingAfterAnAck() throws Exception {
    kit.createTable();
    write(1);
    while (kit.scheduled.isEmpty()) {
      Thread.sleep(5);
    }
    assertEquals(
        new MaterializeTask(kit.lane("t").table()).spec(java.time.Duration.ofSeconds(5)),
        kit.scheduled.getFirst());
  }

  @Test
  void awaitVisibleTellsTheSnapshotThatHoldsAPosition() throws Exception {
    Table table = kit.createTable();
    Position written = write(1);
    assertFails(
        Status.Code.UNAVAILABLE, "not-visible-yet", () -> await(written, written.number(), 200));
    table.refresh();
    String key = "wings.watermark.0";
    String value =
        "%s/main/%s/%s/%d"
            .formatted(IngestorKit.CLUSTER, table.uuid(), written.incarnation(), written.number());
    table.updateProperties().set(key, value).commit();
    table.newAppend().set(key, value).commit();
    ActionReply.Visible visible = await(written, written.number(), 5_000);
    assertEquals(ActionReply.VisibleStatus.VISIBLE, visible.status());
    assertEquals(table.currentSnapshot().snapshotId(), visible.snapshotId());
    assertFails(
        Status.Code.NOT_FOUND,
        "position-unknown",
        () -> await(new Position("0".repeat(32), 0, 1), 1, 0));
  }

  private ActionReply.Visible await(Position position, long number, long timeoutMs) {
    return actions.run(
        ActionReply.Visible.class,
        new ActionBody.AwaitVisible(
            IngestorKit.MAIN,
            List.of("db"),
            "t",
            position.incarnation(),
            position.lane(),
            number,
            timeoutMs));
  }

  private static ListDemand within(String catalog) {
    return new ListDemand(ListRequest.ALL, Set.of(new CatalogName(catalog)));
  }

  /** Where a secret is, and what a catalog's server said, is in the log alone. */
  @Test
  void whyACatalogCantBeOpenedIsntToldToClients() {
    kit.catalogFailure =
        WingsException.unavailable(
            "secret-unreadable", "can't read file:///vault/planted.json: NoSuchFile", null);
    for (Runnable call :
        List.<Runnable>of(
            () -> actions.list(ListRequest.ALL),
            () -> actions.list(new ListRequest(IngestorKit.MAIN, null)),
            () -> actions.schema(NAME),
            () -> actions.openProducer("p"))) {
      StatusRuntimeException error = assertThrows(StatusRuntimeException.class, call::run);
      String told = String.valueOf(error.getStatus().getDescription());
      assertTrue(told.startsWith("secret-unreadable: catalog main can't be used now"), told);
      assertFalse(told.contains("planted"), told);
    }
    PutClient put = kit.put(IngestorKit.request()).send(Batches.schema());
    String told = String.valueOf(put.end().getDescription());
    assertTrue(told.startsWith("secret-unreadable: catalog main can't be used now"), told);
    assertFalse(told.contains("planted"), told);
  }

  @Test
  void tellsWhatTablesThereAre() {
    kit.createTable();
    List<Flight.FlightInfo> all = actions.list(ListRequest.ALL);
    assertEquals(List.of("main", "db", "t"), all.getFirst().getFlightDescriptor().getPathList());
    assertEquals(1, actions.list(new ListRequest(IngestorKit.MAIN, List.of("db"))).size());
    assertEquals(1, actions.list(within("main")).size());
    assertEquals(List.of(), actions.list(within("other")), "of catalogs that aren't asked for");
    Schema schema =
        Schema.deserializeMessage(actions.schema(NAME).getSchema().asReadOnlyByteBuffer());
    assertEquals(List.of("id", "name"), schema.getFields().stream().map(Field::getName).toList());
    assertEquals(actions.schema(NAME).getSchema(), actions.info(NAME).getSchema());
    assertEquals(FlightAction.values().length, actions.actions().size());
  }
}
