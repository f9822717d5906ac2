package io.wings.loadbalancer;

import static io.wings.loadbalancer.Balancer.await;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import io.grpc.Metadata;
import io.grpc.Status;
import io.wings.common.error.WingsException;
import io.wings.common.flight.Ack;
import io.wings.common.flight.BatchMetadata;
import io.wings.common.flight.BatchResult;
import io.wings.common.flight.BatchStatus;
import io.wings.common.flight.ClientRequest;
import io.wings.common.flight.Create;
import io.wings.common.flight.LaneHash;
import io.wings.common.flight.OnReject;
import io.wings.common.flight.StreamRequest;
import io.wings.common.wal.Operation;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import org.apache.arrow.flight.FlightClient;
import org.apache.arrow.flight.FlightDescriptor;
import org.apache.arrow.flight.FlightRuntimeException;
import org.apache.arrow.flight.FlightStatusCode;
import org.apache.arrow.flight.PutResult;
import org.apache.arrow.flight.SyncPutListener;
import org.apache.arrow.flight.impl.Flight;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.Types;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.Schema;
import org.junit.jupiter.api.Test;

/** DoPut streams of the stock Java client, and of clients that do as they please. */
class StreamTest {
  private static final Schema SCHEMA =
      new Schema(List.of(Field.nullable("id", Types.MinorType.INT.getType())));
  private static final Flight.FlightDescriptor TABLE = RawStream.path("main", "web", "clicks");

  /** Writes one-row batches, each with a sequence if {@code named}, then reads all results. */
  private static List<BatchResult> put(
      Balancer balancer, FlightDescriptor descriptor, int batches, boolean named) throws Exception {
    List<BatchResult> results = new ArrayList<>();
    FlightClient client = balancer.client();
    try (VectorSchemaRoot root = VectorSchemaRoot.create(SCHEMA, balancer.allocator);
        SyncPutListener listener = new SyncPutListener()) {
      FlightClient.ClientStreamListener stream = client.startPut(descriptor, root, listener);
      for (long i = 1; i <= batches; i++) {
        ((IntVector) root.getVector(0)).setSafe(0, (int) i);
        root.setRowCount(1);
        if (named) {
          stream.putNext(metadata(balancer, i));
        } else {
          stream.putNext();
        }
      }
      stream.completed();
      for (PutResult result = listener.read(); result != null; result = listener.read()) {
        byte[] json = new byte[(int) result.getApplicationMetadata().readableBytes()];
        result.getApplicationMetadata().getBytes(0, json);
        results.add(BatchResult.of(ByteString.copyFrom(json)));
        result.close();
      }
      listener.getResult();
    }
    return results;
  }

  private static ArrowBuf metadata(Balancer balancer, long sequence) {
    byte[] json = new BatchMetadata(sequence, "t" + sequence, null).toJson().toByteArray();
    ArrowBuf buffer = balancer.allocator.buffer(json.length);
    buffer.writeBytes(json);
    return buffer;
  }

  private static long total(List<BatchResult> results) {
    return results.stream().mapToLong(BatchResult::count).sum();
  }

  @Test
  void passesStreamByPathAndItsResults() throws Exception {
    try (FakeIngestor ingestor = new FakeIngestor();
        Balancer balancer = Balancer.open(ingestor)) {
      List<BatchResult> results =
          put(balancer, FlightDescriptor.path("main", "web", "clicks"), 3, false);
      assertEquals(3, total(results));
      assertEquals(3, results.getLast().through());
      StreamRequest request = ingestor.streams.getFirst();
      assertEquals("anonymous", request.principal());
      assertEquals("main.web.clicks", request.tableName().toString());
      assertFalse(request.named());
      assertEquals(32, request.producer().length());
      assertNull(request.epoch());
      assertEquals(1, request.firstSequence());
      assertEquals(0, request.lane());
      assertEquals(Operation.INSERT, request.operation());
      assertEquals(Create.NEVER, request.create());
    }
  }

