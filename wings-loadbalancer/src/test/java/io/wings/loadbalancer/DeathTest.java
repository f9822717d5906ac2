package io.wings.loadbalancer;

import static io.wings.loadbalancer.Balancer.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.grpc.Status;
import io.wings.common.config.HostPort;
import io.wings.common.error.WingsException;
import io.wings.common.flight.AwaitedRange;
import io.wings.common.flight.BatchResult;
import io.wings.common.flight.BatchStatus;
import io.wings.common.flight.StreamRequest;
import io.wings.loadbalancer.proxy.ProxyLimits;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.apache.arrow.flight.Action;
import org.apache.arrow.flight.Criteria;
import org.apache.arrow.flight.FlightClient;
import org.apache.arrow.flight.FlightDescriptor;
import org.apache.arrow.flight.FlightRuntimeException;
import org.apache.arrow.flight.FlightStatusCode;
import org.apache.arrow.flight.impl.Flight;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Clients that open a stream, or ask for something, in the instant in which an ingestor goes. */
@Timeout(120)
class DeathTest {
  private static final Flight.FlightDescriptor TABLE = RawStream.path("main", "web", "clicks");
  private static final String NAME =
      "{\"catalog\":\"main\",\"namespace\":[\"web\"],\"table\":\"t\"";

  /** It reports every call that is cut off, with a stack trace. */
  private static final Logger TRANSPORT = Logger.getLogger("io.grpc");

  @BeforeAll
  static void silenceTransport() {
    TRANSPORT.setLevel(Level.OFF);
  }

  @AfterAll
  static void restoreTransport() {
    TRANSPORT.setLevel(null);
  }

  private static WingsException stopping() {
    return WingsException.unavailable("ingestor-stopping", "the ingestor is stopping", null);
  }

  /** Whichever of the two is asked first goes away; how many were asked is counted. */
  private static AtomicInteger firstAskedGoes(
      FakeIngestor one, FakeIngestor other, Consumer<FakeIngestor> goes) {
    AtomicInteger asked = new AtomicInteger();
    for (FakeIngestor ingestor : List.of(one, other)) {
      ingestor.onCall =
          () -> {
            if (asked.incrementAndGet() == 1) {
              goes.accept(ingestor);
            }
          };
    }
    return asked;
  }

  private static void stop(FakeIngestor ingestor) {
    throw stopping();
  }

  @Test
  void aStreamThatOpensWhileItsIngestorDiesOpensAtTheNext() throws Exception {
    try (FakeIngestor first = new FakeIngestor();
        FakeIngestor second = new FakeIngestor();
        Balancer balancer = Balancer.open(first, second);
        RawStream stream = RawStream.to(balancer)) {
      AtomicInteger asked = firstAskedGoes(first, second, FakeIngestor::kill);
      stream.open(TABLE).body(new byte[10]).halfClose();
      assertEquals(Status.Code.OK, stream.end().getCode(), stream.end().toString());
      assertEquals(2, asked.get());
      assertEquals(1, stream.ranges().getLast().through());
    }
  }

  @Test
  void aStreamThatOpensWhileItsIngestorStopsOpensAtTheNext() throws Exception {
    try (FakeIngestor first = new FakeIngestor();
        FakeIngestor second = new FakeIngestor();
        Balancer balancer = Balancer.open(first, second);
        RawStream stream = RawStream.to(balancer)) {
      AtomicInteger asked = firstAskedGoes(first, second, DeathTest::stop);
      stream.open(TABLE).body(new byte[10]).halfClose();
      assertEquals(Status.Code.OK, stream.end().getCode(), stream.end().toString());
      assertEquals(2, asked.get());
    }
  }

  @Test
  void aStreamThatOpensWhileNoIngestorServesWaitsForOne() throws Exception {
    FakeIngestor before = new FakeIngestor();
    HostPort address = before.address();
    before.close();
    try (Balancer balancer = new Balancer(Optional.empty(), ProxyLimits.DEFAULT, List.of(address));
        RawStream stream = RawStream.to(balancer)) {
      stream.open(TABLE).body(new byte[10]).halfClose();
      await(
          "the call",
          () -> balancer.registry.get("wings.loadbalancer.calls.open").gauge().value() == 1);
      try (FakeIngestor after = new FakeIngestor(address.port())) {
        assertEquals(Status.Code.OK, stream.end().getCode(), stream.end().toString());
        assertEquals(1, after.streams.size());
      }
    }
  }

  private static Consumer<FlightClient> action(String type, String more) {
    byte[] body = (NAME + more + "}").getBytes(StandardCharsets.UTF_8);
    return client -> client.doAction(new Action(type, body)).forEachRemaining(_ -> {});
  }

