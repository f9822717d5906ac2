package io.wings.loadbalancer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.wings.common.auth.Authenticator;
import io.wings.common.auth.TestTokens;
import io.wings.common.auth.TokenFile;
import io.wings.common.concurrent.Threads;
import io.wings.common.grant.Access;
import io.wings.common.grant.Refusals;
import io.wings.common.log.LogLines;
import io.wings.common.time.Time;
import io.wings.common.tls.TestAuthority;
import io.wings.common.tls.Tls;
import io.wings.common.tls.TlsFiles;
import io.wings.loadbalancer.proxy.ProxyLimits;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;
import org.apache.arrow.flight.Action;
import org.apache.arrow.flight.CallOption;
import org.apache.arrow.flight.FlightClient;
import org.apache.arrow.flight.FlightRuntimeException;
import org.apache.arrow.flight.FlightStatusCode;
import org.apache.arrow.flight.Location;
import org.apache.arrow.flight.auth2.BearerCredentialWriter;
import org.apache.arrow.flight.grpc.CredentialCallOption;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/** Stock clients over TLS, some of which show a certificate. */
@Isolated("it listens to a log")
class CertificateTest {
  private static final Action DESCRIBE =
      new Action(
          "describe-table",
          "{\"catalog\":\"main\",\"namespace\":[\"web\"],\"table\":\"t\"}"
              .getBytes(StandardCharsets.UTF_8));

  @TempDir private Path folder;
  private final TestAuthority clients = new TestAuthority("clients");
  private final LogLines log = LogLines.of(Refusals.class);
  private FakeIngestor ingestor;
  private TlsFiles shown;
  private Tls tls;
  private Balancer balancer;

  @BeforeEach
  void start() throws Exception {
    TlsFiles own = new TestAuthority("servers").issue(folder.resolve("own"), "wings", "localhost");
    Path authority = clients.issue(folder.resolve("client"), "etl").authorities().orElseThrow();
    shown = new TlsFiles(own.certificates(), own.key(), Optional.of(authority));
    tls = Tls.ofServer(shown, Time.system(), Threads.virtual());
    ingestor = new FakeIngestor();
    Authenticator tokens =
        new TokenFile(TestTokens.file(folder, TestTokens.line("loader", "loads")), Time.system());
    balancer =
        new Balancer(
            Optional.of(tls),
            tokens,
            Access.Everything.INSTANCE,
            ProxyLimits.DEFAULT,
            Balancer.OFTEN,
            Duration.ZERO,
            List.of(ingestor.address()));
    balancer.awaitHealthy(1);
  }

  @AfterEach
  void stop() {
    log.close();
    balancer.close();
    ingestor.close();
    tls.close();
  }

  private void ask(Optional<Path> certificate, CallOption... options) throws Exception {
    FlightClient.Builder builder =
        FlightClient.builder(
            balancer.allocator, Location.forGrpcTls("localhost", balancer.server.port()));
    Path shows = certificate.orElse(folder.resolve("own"));
    try (InputStream trusted = Files.newInputStream(folder.resolve("own/ca.crt"));
        InputStream chain = Files.newInputStream(shows.resolve("tls.crt"));
        InputStream key = Files.newInputStream(shows.resolve("tls.key"))) {
      builder.trustedCertificates(trusted);
      if (certificate.isPresent()) {
        builder.clientCertificate(chain, key);
      }
      FlightClient client = builder.build();
      try {
        client.doAction(DESCRIBE, options).forEachRemaining(_ -> {});
      } finally {
        client.close();
      }
    }
  }

  private static FlightStatusCode refused(org.junit.jupiter.api.function.Executable call) {
    return assertThrows(FlightRuntimeException.class, call).status().code();
  }

  @Test
  void aClientIsWhoItsCertificateSays() throws Exception {
    ask(Optional.of(folder.resolve("client")));
    assertEquals(List.of("etl"), ingestor.principals);
  }

  @Test
  void aTokenSaysMoreThanACertificate() throws Exception {
    CallOption token = new CredentialCallOption(new BearerCredentialWriter("loads"));
    ask(Optional.of(folder.resolve("client")), token);
    ask(Optional.empty(), token);
    assertEquals(List.of("loader", "loader"), ingestor.principals);
    CallOption wrong = new CredentialCallOption(new BearerCredentialWriter("guesses"));
    assertEquals(
        FlightStatusCode.UNAUTHENTICATED,
        refused(() -> ask(Optional.of(folder.resolve("client")), wrong)));
  }

  @Test
  void whoShowsNothingOrAnotherAuthoritysIsRefused() {
    assertEquals(FlightStatusCode.UNAUTHENTICATED, refused(() -> ask(Optional.empty())));
    // Which a client doesn't even show, once it is told whose are taken.
    TlsFiles _ = new TestAuthority("others").issue(folder.resolve("other"), "etl");
    assertEquals(
        FlightStatusCode.UNAUTHENTICATED, refused(() -> ask(Optional.of(folder.resolve("other")))));
    TlsFiles _ = clients.issue(folder.resolve("nameless"), "a:b");
    assertEquals(
        FlightStatusCode.UNAUTHENTICATED,
        refused(() -> ask(Optional.of(folder.resolve("nameless")))));
    assertEquals(List.of(), ingestor.principals);
  }

  private void send(String text) throws Exception {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), balancer.server.port())) {
      socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
      // Until the server has closed it.
      int _ = socket.getInputStream().readAllBytes().length;
    } catch (SocketException _) {
      // The same, with what wasn't read.
    }
  }

  @Test
  void whoSpeaksNoTlsIsInTheLogOnceWithoutWhatItSent() throws Exception {
    for (int i = 0; i < 3; i++) {
      send("GET / HTTP/1.1\r\nAuthorization: Bearer loads\r\n\r\n");
    }
    assertEquals(
        List.of("a caller at 127.0.0.1 was not let in: it doesn't speak TLS"), log.texts());
  }

  @Test
  void whoDoesntTrustTheServerIsInTheLog() throws Exception {
    SSLSocketFactory ofTheJdk = (SSLSocketFactory) SSLSocketFactory.getDefault();
    try (Socket socket = ofTheJdk.createSocket("127.0.0.1", balancer.server.port())) {
      assertThrows(SSLException.class, ((SSLSocket) socket)::startHandshake);
    }
    long began = System.nanoTime();
    while (log.texts().isEmpty() && System.nanoTime() - began < 10_000_000_000L) {
      Thread.sleep(10);
    }
    assertEquals(1, log.texts().size());
    assertTrue(
        log.texts()
            .getFirst()
            .startsWith("a caller at 127.0.0.1 was not let in: the TLS handshake failed: "),
        log.texts().toString());
  }

  @Test
  void whoOnlyConnectsAsProbesDoIsNot() throws Exception {
    new Socket(InetAddress.getLoopbackAddress(), balancer.server.port()).close();
    send("no TLS");
    assertEquals(1, log.texts().size());
  }
}
