package io.wings.loadbalancer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.collect.ImmutableList;
import com.google.protobuf.ByteString;
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.ClientCalls;
import io.wings.common.cluster.CatalogName;
import io.wings.common.cluster.Position;
import io.wings.common.error.WingsException;
import io.wings.common.flight.ActionBody;
import io.wings.common.flight.ActionReply;
import io.wings.common.flight.FlightAction;
import io.wings.common.flight.FlightMethods;
import io.wings.loadbalancer.proxy.ProxyLimits;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.arrow.flight.Action;
import org.apache.arrow.flight.ActionType;
import org.apache.arrow.flight.Criteria;
import org.apache.arrow.flight.FlightClient;
import org.apache.arrow.flight.FlightDescriptor;
import org.apache.arrow.flight.FlightInfo;
import org.apache.arrow.flight.FlightRuntimeException;
import org.apache.arrow.flight.FlightStatusCode;
import org.apache.arrow.flight.Result;
import org.apache.arrow.flight.Ticket;
import org.junit.jupiter.api.Test;

/** Actions and look-ups of the stock Java client. */
class CallTest {
  private static final CatalogName MAIN = new CatalogName("main");
  private static final List<String> WEB = List.of("web");

  private static ByteString act(FlightClient client, String type, String body) {
    List<Result> results = new ArrayList<>();
    client
        .doAction(new Action(type, body.getBytes(StandardCharsets.UTF_8)))
        .forEachRemaining(results::add);
    assertEquals(1, results.size());
    return ByteString.copyFrom(results.getFirst().getBody());
  }

  private static FlightRuntimeException refused(Runnable call) {
    return assertThrows(FlightRuntimeException.class, call::run);
  }

  @Test
  void actionsReachTheIngestorInCanonicalForm() throws Exception {
    try (FakeIngestor ingestor = new FakeIngestor();
        Balancer balancer = Balancer.open(ingestor)) {
      FlightClient client = balancer.client();
      String body = " { \"table\":\"t\", \"namespace\":[\"web\"], \"catalog\":\"main\" } ";
      ActionReply.TableDescription description =
          ActionReply.of(ActionReply.TableDescription.class, act(client, "describe-table", body));
      assertEquals(FakeIngestor.TABLE_UUID, description.uuid());
      assertEquals(new ActionBody.DescribeTable(MAIN, WEB, "t"), ingestor.actions.getFirst());
      ActionReply.ProducerOpened opened =
          ActionReply.of(
              ActionReply.ProducerOpened.class,
              act(
                  client,
                  "producer-state",
                  "{\"catalog\":\"main\",\"namespace\":[\"web\"],\"table\":\"t\","
                      + "\"producer\":\"p\"}"));
      assertEquals(7, opened.epoch());
      assertEquals(new ActionBody.OpenProducer(MAIN, WEB, "t", "p"), ingestor.actions.getLast());
    }
  }

  /** A limit on what arrives says nothing of what a compressed message becomes. */
  @Test
  void refusesCompressedMessages() throws Exception {
    try (FakeIngestor ingestor = new FakeIngestor();
        Balancer balancer = Balancer.open(ingestor)) {
      ManagedChannel channel =
          NettyChannelBuilder.forAddress("127.0.0.1", balancer.server.port())
              .usePlaintext()
              .build();
      try {
        StatusRuntimeException refused =
            assertThrows(
                StatusRuntimeException.class,
                () ->
                    ClientCalls.blockingUnaryCall(
                        channel,
                        FlightMethods.GET_SCHEMA,
                        CallOptions.DEFAULT.withCompression("gzip"),
                        RawStream.path("main", "web", "t")));
        assertEquals(Status.Code.UNIMPLEMENTED, refused.getStatus().getCode());
      } finally {
        channel.shutdownNow();
      }
    }
  }

