package io.wings.loadbalancer;

import static io.wings.loadbalancer.Balancer.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import io.grpc.Status;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.wings.common.auth.TestTokens;
import io.wings.common.config.ByteSize;
import io.wings.common.config.HostPort;
import io.wings.common.error.WingsException;
import io.wings.common.flight.BatchResult;
import io.wings.common.flight.StreamMove;
import io.wings.loadbalancer.fleet.Fleet;
import io.wings.loadbalancer.proxy.ProxyLimits;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.apache.arrow.flight.impl.Flight;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Clients and ingestors that are slow, silent, greedy or dead. */
class FlowTest {
  private static final Flight.FlightDescriptor TABLE = RawStream.path("main", "web", "clicks");
  private static final int MIB = 1 << 20;

  /** It reports every stream that is cut off, with a stack trace. */
  private static final Logger TRANSPORT = Logger.getLogger("io.grpc.netty");

  @TempDir private Path folder;

  @BeforeAll
  static void silenceTransport() {
    TRANSPORT.setLevel(Level.OFF);
  }

  @AfterAll
  static void restoreTransport() {
    TRANSPORT.setLevel(null);
  }

  private static byte[] frame(int bytes) {
    return Flight.FlightData.newBuilder()
        .setDataBody(ByteString.copyFrom(new byte[bytes]))
        .build()
        .toByteArray();
  }

  private static double gauge(Balancer balancer, String name) {
    return balancer.registry.get("wings.loadbalancer." + name).gauge().value();
  }

  /** Trap 21: memory grows with unread results. */
  @Test
  void clientThatNeverReadsSendsToTheEndAndLosesNoResult() throws Exception {
    int batches = 4_000;
    try (FakeIngestor ingestor = new FakeIngestor();
        Balancer balancer = Balancer.open(ingestor);
        RawStream stream = RawStream.neverReading(balancer)) {
      ingestor.keepFrames = false;
      stream.open(TABLE).pump(frame(10), () -> stream.sent.get() <= batches);
      stream.halfClose();
      await("all frames at the ingestor", () -> ingestor.framesSeen.get() == batches + 1);
      stream.read();
      assertEquals(Status.Code.OK, stream.end().getCode());
      assertEquals(batches, stream.ranges().stream().mapToLong(BatchResult::count).sum());
      assertEquals(batches, stream.ranges().getLast().through());
      assertTrue(stream.results.size() < batches, "unread results should have merged");
    }
  }

  @Test
  void clientThatNeverReadsSeesTheErrorWhenItReadsAtTheEnd() throws Exception {
    try (FakeIngestor ingestor = new FakeIngestor();
        Balancer balancer = Balancer.open(ingestor);
        RawStream stream = RawStream.neverReading(balancer)) {
      ingestor.keepFrames = false;
      ingestor.check =
          (_, sequence) ->
              sequence == 2_000 ? WingsException.invalid("schema-mismatch", "column 'a'") : null;
      stream.open(TABLE).pump(frame(10), () -> stream.sent.get() < 4_000);
      stream.halfClose();
      assertEquals(4_000, stream.sent.get());
      stream.read();
      Status status = stream.end();
      assertEquals(Status.Code.INVALID_ARGUMENT, status.getCode());
      assertEquals("schema-mismatch: column 'a' (retry: no)", status.getDescription());
      assertEquals(1_999, stream.ranges().getLast().through());
    }
  }

  /** Trap 21: memory grows with a backlog. */
  @Test
  void ingestorThatReadsNoFurtherStopsTheClient() throws Exception {
    try (FakeIngestor ingestor = new FakeIngestor();
        Balancer balancer = Balancer.open(ingestor);
        RawStream stream = RawStream.to(balancer)) {
      ingestor.reading = false;
      long deadline = System.nanoTime() + Duration.ofSeconds(3).toNanos();
      stream.open(TABLE).pump(frame(MIB), () -> System.nanoTime() < deadline);
      assertFalse(stream.isReady());
      // Flow control windows at three ends, a frame in each hand.
      assertTrue(stream.sent.get() < 40, "sent " + stream.sent + " MiB to an ingestor that sleeps");
      assertTrue(gauge(balancer, "held.bytes") <= (stream.sent.get() + 2.1) * MIB);
      assertFalse(stream.isOver());
    }
  }

