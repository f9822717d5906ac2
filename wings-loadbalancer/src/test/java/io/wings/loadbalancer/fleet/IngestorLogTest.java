package io.wings.loadbalancer.fleet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.grpc.Server;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.protobuf.services.HealthStatusManager;
import io.wings.common.concurrent.Threads;
import io.wings.common.config.HostPort;
import io.wings.common.log.LogLines;
import io.wings.common.time.Time;
import io.wings.common.tls.ByHand;
import io.wings.common.tls.TestAuthority;
import io.wings.common.tls.Tls;
import io.wings.common.tls.Transport;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

@Isolated("it listens to a log")
class IngestorLogTest {
  private final LogLines log = LogLines.of(Ingestor.class);

  @AfterEach
  void stop() {
    log.close();
  }

  /** The ingestor's clock is slow: it started with a certificate that is over for others. */
  @Test
  void anIngestorWhoseCertificateIsOverIsLostAndTheLogSaysWhy(@TempDir Path directory)
      throws Exception {
    TestAuthority authority = new TestAuthority("a cluster's");
    ByHand yesterday = new ByHand(Duration.ofDays(-1).minusHours(12));
    try (Transport late =
            new Transport.Mutual(
                Tls.ofCluster(
                    authority.issue(directory.resolve("l"), "l", Duration.ofDays(-1), "wings"),
                    "wings",
                    yesterday,
                    Threads.virtual()));
        Transport own =
            new Transport.Mutual(
                Tls.ofCluster(
                    authority.issue(directory.resolve("o"), "o", "wings"),
                    "wings",
                    Time.system(),
                    Threads.virtual()))) {
      Server server =
          late.server(NettyServerBuilder.forPort(0))
              .addService(new HealthStatusManager().getHealthService())
              .build()
              .start();
      CountDownLatch changed = new CountDownLatch(1);
      Ingestor ingestor =
          new Ingestor(
              HostPort.parse("127.0.0.1:" + server.getPort()),
              at -> own.client(NettyChannelBuilder.forAddress(at.host(), at.port())).build(),
              new Sightings(Time.system()),
              Time.system(),
              changed::countDown);
      ingestor.check(Duration.ofSeconds(20));
      changed.await();
      ingestor.abort();
      server.shutdownNow();
    }
    assertEquals(1, log.texts().size());
    String line = log.texts().getFirst();
    assertTrue(line.contains("UNKNOWN -> SUSPECT"), line);
    assertTrue(line.contains("TLS handshake failed: CertificateExpiredException"), line);
  }
}