  @Test
  void whatMayBeRepeatedIsAskedOfTheNextIngestor() throws Exception {
    FlightDescriptor table = FlightDescriptor.path("main", "web", "t");
    String position =
        ",\"incarnation\":\"%s\",\"lane\":0,\"position\":1,\"timeout_ms\":10"
            .formatted(FakeIngestor.INCARNATION);
    List<Consumer<FlightClient>> calls =
        List.of(
            action("describe-table", ""),
            action("producer-state", ",\"producer\":\"p\""),
            action("await-visible", position),
            client -> client.getInfo(table),
            client -> client.listFlights(Criteria.ALL).forEach(_ -> {}));
    for (Consumer<FlightClient> call : calls) {
      for (Consumer<FakeIngestor> goes :
          List.<Consumer<FakeIngestor>>of(FakeIngestor::kill, DeathTest::stop)) {
        try (FakeIngestor first = new FakeIngestor();
            FakeIngestor second = new FakeIngestor();
            Balancer balancer = Balancer.open(first, second)) {
          AtomicInteger asked = firstAskedGoes(first, second, goes);
          call.accept(balancer.client());
          assertTrue(asked.get() >= 2, "asked " + asked);
        }
      }
    }
  }

  /** P6: a table may have been made, and what a flush asks about only the first has received. */
  @Test
  void whatAnotherIngestorCantAnswerIsAskedOnce() throws Exception {
    for (Consumer<FlightClient> call :
        List.of(action("create-table", ",\"schema\":\"AAAA\""), action("flush", ",\"lane\":0"))) {
      try (FakeIngestor first = new FakeIngestor();
          FakeIngestor second = new FakeIngestor();
          Balancer balancer = Balancer.open(first, second)) {
        AtomicInteger asked = firstAskedGoes(first, second, FakeIngestor::kill);
        FlightRuntimeException error =
            assertThrows(FlightRuntimeException.class, () -> call.accept(balancer.client()));
        assertEquals(FlightStatusCode.UNAVAILABLE, error.status().code());
        assertTrue(String.valueOf(error.getMessage()).startsWith("ingestor-lost: "));
        assertEquals(1, asked.get());
      }
    }
  }

  private static double counted(Balancer balancer, String what) {
    return balancer.registry.get("wings.loadbalancer." + what).counter().count();
  }

  /** A connection that breaks and an ingestor that dies look alike until the next answer. */
  @Test
  void connectionsThatBreakToALivingIngestorAreNoDeaths() throws Exception {
    try (FakeIngestor ingestor = new FakeIngestor();
        Balancer balancer = Balancer.open(ingestor);
        RawStream stream = RawStream.to(balancer)) {
      AtomicInteger reads = new AtomicInteger();
      ingestor.check =
          (_, _) -> {
            if (reads.incrementAndGet() <= 4) {
              throw Status.UNAVAILABLE.withDescription("io exception").asRuntimeException();
            }
            return null;
          };
      stream.open(TABLE).body(new byte[10]).halfClose();
      assertEquals(Status.Code.OK, stream.end().getCode(), stream.end().toString());
      assertEquals(1, stream.ranges().getLast().through());
      assertEquals(4, counted(balancer, "deaths"));
      assertTrue(counted(balancer, "outlived") >= 2);
      assertEquals(0, counted(balancer, "suspects"));
    }
  }

  /** The right to be alone goes back when it is seen that nobody died, waited for or held. */
  @Test
  void manyStreamsWhoseConnectionsBreakAllGoOn() throws Exception {
    try (FakeIngestor ingestor = new FakeIngestor();
        Balancer balancer = Balancer.open(ingestor)) {
      Map<String, AtomicInteger> reads = new ConcurrentHashMap<>();
      ingestor.check =
          (request, _) -> {
            int read =
                reads
                    .computeIfAbsent(request.producer(), _ -> new AtomicInteger())
                    .incrementAndGet();
            if (read <= 2) {
              throw Status.UNAVAILABLE.withDescription("io exception").asRuntimeException();
            }
            return null;
          };
      List<RawStream> streams = new ArrayList<>();
      for (int i = 0; i < 6; i++) {
        // They stay open: one that kept the right would keep the others waiting.
        streams.add(RawStream.to(balancer).open(TABLE).body(new byte[10]));
      }
      await("answers", () -> streams.stream().allMatch(stream -> stream.results.size() == 1));
      for (RawStream stream : streams) {
        stream.halfClose();
        assertEquals(Status.Code.OK, stream.end().getCode(), stream.end().toString());
        stream.close();
      }
    }
  }