  @Test
  void passesNamedStreamByCommandWithItsMetadata() throws Exception {
    try (FakeIngestor ingestor = new FakeIngestor();
        Balancer balancer = Balancer.open(ingestor)) {
      String command =
          "{\"catalog\":\"main\",\"namespace\":[\"web\",\"raw\"],\"table\":\"clicks\","
              + "\"producer\":\"etl-1\",\"epoch\":7,\"create\":\"if-missing\","
              + "\"on_reject\":\"report\"}";
      assertEquals(
          4,
          total(
              put(
                  balancer,
                  FlightDescriptor.command(command.getBytes(StandardCharsets.UTF_8)),
                  4,
                  true)));
      StreamRequest request = ingestor.streams.getFirst();
      assertTrue(request.named());
      assertEquals("etl-1", request.producer());
      assertEquals(7L, request.epoch());
      assertEquals(Create.IF_MISSING, request.create());
      assertEquals(OnReject.REPORT, request.onReject());
      assertEquals(5, ingestor.frames.size());
      assertEquals(
          new BatchMetadata(4L, "t4", null),
          BatchMetadata.of(ingestor.frames.getLast().appMetadata()));
    }
  }

  @Test
  void neverLooksIntoBodies() throws Exception {
    Random random = new Random(11);
    try (FakeIngestor ingestor = new FakeIngestor();
        Balancer balancer = Balancer.open(ingestor);
        RawStream stream = RawStream.to(balancer)) {
      stream.open(TABLE);
      List<byte[]> sent = new ArrayList<>();
      for (int size : new int[] {0, 1, 127, 128, 65_536, 3_000_000}) {
        byte[] body = new byte[size];
        byte[] header = new byte[random.nextInt(100)];
        random.nextBytes(body);
        random.nextBytes(header);
        byte[] frame =
            Flight.FlightData.newBuilder()
                .setDataHeader(ByteString.copyFrom(header))
                .setDataBody(ByteString.copyFrom(body))
                .build()
                .toByteArray();
        sent.add(frame);
        stream.send(frame);
      }
      stream.halfClose();
      assertEquals(Status.Code.OK, stream.end().getCode());
      for (int i = 0; i < sent.size(); i++) {
        Flight.FlightData expected = Flight.FlightData.parseFrom(sent.get(i));
        assertArrayEquals(
            expected.getDataBody().toByteArray(), bytes(ingestor.frames.get(i + 1).body()));
        assertArrayEquals(
            expected.getDataHeader().toByteArray(), bytes(ingestor.frames.get(i + 1).header()));
        assertEquals(sent.get(i).length, ingestor.frames.get(i + 1).size());
      }
    }
  }

  private static byte[] bytes(ByteBuffer buffer) {
    byte[] bytes = new byte[buffer.remaining()];
    buffer.get(bytes);
    return bytes;
  }

  @Test
  void everyUnnamedStreamGetsANameOfItsOwn() throws Exception {
    try (FakeIngestor ingestor = new FakeIngestor();
        Balancer balancer = Balancer.open(ingestor)) {
      for (int i = 0; i < 3; i++) {
        try (RawStream stream = RawStream.to(balancer).open(TABLE).halfClose()) {
          assertEquals(Status.Code.OK, stream.end().getCode());
        }
      }
      assertEquals(3, ingestor.streams.stream().map(StreamRequest::producer).distinct().count());
    }
  }

  @Test
  void laneIsTheHashOfTheProducer() throws Exception {
    try (FakeIngestor ingestor = new FakeIngestor();
        Balancer balancer = Balancer.open(ingestor)) {
      ingestor.describe = _ -> FakeIngestor.description(16);
      String table = "\"catalog\":\"main\",\"namespace\":[\"web\"],\"table\":\"t\"";
      for (String rest :
          List.of(",\"producer\":\"etl-1\",\"epoch\":1", ",\"partition\":\"2026-11\"", "")) {
        try (RawStream stream =
            RawStream.to(balancer).open(RawStream.cmd("{" + table + rest + "}")).halfClose()) {
          assertEquals(Status.Code.OK, stream.end().getCode());
        }
      }
      assertEquals(LaneHash.named("anonymous", "etl-1", 16), ingestor.streams.get(0).lane());
      assertEquals(LaneHash.unnamed("2026-11", 16), ingestor.streams.get(1).lane());
      StreamRequest drawn = ingestor.streams.get(2);
      assertEquals(LaneHash.unnamed(drawn.producer(), 16), drawn.lane());
      assertEquals(1, ingestor.actions.size(), "the lane count is remembered");
    }
  }