  @Test
  void producerStateGoesWhereTheProducersStreamsGo() throws Exception {
    try (FakeIngestor first = new FakeIngestor();
        FakeIngestor second = new FakeIngestor();
        FakeIngestor third = new FakeIngestor();
        Balancer balancer = Balancer.open(first, second, third)) {
      List<FakeIngestor> all = List.of(first, second, third);
      all.forEach(ingestor -> ingestor.describe = _ -> FakeIngestor.description(32));
      FlightClient client = balancer.client();
      Set<FakeIngestor> used = new HashSet<>();
      for (int i = 0; i < 12; i++) {
        String table = "\"catalog\":\"main\",\"namespace\":[\"web\"],\"table\":\"t\"";
        String producer = table + ",\"producer\":\"p-" + i + "\"";
        ByteString _ = act(client, "producer-state", "{" + producer + "}");
        try (RawStream stream =
            RawStream.to(balancer)
                .open(RawStream.cmd("{" + producer + ",\"epoch\":7}"))
                .halfClose()) {
          assertTrue(stream.end().isOk());
        }
        String name = "p-" + i;
        List<FakeIngestor> opened =
            all.stream()
                .filter(
                    ingestor ->
                        ingestor.actions.contains(
                            new ActionBody.OpenProducer(MAIN, WEB, "t", name)))
                .toList();
        List<FakeIngestor> streamed =
            all.stream()
                .filter(
                    ingestor -> ingestor.streams.stream().anyMatch(s -> s.producer().equals(name)))
                .toList();
        assertEquals(1, opened.size());
        assertEquals(opened, streamed);
        used.add(opened.getFirst());
      }
      assertTrue(used.size() > 1, "lanes spread over ingestors");
    }
  }

  /** The ingestor that has a lane's streams has what waits in the lane. */
  @Test
  void flushAsksTheIngestorOfEachLane() throws Exception {
    try (FakeIngestor first = new FakeIngestor();
        FakeIngestor second = new FakeIngestor();
        Balancer balancer = Balancer.open(first, second)) {
      List<FakeIngestor> all = List.of(first, second);
      all.forEach(ingestor -> ingestor.describe = _ -> FakeIngestor.description(16));
      FlightClient client = balancer.client();
      String table = "{\"catalog\":\"main\",\"namespace\":[\"web\"],\"table\":\"t\"";
      ActionReply.Flushed flushed =
          ActionReply.of(ActionReply.Flushed.class, act(client, "flush", table + "}"));
      assertEquals(
          IntStream.range(0, 16).boxed().toList(),
          flushed.positions().stream().map(Position::lane).toList());
      for (int lane = 0; lane < 16; lane++) {
        ActionBody body = new ActionBody.Flush(MAIN, WEB, "t", lane);
        assertEquals(1, all.stream().filter(i -> i.actions.contains(body)).count());
      }
      assertTrue(all.stream().allMatch(i -> i.actions.size() > 1), "lanes spread over ingestors");
      ActionReply.Flushed one =
          ActionReply.of(ActionReply.Flushed.class, act(client, "flush", table + ",\"lane\":3}"));
      assertEquals(List.of(new Position(FakeIngestor.INCARNATION, 3, 9)), one.positions());
      assertEquals(
          FlightStatusCode.INVALID_ARGUMENT,
          refused(() -> act(client, "flush", table + ",\"lane\":99}")).status().code());
    }
  }

  private static long flushes(List<FakeIngestor> all) {
    return all.stream()
        .flatMap(ingestor -> ingestor.actions.stream())
        .filter(ActionBody.Flush.class::isInstance)
        .count();
  }

  /** Where the table's new streams go has nothing of a stream that was moved. */
  @Test
  void flushWaitsForWhatStreamsHadBroughtWhereverTheyAre() throws Exception {
    try (FakeIngestor first = new FakeIngestor();
        FakeIngestor second = new FakeIngestor();
        Balancer balancer = Balancer.open(first, second);
        RawStream stream = RawStream.to(balancer);
        RawStream other = RawStream.to(balancer)) {
      List<FakeIngestor> all = List.of(first, second);
      all.forEach(ingestor -> ingestor.answering = false);
      stream.open(RawStream.path("main", "web", "t")).body(new byte[10]);
      other.open(RawStream.path("main", "web", "another")).body(new byte[10]);
      Balancer.await(
          "frames", () -> all.stream().mapToLong(ingestor -> ingestor.framesSeen.get()).sum() == 4);
      FlightClient client = balancer.client();
      String table = "{\"catalog\":\"main\",\"namespace\":[\"web\"],\"table\":\"t\"";
      CompletableFuture<ByteString> flushed =
          CompletableFuture.supplyAsync(() -> act(client, "flush", table + "}"));
      Balancer.await("it is asked to write, and again", () -> flushes(all) >= 2);
      assertFalse(flushed.isDone());
      stream.halfClose();
      Balancer.await("the end", () -> all.stream().anyMatch(i -> i.halfCloses.get() > 0));
      long before = flushes(all);
      all.forEach(FakeIngestor::answerAll);
      assertEquals(
          List.of(new Position(FakeIngestor.INCARNATION, 0, 9)),
          ActionReply.of(ActionReply.Flushed.class, flushed.get(1, TimeUnit.MINUTES)).positions());
      assertTrue(flushes(all) > before, "asked when all was answered");
    }
  }