  /** Who has nothing to send needs no ingestor for itself. */
  @Test
  void idleStreamThatMayMakeItsTableKeepsNoOtherWaiting() throws Exception {
    try (FakeIngestor ingestor = new FakeIngestor();
        Balancer balancer = Balancer.open(ingestor);
        RawStream idle = RawStream.to(balancer);
        RawStream other = RawStream.to(balancer)) {
      ingestor.tableAbsent = true;
      idle.open(RawStream.cmd(NAME + ",\"create\":\"if-missing\"}"));
      for (int death = 1; death <= 2; death++) {
        int streams = death;
        await("it is open", () -> ingestor.streams.size() == streams);
        ingestor.dieAndReturn();
      }
      AtomicInteger killed = new AtomicInteger();
      ingestor.check =
          (request, _) -> {
            if (request.tableName().table().equals("clicks") && killed.incrementAndGet() <= 2) {
              ingestor.replace();
              throw FakeIngestor.BROKEN.asRuntimeException();
            }
            return null;
          };
      other.open(TABLE).body(new byte[10]).halfClose();
      assertEquals(Status.Code.OK, other.end().getCode(), other.end().toString());
      idle.body(new byte[10]).halfClose();
      assertEquals(Status.Code.OK, idle.end().getCode(), idle.end().toString());
      assertEquals(1, idle.ranges().getLast().through());
    }
  }

  /** One that is alone and isn't answered doesn't keep others for ever. */
  @Test
  void aStreamWaitsNoLongerToBeAloneThanForAnIngestor() throws Exception {
    try (FakeIngestor ingestor = new FakeIngestor();
        Balancer balancer = Balancer.open(Limits.patience(Duration.ofSeconds(4)), ingestor);
        RawStream alone = RawStream.to(balancer);
        RawStream other = RawStream.to(balancer)) {
      ingestor.answering = false;
      Map<String, AtomicInteger> reads = new ConcurrentHashMap<>();
      ingestor.check =
          (request, _) -> {
            String producer = request.producer();
            if (reads.computeIfAbsent(producer, _ -> new AtomicInteger()).incrementAndGet() <= 2) {
              ingestor.replace();
              throw FakeIngestor.BROKEN.asRuntimeException();
            }
            return null;
          };
      alone.open(TABLE).body(new byte[10]);
      await("alone", () -> reads.values().stream().anyMatch(read -> read.get() == 3));
      other.open(TABLE).body(new byte[10]);
      assertEquals(Status.Code.UNAVAILABLE, other.end().getCode(), other.end().toString());
      assertTrue(String.valueOf(other.end().getDescription()).startsWith("no-ingestor: "));
    }
  }

  /** Trap 36. Trap 45. */
  @Test
  void batchThatKillsIngestorsIsToldNotToComeAgain() throws Exception {
    try (FakeIngestor ingestor = new FakeIngestor();
        Balancer balancer = Balancer.open(ingestor);
        RawStream stream = RawStream.to(balancer)) {
      AtomicInteger killed = new AtomicInteger();
      ingestor.check =
          (_, _) -> {
            killed.incrementAndGet();
            ingestor.replace();
            throw Status.UNAVAILABLE.withDescription("io exception").asRuntimeException();
          };
      stream.open(TABLE).body(new byte[10]).halfClose();
      assertEquals(Status.Code.INVALID_ARGUMENT, stream.end().getCode(), stream.end().toString());
      assertTrue(String.valueOf(stream.end().getDescription()).startsWith("suspect-batch: "));
      assertEquals(3, killed.get());
    }
  }

  private static double held(Balancer balancer) {
    return balancer.registry.get("wings.loadbalancer.held.bytes").gauge().value();
  }

  /** What one ingestor told durable, the next one tells visible; what it had told, it doesn't. */
  @Test
  void aClientThatWaitsForVisibleIsToldEachBatchOnceAcrossADeath() throws Exception {
    try (FakeIngestor first = new FakeIngestor();
        FakeIngestor second = new FakeIngestor();
        Balancer balancer = Balancer.open(first, second);
        RawStream stream = RawStream.to(balancer)) {
      stream.open(RawStream.cmd(NAME + ",\"ack\":\"visible\"}"));
      for (int i = 0; i < 3; i++) {
        stream.body(new byte[1000]);
      }
      await("two are visible", () -> stream.results.size() == 1);
      await("all are there", () -> first.framesSeen.get() + second.framesSeen.get() == 4);
      // One batch is expected next.
      await("none is kept", () -> held(balancer) < 2 * 1000);
      FakeIngestor dying = first.streams.isEmpty() ? second : first;
      FakeIngestor next = first.streams.isEmpty() ? first : second;
      dying.kill();
      await("open elsewhere", () -> next.streams.size() == 1);
      stream.body(new byte[10]).halfClose();
      assertEquals(Status.Code.OK, stream.end().getCode(), stream.end().toString());
      StreamRequest again = next.streams.getFirst();
      assertEquals(4, again.firstSequence());
      assertEquals(
          List.of(new AwaitedRange(3, 3, 3)), Objects.requireNonNull(again.awaiting()).ranges());
      List<Long> told = new ArrayList<>();
      for (BatchResult result : stream.ranges()) {
        assertEquals(BatchStatus.VISIBLE, result.status());
        for (long sequence = result.sequence(); sequence <= result.through(); sequence++) {
          told.add(sequence);
        }
      }
      assertEquals(List.of(1L, 2L, 3L, 4L), told);
    }
  }
}