  /** Trap 38: what is remembered of a table is not of its namesake in another tenant's catalog. */
  @Test
  void lanesAreThoseOfTheTenantsOwnTable() throws Exception {
    try (FakeIngestor ingestor = new FakeIngestor();
        Balancer balancer = Balancer.open(ingestor)) {
      ingestor.describe =
          name -> FakeIngestor.description(name.catalog().value().equals("main") ? 16 : 1);
      for (String catalog : List.of("main", "other")) {
        String table = "\"catalog\":\"" + catalog + "\",\"namespace\":[\"web\"],\"table\":\"t\"";
        String rest = ",\"producer\":\"etl-1\",\"epoch\":1";
        try (RawStream stream =
            RawStream.to(balancer).open(RawStream.cmd("{" + table + rest + "}")).halfClose()) {
          assertEquals(Status.Code.OK, stream.end().getCode());
        }
      }
      assertNotEquals(0, ingestor.streams.get(0).lane());
      assertEquals(0, ingestor.streams.get(1).lane());
    }
  }

  /** Durable is what the load balancer frees on; it is not what such a client asked for. */
  @Test
  void aClientThatWaitsForVisibleIsToldNothingElse() throws Exception {
    try (FakeIngestor ingestor = new FakeIngestor();
        Balancer balancer = Balancer.open(ingestor);
        RawStream stream = RawStream.to(balancer)) {
      stream.open(
          RawStream.cmd(
              "{\"catalog\":\"main\",\"namespace\":[\"web\"],\"table\":\"t\","
                  + "\"ack\":\"visible\"}"));
      for (int i = 0; i < 10; i++) {
        stream.body(new byte[] {1});
      }
      stream.halfClose();
      assertEquals(Status.Code.OK, stream.end().getCode());
      assertEquals(Ack.VISIBLE, ingestor.streams.getFirst().ack());
      long through = 0;
      for (BatchResult result : stream.ranges()) {
        assertEquals(BatchStatus.VISIBLE, result.status());
        assertEquals(77L, result.snapshotId());
        assertEquals(through + 1, result.sequence());
        through = result.through();
      }
      assertEquals(10, through);
    }
  }

  @Test
  void tableThatIsNotThereYetHasOneLane() throws Exception {
    try (FakeIngestor ingestor = new FakeIngestor();
        Balancer balancer = Balancer.open(ingestor)) {
      ingestor.describe =
          name -> {
            throw WingsException.notFound("table-not-found", "no table " + name);
          };
      try (RawStream stream = RawStream.to(balancer).open(TABLE)) {
        Status status = stream.end();
        assertEquals(Status.Code.NOT_FOUND, status.getCode());
        assertEquals(
            "table-not-found: no table main.web.clicks (retry: no)", status.getDescription());
      }
      try (RawStream stream =
          RawStream.to(balancer)
              .open(
                  RawStream.cmd(
                      "{\"catalog\":\"main\",\"namespace\":[\"web\"],\"table\":\"clicks\","
                          + "\"create\":\"if-missing\"}"))
              .halfClose()) {
        assertEquals(Status.Code.OK, stream.end().getCode());
        assertEquals(0, ingestor.streams.getFirst().lane());
      }
    }
  }

  @Test
  void errorOfTheIngestorArrivesUnchangedAfterWhatCameBefore() throws Exception {
    try (FakeIngestor ingestor = new FakeIngestor();
        Balancer balancer = Balancer.open(ingestor)) {
      ingestor.check =
          (_, sequence) ->
              sequence == 3
                  ? WingsException.invalid("schema-mismatch", "column 'id': expected long, got int")
                  : null;
      ExecutionException thrown =
          assertThrows(
              ExecutionException.class,
              () -> put(balancer, FlightDescriptor.path("main", "web", "clicks"), 5, false));
      FlightRuntimeException error =
          assertInstanceOf(FlightRuntimeException.class, thrown.getCause());
      assertEquals(FlightStatusCode.INVALID_ARGUMENT, error.status().code());
      assertTrue(
          String.valueOf(error.getMessage())
              .startsWith("schema-mismatch: column 'id': expected long, got int"),
          error.getMessage());
    }
  }

  @Test
  void secondDescriptorIsRefusedAfterWhatCameBefore() throws Exception {
    try (FakeIngestor ingestor = new FakeIngestor();
        Balancer balancer = Balancer.open(ingestor);
        RawStream stream = RawStream.to(balancer)) {
      stream.open(TABLE).body(new byte[10]).body(new byte[10]).open(TABLE).body(new byte[10]);
      Status status = stream.end();
      assertEquals(Status.Code.INVALID_ARGUMENT, status.getCode());
      assertTrue(String.valueOf(status.getDescription()).startsWith("descriptor-repeated: "));
      assertEquals(2, total(stream.ranges()));
      assertEquals(3, ingestor.framesSeen.get());
    }
  }