  /** The position was read before what was answered meanwhile was stored above it. */
  @Test
  void flushIsAskedAgainWhenAllIsAnsweredWhileItIsAsked() throws Exception {
    try (FakeIngestor ingestor = new FakeIngestor();
        Balancer balancer = Balancer.open(ingestor);
        RawStream stream = RawStream.to(balancer)) {
      ingestor.answering = false;
      CountDownLatch asked = new CountDownLatch(1);
      CountDownLatch released = new CountDownLatch(1);
      ingestor.onFlush =
          () -> {
            asked.countDown();
            try {
              released.await();
            } catch (InterruptedException e) {
              Thread.currentThread().interrupt();
            }
          };
      stream.open(RawStream.path("main", "web", "t")).body(new byte[10]);
      Balancer.await("frames", () -> ingestor.framesSeen.get() == 2);
      FlightClient client = balancer.client();
      String table = "{\"catalog\":\"main\",\"namespace\":[\"web\"],\"table\":\"t\"}";
      CompletableFuture<ByteString> flushed =
          CompletableFuture.supplyAsync(() -> act(client, "flush", table));
      asked.await();
      stream.halfClose();
      Balancer.await("the end", () -> ingestor.halfCloses.get() > 0);
      ingestor.answerAll();
      assertTrue(stream.end().isOk());
      released.countDown();
      ByteString _ = flushed.get(1, TimeUnit.MINUTES);
      assertEquals(2, flushes(List.of(ingestor)));
    }
  }

  @Test
  void flushSaysWhenNotAllIsAnsweredInTime() throws Exception {
    try (FakeIngestor ingestor = new FakeIngestor();
        Balancer balancer = Balancer.open(Limits.lookup(Duration.ofSeconds(3)), ingestor);
        RawStream stream = RawStream.to(balancer)) {
      ingestor.answering = false;
      stream.open(RawStream.path("main", "web", "t")).body(new byte[10]);
      Balancer.await("frames", () -> ingestor.framesSeen.get() == 2);
      FlightRuntimeException error =
          refused(
              () ->
                  act(
                      balancer.client(),
                      "flush",
                      "{\"catalog\":\"main\",\"namespace\":[\"web\"],\"table\":\"t\"}"));
      assertEquals(FlightStatusCode.UNAVAILABLE, error.status().code());
      assertTrue(String.valueOf(error.getMessage()).startsWith("not-durable-yet: "));
    }
  }

  @Test
  void flushOfATableThatIsNotThereSaysSo() throws Exception {
    try (FakeIngestor ingestor = new FakeIngestor();
        Balancer balancer = Balancer.open(ingestor)) {
      ingestor.describe =
          name -> {
            throw WingsException.notFound("table-not-found", "no table " + name);
          };
      FlightRuntimeException error =
          refused(
              () ->
                  act(
                      balancer.client(),
                      "flush",
                      "{\"catalog\":\"main\",\"namespace\":[\"web\"],\"table\":\"t\"}"));
      assertEquals(FlightStatusCode.NOT_FOUND, error.status().code());
    }
  }

  @Test
  void badActionsAreRefusedHere() throws Exception {
    try (FakeIngestor ingestor = new FakeIngestor();
        Balancer balancer = Balancer.open(ingestor)) {
      FlightClient client = balancer.client();
      FlightRuntimeException unknown = refused(() -> act(client, "describe-tabel", "{}"));
      assertEquals(FlightStatusCode.INVALID_ARGUMENT, unknown.status().code());
      assertTrue(String.valueOf(unknown.getMessage()).contains("did you mean 'describe-table'?"));
      assertEquals(
          FlightStatusCode.INVALID_ARGUMENT,
          refused(() -> act(client, "flush", "not json")).status().code());
      assertEquals(0, ingestor.actions.size());
    }
  }

