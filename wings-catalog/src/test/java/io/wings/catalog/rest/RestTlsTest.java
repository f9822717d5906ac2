package io.wings.catalog.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.wings.common.auth.TestIssuer;
import io.wings.common.concurrent.Threads;
import io.wings.common.grant.Access;
import io.wings.common.grant.Grants;
import io.wings.common.grant.Privilege;
import io.wings.common.grant.Scope;
import io.wings.common.grant.Subject;
import io.wings.common.tls.ByHand;
import io.wings.common.tls.TestAuthority;
import io.wings.common.tls.Tls;
import io.wings.common.tls.TlsFiles;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.Optional;
import java.util.Set;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The catalog's port over TLS. */
class RestTlsTest {
  private static final char[] PASSWORD = "memory".toCharArray();

  private final Path directory;
  private final TestAuthority authority = new TestAuthority("a company's");
  private final ByHand time = new ByHand();
  private final TestIssuer issuer;
  private final TlsFiles shown;
  private final Tls tls;
  private final LocalRestServer server;

  RestTlsTest(@TempDir Path directory) throws IOException {
    this.directory = directory;
    this.issuer = new TestIssuer(Files.createDirectories(directory.resolve("issuer")));
    this.shown = authority.issue(directory.resolve("shown"), "wings.example", "localhost");
    this.tls = Tls.ofServer(shown, time, Threads.virtual());
    Grants grants =
        Grants.NONE.with(
            new Subject.Principal("robot"), new Scope.Cluster(), Set.of(Privilege.READ));
    this.server =
        new LocalRestServer(
            directory,
            new RestCatalogSettings(
                LocalRestServer.LOOPBACK,
                Optional.of(tls),
                issuer.authenticator(),
                new Access.Granted(() -> grants)));
    server.tenants().wings("main").close();
  }

  @AfterEach
  void close() {
    server.close();
    tls.close();
  }

  private static Certificate certificate(Path file) throws GeneralSecurityException, IOException {
    try (InputStream in = Files.newInputStream(file)) {
      return CertificateFactory.getInstance("X.509").generateCertificate(in);
    }
  }

  private static KeyManager[] keys(TlsFiles own) throws GeneralSecurityException, IOException {
    String pem = Files.readString(own.key()).replaceAll("-----[A-Z ]*-----|\\s", "");
    PrivateKey key =
        KeyFactory.getInstance("EC")
            .generatePrivate(new PKCS8EncodedKeySpec(Base64.getDecoder().decode(pem)));
    KeyStore store = KeyStore.getInstance("PKCS12");
    store.load(null, null);
    store.setKeyEntry("own", key, PASSWORD, new Certificate[] {certificate(own.certificates())});
    KeyManagerFactory factory = KeyManagerFactory.getInstance("PKIX");
    factory.init(store, PASSWORD);
    return factory.getKeyManagers();
  }

  /** Asks on a connection of its own, trusting an authority, with a certificate or without one. */
  private int ask(Path trusted, @Nullable TlsFiles own, @Nullable String token)
      throws GeneralSecurityException, IOException, InterruptedException {
    KeyStore trust = KeyStore.getInstance("PKCS12");
    trust.load(null, null);
    trust.setCertificateEntry("authority", certificate(trusted));
    TrustManagerFactory factory = TrustManagerFactory.getInstance("PKIX");
    factory.init(trust);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(own == null ? null : keys(own), factory.getTrustManagers(), null);
    String uri = server.uri().replace("http:", "https:") + "/v1/config?warehouse=main";
    HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(uri));
    if (token != null) {
      request.header("Authorization", "Bearer " + token);
    }
    try (HttpClient http = HttpClient.newBuilder().sslContext(context).build()) {
      return http.send(request.build(), HttpResponse.BodyHandlers.discarding()).statusCode();
    }
  }

  private Path authorityFile() {
    return shown.authorities().orElseThrow();
  }

  @Test
  void aTokenIsTakenWithoutACertificate() throws Exception {
    assertThat(ask(authorityFile(), null, issuer.token("robot"))).isEqualTo(200);
    assertThat(ask(authorityFile(), null, null)).isEqualTo(401);
  }

  @Test
  void aCertificatesCommonNameIsAPrincipal() throws Exception {
    TlsFiles robot = authority.issue(directory.resolve("robot"), "robot");
    assertThat(ask(authorityFile(), robot, null)).isEqualTo(200);
    assertThat(ask(authorityFile(), robot, "guessed")).as("a token comes first").isEqualTo(401);
    TlsFiles stranger = authority.issue(directory.resolve("stranger"), "stranger");
    assertThat(ask(authorityFile(), stranger, null)).isEqualTo(404);
  }

  @Test
  void aCertificateOfAnotherAuthorityIsNone() throws Exception {
    // Of the same name: a client keeps one to itself whose authority isn't asked for.
    TestAuthority impostor = new TestAuthority("a company's");
    TlsFiles foreign = impostor.issue(directory.resolve("foreign"), "robot");
    assertThatThrownBy(() -> ask(authorityFile(), foreign, issuer.token("robot")))
        .isInstanceOf(IOException.class);
  }

  @Test
  void inTheClearThereIsNoAnswer() {
    URI uri = URI.create(server.uri() + "/v1/config?warehouse=main");
    try (HttpClient http = HttpClient.newHttpClient()) {
      assertThatThrownBy(
              () ->
                  http.send(
                      HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.discarding()))
          .isInstanceOf(IOException.class);
    }
  }

  /** Trap 24. */
  @Test
  void connectionsShowWhatHasReplacedAnOldCertificate() throws Exception {
    Path before = Files.copy(authorityFile(), directory.resolve("before.crt"));
    assertThat(ask(before, null, issuer.token("robot"))).isEqualTo(200);

    var _ = new TestAuthority("next").issue(directory.resolve("shown"), "wings.example");
    time.pass();
    assertThatThrownBy(() -> ask(before, null, issuer.token("robot")))
        .isInstanceOf(SSLException.class);
    assertThat(ask(authorityFile(), null, issuer.token("robot"))).isEqualTo(200);
  }
}