  @Test
  void streamGoesOnWhereItsIngestorDiedOrAskedItToMove() throws Exception {
    try (FakeIngestor first = new FakeIngestor();
        FakeIngestor second = new FakeIngestor();
        Balancer balancer = Balancer.open(first, second);
        RawStream stream = RawStream.to(balancer)) {
      first.answering = false;
      second.answering = false;
      stream.open(TABLE).body(new byte[10]).body(new byte[20]);
      await("frames", () -> first.framesSeen.get() + second.framesSeen.get() == 3);
      FakeIngestor dying = first.streams.isEmpty() ? second : first;
      FakeIngestor other = first.streams.isEmpty() ? first : second;
      other.answering = true;
      dying.kill();
      await("answers", () -> stream.results.size() == 2);
      assertEquals(
          2, Objects.requireNonNull(other.streams.getFirst().resumption()).resentThrough());
      assertEquals(
          5,
          Objects.requireNonNull(
                  Objects.requireNonNull(other.streams.getFirst().resumption()).opened())
              .epoch());
      other.move(StreamMove.Reason.CONTENTION);
      stream.body(new byte[30]).halfClose();
      assertEquals(Status.Code.OK, stream.end().getCode());
      assertEquals(3, stream.ranges().stream().mapToLong(BatchResult::count).sum());
      assertEquals(3, stream.ranges().getLast().through());
      assertEquals(2, balancer.registry.get("wings.loadbalancer.resent").counter().count());
      assertEquals(
          1,
          balancer
              .registry
              .get("wings.loadbalancer.moved")
              .tag("reason", "contention")
              .counter()
              .count());
      await("nothing held", () -> gauge(balancer, "held.bytes") == 0);
    }
  }

  @Test
  void streamThatNoIngestorTakesEndsUnavailable() throws Exception {
    try (FakeIngestor ingestor = new FakeIngestor();
        Balancer balancer = Balancer.open(Limits.patience(Duration.ofMillis(500)), ingestor);
        RawStream stream = RawStream.to(balancer)) {
      ingestor.answering = false;
      stream.open(TABLE).body(new byte[10]);
      await("frame", () -> ingestor.framesSeen.get() == 2);
      ingestor.kill();
      Status status = stream.end();
      assertEquals(Status.Code.UNAVAILABLE, status.getCode());
      assertTrue(
          String.valueOf(status.getDescription()).startsWith("no-ingestor: "), status.toString());
      await("nothing held", () -> gauge(balancer, "held.bytes") == 0);
    }
  }

  @Test
  void ingestorThatNoLongerAnswersChecksLosesItsStreams() throws Exception {
    Fleet.Pace impatient =
        new Fleet.Pace(Duration.ofMillis(100), Duration.ofSeconds(1), Duration.ofSeconds(1));
    try (FakeIngestor ingestor = new FakeIngestor();
        Balancer balancer =
            new Balancer(
                Optional.empty(),
                Limits.patience(Duration.ofMillis(500)),
                impatient,
                List.of(ingestor.address()));
        RawStream stream = RawStream.to(balancer)) {
      balancer.awaitHealthy(1);
      ingestor.answering = false;
      stream.open(TABLE).body(new byte[10]);
      await("stream at the ingestor", () -> ingestor.framesSeen.get() == 2);
      ingestor.health = null;
      assertEquals(Status.Code.UNAVAILABLE, stream.end().getCode());
      assertFalse(balancer.readiness.isReady());
      ingestor.health = ServingStatus.SERVING;
      balancer.awaitHealthy(1);
      assertTrue(balancer.readiness.isReady());
    }
  }

  @Test
  void drainingIngestorKeepsItsStreamsAndGetsNoNewOnes() throws Exception {
    try (FakeIngestor first = new FakeIngestor();
        FakeIngestor second = new FakeIngestor();
        Balancer balancer = Balancer.open(first, second);
        RawStream stream = RawStream.to(balancer);
        RawStream later = RawStream.to(balancer)) {
      stream.open(TABLE);
      await("stream", () -> first.streams.size() + second.streams.size() == 1);
      FakeIngestor serving = first.streams.isEmpty() ? second : first;
      FakeIngestor other = first.streams.isEmpty() ? first : second;
      serving.health = ServingStatus.NOT_SERVING;
      balancer.awaitHealthy(1);
      later.open(TABLE);
      await("later stream at the other one", () -> other.streams.size() == 1);
      stream.body(new byte[10]).halfClose();
      assertEquals(Status.Code.OK, stream.end().getCode());
    }
  }

  @Test
  void withoutIngestorStreamsAreUnavailable() throws Exception {
    FakeIngestor gone = new FakeIngestor();
    HostPort address = gone.address();
    gone.close();
    try (Balancer balancer =
            new Balancer(
                Optional.empty(), Limits.patience(Duration.ofMillis(500)), List.of(address));
        RawStream stream = RawStream.to(balancer).open(TABLE)) {
      Status status = stream.end();
      assertEquals(Status.Code.UNAVAILABLE, status.getCode());
      assertTrue(String.valueOf(status.getDescription()).startsWith("no-ingestor: "));
      assertFalse(balancer.readiness.isReady());
    }
  }

  @Test
  void returningIngestorServesAgain() throws Exception {
    FakeIngestor before = new FakeIngestor();
    int port = before.address().port();
    try (Balancer balancer = Balancer.open(before)) {
      before.close();
      balancer.awaitHealthy(0);
      try (FakeIngestor after = new FakeIngestor(port);
          RawStream stream = RawStream.to(balancer)) {
        balancer.awaitHealthy(1);
        stream.open(TABLE).halfClose();
        assertEquals(Status.Code.OK, stream.end().getCode());
        assertEquals(1, after.streams.size());
      }
    }
  }