  @Test
  void frameThatIsNoneIsRefusedAfterWhatCameBefore() throws Exception {
    try (FakeIngestor ingestor = new FakeIngestor();
        Balancer balancer = Balancer.open(ingestor);
        RawStream stream = RawStream.to(balancer)) {
      stream.open(TABLE).body(new byte[10]).send(new byte[] {18, 100, 1, 2, 3});
      Status status = stream.end();
      assertEquals(Status.Code.INVALID_ARGUMENT, status.getCode());
      assertTrue(String.valueOf(status.getDescription()).startsWith("frame-invalid: "));
      assertEquals(1, total(stream.ranges()));
    }
  }

  @Test
  void streamsThatDoNotSayWhereToAreRefused() throws Exception {
    try (FakeIngestor ingestor = new FakeIngestor();
        Balancer balancer = Balancer.open(ingestor)) {
      try (RawStream stream = RawStream.to(balancer).halfClose()) {
        assertCode("descriptor-missing", stream.end());
      }
      try (RawStream stream = RawStream.to(balancer).body(new byte[10])) {
        assertCode("descriptor-missing", stream.end());
      }
      try (RawStream stream =
          RawStream.to(balancer)
              .open(TABLE.toBuilder().setCmd(ByteString.copyFromUtf8("{}")).build())) {
        assertCode("descriptor-ambiguous", stream.end());
      }
      try (RawStream stream =
          RawStream.to(balancer)
              .open(RawStream.cmd("x".repeat(ClientRequest.MAX_COMMAND_BYTES + 1)))) {
        assertCode("descriptor-invalid", stream.end());
      }
      try (RawStream stream = RawStream.to(balancer).open(RawStream.cmd("{\"catalogue\":1}"))) {
        Status status = stream.end();
        assertCode("request-invalid", status);
        assertTrue(String.valueOf(status.getDescription()).contains("did you mean 'catalog'?"));
      }
      assertEquals(0, ingestor.framesSeen.get());
      assertEquals(0, ingestor.actions.size());
    }
  }

  private static void assertCode(String code, Status status) {
    assertEquals(Status.Code.INVALID_ARGUMENT, status.getCode(), status.toString());
    assertTrue(String.valueOf(status.getDescription()).startsWith(code + ": "), status.toString());
  }

  @Test
  void headersOfClientsAreNotPassedOn() throws Exception {
    try (FakeIngestor ingestor = new FakeIngestor();
        Balancer balancer = Balancer.open(ingestor)) {
      Metadata headers = new Metadata();
      headers.put(Metadata.Key.of("wings-principal", Metadata.ASCII_STRING_MARSHALLER), "root");
      headers.put(Metadata.Key.of("wings-cluster-token", Metadata.ASCII_STRING_MARSHALLER), "x");
      try (RawStream stream =
          new RawStream(balancer.server.port(), headers, true).open(TABLE).halfClose()) {
        assertEquals(Status.Code.OK, stream.end().getCode());
        assertEquals("anonymous", ingestor.streams.getFirst().principal());
        assertTrue(ingestor.principals.stream().allMatch("anonymous"::equals));
      }
    }
  }

  @Test
  void ingestorRefusesWhoeverIsNoRoleOfTheCluster() throws Exception {
    try (FakeIngestor ingestor = new FakeIngestor();
        RawStream stream =
            new RawStream(ingestor.address().port(), new Metadata(), true).open(TABLE)) {
      assertEquals(Status.Code.UNAUTHENTICATED, stream.end().getCode());
    }
  }

  @Test
  void countsWhatItPasses() throws Exception {
    try (FakeIngestor ingestor = new FakeIngestor();
        Balancer balancer = Balancer.open(ingestor);
        RawStream stream = RawStream.to(balancer)) {
      stream.open(TABLE).body(new byte[1000]).halfClose();
      assertEquals(Status.Code.OK, stream.end().getCode());
      assertEquals(1, balancer.registry.get("wings.loadbalancer.streams").counter().count());
      assertEquals(2, balancer.registry.get("wings.loadbalancer.frames").counter().count());
      assertTrue(balancer.registry.get("wings.loadbalancer.bytes").counter().count() > 1000);
      assertEquals(1, balancer.registry.get("wings.loadbalancer.results").counter().count());
      await(
          "call counted",
          () ->
              balancer
                      .registry
                      .get("wings.loadbalancer.calls")
                      .tags("method", "DoPut", "status", "OK")
                      .counter()
                      .count()
                  == 1);
    }
  }
}