  @Test
  void errorsOfTheIngestorPassUnchanged() throws Exception {
    try (FakeIngestor ingestor = new FakeIngestor();
        Balancer balancer = Balancer.open(ingestor)) {
      ingestor.describe =
          name -> {
            throw WingsException.notFound("table-not-found", "no table " + name);
          };
      FlightClient client = balancer.client();
      FlightRuntimeException error =
          refused(
              () ->
                  act(
                      client,
                      "describe-table",
                      "{\"catalog\":\"main\",\"namespace\":[\"web\"],\"table\":\"t\"}"));
      assertEquals(FlightStatusCode.NOT_FOUND, error.status().code());
      assertEquals("table-not-found: no table main.web.t (retry: no)", error.getMessage());
    }
  }

  @Test
  void listsItsActions() throws Exception {
    try (FakeIngestor ingestor = new FakeIngestor();
        Balancer balancer = Balancer.open(ingestor)) {
      List<String> types =
          ImmutableList.copyOf(balancer.client().listActions()).stream()
              .map(ActionType::getType)
              .toList();
      assertEquals(List.of(FlightAction.values()).stream().map(FlightAction::type).toList(), types);
    }
  }

  @Test
  void lookupsPassInCanonicalForm() throws Exception {
    try (FakeIngestor ingestor = new FakeIngestor();
        Balancer balancer = Balancer.open(ingestor)) {
      FlightClient client = balancer.client();
      FlightRuntimeException broken =
          refused(
              () ->
                  client.getSchema(
                      FlightDescriptor.command("{}".getBytes(StandardCharsets.UTF_8))));
      assertEquals(FlightStatusCode.INVALID_ARGUMENT, broken.status().code());
      FlightInfo info = client.getInfo(FlightDescriptor.path("main", "web", "t"));
      assertTrue(info.getDescriptor().isCommand());
      assertEquals("main.web.t", ingestor.lookups.getFirst().toString());
    }
  }

  @Test
  void listsFlights() throws Exception {
    try (FakeIngestor ingestor = new FakeIngestor();
        Balancer balancer = Balancer.open(ingestor)) {
      FlightClient client = balancer.client();
      List<FlightInfo> flights = ImmutableList.copyOf(client.listFlights(Criteria.ALL));
      assertEquals(List.of(1L, 2L), flights.stream().map(FlightInfo::getRecords).toList());
      assertEquals(
          FlightStatusCode.INVALID_ARGUMENT,
          refused(
                  () ->
                      client
                          .listFlights(new Criteria("{\"cat\":1}".getBytes(StandardCharsets.UTF_8)))
                          .forEach(FlightInfo::getRecords))
              .status()
              .code());
    }
  }

  @Test
  void readingIsUnsupportedAndSaysSo() throws Exception {
    try (FakeIngestor ingestor = new FakeIngestor();
        Balancer balancer = Balancer.open(ingestor)) {
      FlightClient client = balancer.client();
      FlightRuntimeException error =
          refused(() -> client.getStream(new Ticket(new byte[] {1})).getRoot());
      assertEquals(FlightStatusCode.UNIMPLEMENTED, error.status().code());
      assertTrue(String.valueOf(error.getMessage()).startsWith("method-unsupported: "));
    }
  }

  @Test
  void onePrincipalsFloodOfCallsIsRefused() throws Exception {
    ProxyLimits few = Limits.calls(3, 100);
    try (FakeIngestor ingestor = new FakeIngestor();
        Balancer balancer = Balancer.open(few, ingestor)) {
      List<RawStream> open = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        open.add(RawStream.to(balancer).open(RawStream.path("main", "web", "t")));
      }
      Balancer.await("streams open", () -> ingestor.streams.size() == 3);
      try (RawStream fourth = RawStream.to(balancer)) {
        assertTrue(String.valueOf(fourth.end().getDescription()).startsWith("too-many-calls: "));
      }
      open.getFirst().halfClose();
      assertTrue(open.getFirst().end().isOk());
      Balancer.await(
          "one gone",
          () -> balancer.registry.get("wings.loadbalancer.calls.open").gauge().value() == 2);
      try (RawStream again =
          RawStream.to(balancer).open(RawStream.path("main", "web", "t")).halfClose()) {
        assertTrue(again.end().isOk());
      }
      open.forEach(RawStream::close);
    }
  }
}
