package io.wings.loadbalancer;

import static io.wings.loadbalancer.Balancer.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.grpc.Status;
import io.wings.common.flight.BatchResult;
import io.wings.loadbalancer.proxy.ProxyLimits;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.apache.arrow.flight.FlightClient;
import org.apache.arrow.flight.FlightRuntimeException;
import org.apache.arrow.flight.FlightStatusCode;
import org.apache.arrow.flight.impl.Flight;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A load balancer that was asked to stop. */
@Timeout(120)
class DrainTest {
  private static final Flight.FlightDescriptor TABLE = RawStream.path("main", "web", "clicks");

  private static Balancer balancer(FakeIngestor ingestor, Duration grace) throws Exception {
    Balancer balancer =
        new Balancer(
            Optional.empty(),
            ProxyLimits.DEFAULT,
            Balancer.OFTEN,
            grace,
            List.of(ingestor.address()));
    balancer.awaitHealthy(1);
    return balancer;
  }

  private static long through(RawStream stream) {
    List<BatchResult> ranges = stream.ranges();
    return ranges.isEmpty() ? 0 : ranges.getLast().through();
  }

  @Test
  void streamsGoOnAndNobodyConnects() throws Exception {
    try (FakeIngestor ingestor = new FakeIngestor();
        Balancer balancer = balancer(ingestor, Duration.ofMinutes(5));
        RawStream stream = RawStream.to(balancer)) {
      FlightClient connected = balancer.client();
      connected.listActions().forEach(_ -> {});
      stream.open(TABLE).body(new byte[10]);
      await("first answer", () -> through(stream) == 1);
      Thread stopping = Thread.ofVirtual().start(balancer.server::close);
      await("not ready", () -> !balancer.readiness.isReady());
      // GOAWAY: the connection that the client has is good for nothing new.
      await("refused", () -> refuses(connected));
      try (RawStream late = RawStream.to(balancer)) {
        assertEquals(Status.Code.UNAVAILABLE, late.end().getCode(), late.end().toString());
      }
      stream.body(new byte[10]);
      await("second answer", () -> through(stream) == 2);
      assertTrue(stopping.isAlive());
      stream.halfClose();
      assertEquals(Status.Code.OK, stream.end().getCode());
      stopping.join();
    }
  }

  private static boolean refuses(FlightClient client) {
    try {
      client.listActions().forEach(_ -> {});
      return false;
    } catch (FlightRuntimeException e) {
      assertEquals(FlightStatusCode.UNAVAILABLE, e.status().code(), e.toString());
      return true;
    }
  }

  @Test
  void streamsThatGoOnAreEndedOnceWhatTheySentIsAnswered() throws Exception {
    try (FakeIngestor ingestor = new FakeIngestor();
        Balancer balancer = balancer(ingestor, Duration.ofMillis(100));
        RawStream stream = RawStream.to(balancer);
        RawStream idle = RawStream.to(balancer)) {
      ingestor.answering = false;
      stream.open(TABLE).body(new byte[10]).body(new byte[10]);
      idle.open(TABLE);
      await("frames", () -> ingestor.framesSeen.get() == 4);
      Thread stopping = Thread.ofVirtual().start(balancer.server::close);
      await("asked to end", () -> ingestor.halfCloses.get() == 2);
      assertFalse(stream.isOver());
      ingestor.answerAll();
      for (RawStream ended : List.of(stream, idle)) {
        Status status = ended.end();
        assertEquals(Status.Code.UNAVAILABLE, status.getCode(), status.toString());
        assertTrue(
            String.valueOf(status.getDescription()).startsWith("balancer-stopping: "),
            status.toString());
      }
      assertEquals(2, through(stream));
      assertEquals(0, through(idle));
      stopping.join();
    }
  }
}
