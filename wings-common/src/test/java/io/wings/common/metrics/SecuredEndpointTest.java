package io.wings.common.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.wings.common.concurrent.Threads;
import io.wings.common.tls.ByHand;
import io.wings.common.tls.TestAuthority;
import io.wings.common.tls.Tls;
import io.wings.common.tls.TlsFiles;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import javax.net.ssl.SSLException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Metrics and health over TLS. */
class SecuredEndpointTest {
  @TempDir private Path directory;
  private final ByHand time = new ByHand();
  private Tls tls;
  private RoleEndpoint endpoint;
  private Path authority;

  @BeforeEach
  void start() {
    TlsFiles files = new TestAuthority("first").issue(directory, "role", "wings");
    authority = directory.resolve("ca.crt");
    tls =
        Tls.ofServer(
            new TlsFiles(files.certificates(), files.key(), Optional.empty()),
            time,
            Threads.virtual());
    endpoint =
        RoleEndpoint.start(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
            Optional.of(tls),
            Threads.virtual().executor("http"),
            "Bearer scrapes"::equals);
  }

  @AfterEach
  void stop() {
    endpoint.close();
    tls.close();
  }

  private int ask(Path trusted, String name, String authorization)
      throws IOException, InterruptedException {
    URI uri = URI.create("https://127.0.0.1:" + endpoint.port() + "/metrics");
    try (HttpClient http =
        HttpClient.newBuilder().sslContext(Tls.httpClient(trusted, name)).build()) {
      return http.send(
              HttpRequest.newBuilder(uri).header("Authorization", authorization).build(),
              HttpResponse.BodyHandlers.discarding())
          .statusCode();
    }
  }

  @Test
  void metricsAreReadByTlsAndToken() throws Exception {
    assertEquals(200, ask(authority, "wings", "Bearer scrapes"));
    assertEquals(401, ask(authority, "wings", "Bearer guesses"));
    assertThrows(SSLException.class, () -> ask(authority, "billing", "Bearer scrapes"));
    URI clear = URI.create("http://127.0.0.1:" + endpoint.port() + "/livez");
    try (HttpClient http = HttpClient.newHttpClient()) {
      assertThrows(
          IOException.class,
          () ->
              http.send(
                  HttpRequest.newBuilder(clear).build(), HttpResponse.BodyHandlers.discarding()));
    }
  }

  @Test
  void tellsAWrongTokenFromNone() throws Exception {
    URI uri = URI.create("https://127.0.0.1:" + endpoint.port() + "/metrics");
    try (HttpClient http =
        HttpClient.newBuilder().sslContext(Tls.httpClient(authority, "wings")).build()) {
      String none =
          http.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString())
              .body();
      assertTrue(none.contains("none was shown"), none);
      String wrong =
          http.send(
                  HttpRequest.newBuilder(uri).header("Authorization", "Bearer guesses").build(),
                  HttpResponse.BodyHandlers.ofString())
              .body();
      assertTrue(wrong.contains("not one for metrics"), wrong);
    }
  }

  /** Trap 24. */
  @Test
  void connectionsShowWhatHasReplacedAnOldCertificate() throws Exception {
    Path before = Files.copy(authority, directory.resolve("before.crt"));
    assertEquals(200, ask(before, "wings", "Bearer scrapes"));
    var _ = new TestAuthority("next").issue(directory, "role", "wings");
    time.pass();
    assertThrows(SSLException.class, () -> ask(before, "wings", "Bearer scrapes"));
    assertEquals(200, ask(authority, "wings", "Bearer scrapes"));
  }
}
