package io.wings.loadbalancer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.wings.common.auth.Authenticator;
import io.wings.common.auth.TestTokens;
import io.wings.common.auth.TokenFile;
import io.wings.common.concurrent.Threads;
import io.wings.common.grant.Access;
import io.wings.common.time.Time;
import io.wings.common.tls.TestAuthority;
import io.wings.common.tls.Tls;
import io.wings.common.tls.TlsFiles;
import io.wings.loadbalancer.proxy.ProxyLimits;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
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

/** Stock clients over TLS, some of which show a certificate. */
class CertificateTest {
  private static final Action DESCRIBE =
      new Action(
          "describe-table",
          "{\"catalog\":\"main\",\"namespace\":[\"web\"],\"table\":\"t\"}"
              .getBytes(StandardCharsets.UTF_8));

  @TempDir private Path folder;
  private final TestAuthority clients = new TestAuthority("clients");
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
}