  @Test
  void clientThatGoesAwayCancelsAtTheIngestorWhichStaysHealthy() throws Exception {
    try (FakeIngestor ingestor = new FakeIngestor();
        Balancer balancer = Balancer.open(ingestor)) {
      try (RawStream stream = RawStream.to(balancer)) {
        stream.open(TABLE);
        await("stream at the ingestor", () -> ingestor.streams.size() == 1);
        stream.cancel();
        await("cancelled", () -> ingestor.cancelled.get() == 1);
      }
      assertEquals(1, gauge(balancer, "ingestor.healthy"));
      await("no call open", () -> gauge(balancer, "calls.open") == 0);
    }
  }

  @Test
  void ingestorThatEndsOkTooEarlyIsNotBelieved() throws Exception {
    try (FakeIngestor ingestor = new FakeIngestor();
        Balancer balancer = Balancer.open(ingestor);
        RawStream stream = RawStream.to(balancer)) {
      ingestor.endsAfter = 1;
      stream.open(TABLE).body(new byte[10]);
      await("first result", () -> stream.results.size() == 1);
      ingestor.endsAfter = 0;
      stream.body(new byte[10]).halfClose();
      assertEquals(Status.Code.OK, stream.end().getCode());
      assertEquals(2, stream.ranges().getLast().through());
      assertEquals(2, ingestor.streams.size());
    }
  }

  @Test
  void messageThatIsTooLargeIsRefusedAfterWhatCameBefore() throws Exception {
    ProxyLimits limits = Limits.bytes(ByteSize.ofMebibytes(2), ByteSize.ofMebibytes(64));
    try (FakeIngestor ingestor = new FakeIngestor();
        Balancer balancer = Balancer.open(limits, ingestor)) {
      for (int size : new int[] {2 * MIB + 10, 30 * MIB, 100 * MIB}) {
        try (RawStream stream = RawStream.to(balancer)) {
          stream.open(TABLE).body(new byte[10]);
          await("first result", () -> stream.results.size() == 1);
          stream.send(frame(size)).halfClose();
          Status status = stream.end();
          assertEquals(Status.Code.INVALID_ARGUMENT, status.getCode(), () -> size + ": " + status);
          assertTrue(String.valueOf(status.getDescription()).startsWith("message-too-large: "));
        }
      }
      assertEquals(3, ingestor.streams.size());
      await("nothing held", () -> gauge(balancer, "held.bytes") == 0);
    }
  }

  @Test
  void floodOfLargeMessagesCostsItsSenderAlone() throws Exception {
    Path tokens =
        TestTokens.file(
            folder, TestTokens.line("flood", "secret-1"), TestTokens.line("calm", "secret-2"));
    try (FakeIngestor ingestor = new FakeIngestor();
        Balancer balancer =
            new Balancer(
                Optional.of(tokens),
                Limits.bytes(ByteSize.ofMebibytes(64), ByteSize.ofMebibytes(16)),
                List.of(ingestor.address()))) {
      balancer.awaitHealthy(1);
      ingestor.keepFrames = false;
      List<RawStream> flood = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        RawStream stream = RawStream.as(balancer, "secret-1").open(TABLE);
        flood.add(stream.send(frame(30 * MIB)));
      }
      try (RawStream calm = RawStream.as(balancer, "secret-2").open(TABLE)) {
        for (int i = 0; i < 20; i++) {
          calm.send(frame(MIB / 4));
        }
        calm.halfClose();
        assertEquals(Status.Code.OK, calm.end().getCode());
      }
      for (RawStream stream : flood) {
        Status status = stream.end();
        assertEquals(Status.Code.UNAVAILABLE, status.getCode(), status.toString());
        assertTrue(String.valueOf(status.getDescription()).startsWith("too-many-bytes: "));
        stream.close();
      }
      await("nothing held", () -> gauge(balancer, "held.bytes") == 0);
    }
  }

  @Test
  void clientThatSendsOnAfterItsRefusalIsCutOff() throws Exception {
    ProxyLimits limits = Limits.bytes(ByteSize.ofMebibytes(1), ByteSize.ofMebibytes(4));
    try (FakeIngestor ingestor = new FakeIngestor();
        Balancer balancer = Balancer.open(limits, ingestor);
        RawStream stream = RawStream.neverReading(balancer)) {
      ingestor.keepFrames = false;
      // Unread results fill the client's window, so it can't be told that it is refused.
      stream.open(TABLE).pump(frame(10), () -> stream.sent.get() < 2_000);
      await("frames", () -> ingestor.framesSeen.get() == 2_000);
      stream.send(frame(100 * MIB));
      await("cut off", () -> gauge(balancer, "calls.open") == 0);
      assertEquals(0, gauge(balancer, "held.bytes"));
      stream.read();
      assertEquals(Status.Code.CANCELLED, stream.end().getCode());
    }
  }
}
