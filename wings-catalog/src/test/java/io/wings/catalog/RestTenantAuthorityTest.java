package io.wings.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.wings.catalog.rest.LocalRestServer;
import io.wings.catalog.rest.RestCatalogSettings;
import io.wings.common.auth.TestIssuer;
import io.wings.common.cluster.CatalogName;
import io.wings.common.concurrent.Threads;
import io.wings.common.config.HostPort;
import io.wings.common.error.WingsException;
import io.wings.common.grant.Access;
import io.wings.common.grant.Grants;
import io.wings.common.grant.Privilege;
import io.wings.common.grant.Scope;
import io.wings.common.grant.Subject;
import io.wings.common.time.Time;
import io.wings.common.tls.TestAuthority;
import io.wings.common.tls.Tls;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.iceberg.Schema;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.types.Types;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;

/** A tenant's REST catalog whose certificate is of an authority that the JDK doesn't know. */
@ResourceLock(Resources.SYSTEM_PROPERTIES)
class RestTenantAuthorityTest {
  private static final String TRUST_STORE = "javax.net.ssl.trustStore";
  private static final String TRUST_STORE_PASSWORD = "javax.net.ssl.trustStorePassword";
  private static final TableIdentifier ORDERS = TableIdentifier.of("sales", "orders");

  private final Path directory;
  private final TestIssuer issuer;
  private final Path authority;
  private final Tls tls;
  private final LocalRestServer server;

  RestTenantAuthorityTest(@TempDir Path directory) throws IOException {
    this.directory = directory;
    this.issuer = new TestIssuer(Files.createDirectories(directory.resolve("issuer")));
    // For 127.0.0.1 as well, not for localhost.
    var shown =
        new TestAuthority("a company's").issue(directory.resolve("shown"), "c", "catalog.example");
    this.authority = shown.authorities().orElseThrow();
    this.tls = Tls.ofServer(shown, Time.system(), Threads.virtual());
    Grants grants =
        Grants.NONE.with(
            new Subject.Principal("wings"), new Scope.Cluster(), Set.of(Privilege.ADMIN));
    this.server =
        new LocalRestServer(
            directory.resolve("remote"),
            new RestCatalogSettings(
                new HostPort("127.0.0.1", 0),
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

  private Path another() {
    return new TestAuthority("a company's")
        .issue(directory.resolve("another"), "a")
        .authorities()
        .orElseThrow();
  }

  private void use(Optional<Path> trusted, String host, Map<String, String> more) {
    Map<String, String> secret =
        new java.util.HashMap<>(
            Map.of(
                "type",
                "rest",
                "uri",
                server.uri().replace("http:", "https:").replace("127.0.0.1", host),
                "warehouse",
                "main",
                "wings.local-root",
                server.tenants().warehouse("main"),
                "token",
                issuer.token("wings")));
    secret.putAll(more);
    try (LocalTenants tenants =
            new LocalTenants(
                directory.resolve("local"), Time.system(), new Secrets(_ -> null), trusted);
        TenantCatalog shop = open(tenants, secret)) {
      shop.namespaces().createNamespace(Namespace.of("sales"));
      var _ =
          shop.catalog()
              .createTable(
                  ORDERS, new Schema(Types.NestedField.required(1, "id", Types.LongType.get())));
      shop.catalog().loadTable(ORDERS).updateProperties().set("a", "b").commit();
    }
  }

  private static TenantCatalog open(LocalTenants tenants, Map<String, String> secret) {
    tenants.tenants().remove(new CatalogName("shop"));
    return tenants.open("shop", secret);
  }

  private void assertRefused(Optional<Path> trusted, String host) {
    assertThatThrownBy(() -> use(trusted, host, Map.of()))
        .isInstanceOf(WingsException.class)
        .hasMessageContaining("catalog-unavailable: ");
  }

  @Test
  void theOperatorsAuthorityIsTrusted() {
    use(Optional.of(authority), "127.0.0.1", Map.of());
    try (TenantCatalog main = server.tenants().catalogs().open(new CatalogName("main"))) {
      assertThat(main.catalog().loadTable(ORDERS).properties()).containsEntry("a", "b");
    }
  }

  @Test
  void anUnknownAuthorityIsRefused() {
    assertRefused(Optional.empty(), "127.0.0.1");
    assertRefused(Optional.of(another()), "127.0.0.1");
  }

  @Test
  void aCertificateForAnotherNameIsRefused() {
    assertRefused(Optional.of(authority), "localhost");
  }

  /** Whom processes connect to is the operator's to say, for all tenants. */
  @Test
  void aTenantDoesNotChooseWhomToTrust() {
    assertThatThrownBy(
            () ->
                use(
                    Optional.empty(),
                    "127.0.0.1",
                    Map.of("wings.catalog-ca-file", authority.toString())))
        .hasMessageContaining("catalog-refused: ");
  }

  @Test
  void authoritiesOfTheJdkStayTrusted() throws Exception {
    Path store = directory.resolve("trusted.p12");
    String before = System.getProperty(TRUST_STORE);
    String password = System.getProperty(TRUST_STORE_PASSWORD);
    write(store);
    System.setProperty(TRUST_STORE, store.toString());
    System.setProperty(TRUST_STORE_PASSWORD, "memory");
    try {
      use(Optional.of(another()), "127.0.0.1", Map.of());
    } finally {
      restore(TRUST_STORE, before);
      restore(TRUST_STORE_PASSWORD, password);
    }
  }

  private void write(Path store) throws GeneralSecurityException, IOException {
    KeyStore keys = KeyStore.getInstance("PKCS12");
    keys.load(null, null);
    try (InputStream in = Files.newInputStream(authority);
        OutputStream out = Files.newOutputStream(store)) {
      keys.setCertificateEntry(
          "authority", CertificateFactory.getInstance("X.509").generateCertificate(in));
      keys.store(out, "memory".toCharArray());
    }
  }

  private static void restore(String property, @org.jspecify.annotations.Nullable String value) {
    if (value == null) {
      System.clearProperty(property);
    } else {
      System.setProperty(property, value);
    }
  }
}
