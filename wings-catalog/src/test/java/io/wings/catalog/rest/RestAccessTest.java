package io.wings.catalog.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.wings.catalog.TenantCatalog;
import io.wings.common.auth.TestIssuer;
import io.wings.common.cluster.CatalogName;
import io.wings.common.grant.Access;
import io.wings.common.grant.Audit;
import io.wings.common.grant.Grants;
import io.wings.common.grant.Privilege;
import io.wings.common.grant.Refusals;
import io.wings.common.grant.Scope;
import io.wings.common.grant.Subject;
import io.wings.common.log.LogLines;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.iceberg.Schema;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.exceptions.BadRequestException;
import org.apache.iceberg.exceptions.ForbiddenException;
import org.apache.iceberg.exceptions.NoSuchTableException;
import org.apache.iceberg.exceptions.NotAuthorizedException;
import org.apache.iceberg.rest.RESTCatalog;
import org.apache.iceberg.types.Types;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;
import org.slf4j.LoggerFactory;

/** What Iceberg's own client may do whose name is known, and what is noted of it. */
@Isolated
class RestAccessTest {
  private static final Namespace SHOP = Namespace.of("shop");
  private static final TableIdentifier ORDERS = TableIdentifier.of(SHOP, "orders");
  private static final TableIdentifier STAFF = TableIdentifier.of(SHOP, "staff");
  private static final Schema SCHEMA =
      new Schema(Types.NestedField.required(1, "id", Types.LongType.get()));
  private static final ObjectMapper JSON = new ObjectMapper();

  private final TestIssuer issuer;
  private final LocalRestServer server;
  private final List<RESTCatalog> clients = new ArrayList<>();
  private final Logger audit = (Logger) LoggerFactory.getLogger(Audit.LOG);
  private final ListAppender<ILoggingEvent> noted = new ListAppender<>();
  private volatile Grants grants = Grants.NONE;

  RestAccessTest(@TempDir Path directory) throws IOException {
    this.issuer = new TestIssuer(Files.createDirectories(directory.resolve("issuer")));
    this.server =
        new LocalRestServer(
            directory,
            new RestCatalogSettings(
                LocalRestServer.LOOPBACK,
                Optional.empty(),
                issuer.authenticator(),
                new Access.Granted(() -> grants)));
    try (TenantCatalog main = server.tenants().wings("main")) {
      main.namespaces().createNamespace(SHOP);
      main.namespaces().createNamespace(Namespace.of("vault"));
      main.catalog().createTable(ORDERS, SCHEMA);
      main.catalog().createTable(STAFF, SCHEMA);
    }
    noted.start();
    audit.setLevel(Level.INFO);
    audit.setAdditive(false);
    audit.addAppender(noted);
  }

  @AfterEach
  void close() throws IOException {
    audit.detachAppender(noted);
    audit.setAdditive(true);
    audit.setLevel(null);
    for (RESTCatalog client : clients) {
      client.close();
    }
    server.close();
  }

  private void grant(String principal, Scope scope, Privilege... privileges) {
    grants = grants.with(new Subject.Principal(principal), scope, Set.of(privileges));
  }

  private static Scope main() {
    return new Scope.Catalog(new CatalogName("main"));
  }

  private static Scope namespace(String... levels) {
    return new Scope.Namespace(new CatalogName("main"), List.of(levels));
  }

  private static Scope table(String... levels) {
    List<String> path = new ArrayList<>(List.of("main"));
    path.addAll(List.of(levels));
    return Scope.of("table", path);
  }

  private RESTCatalog client(Map<String, String> properties) {
    Map<String, String> all = new HashMap<>(properties);
    all.put("rest.auth.type", "oauth2");
    RESTCatalog client = server.client("main", all);
    clients.add(client);
    return client;
  }

  private RESTCatalog as(String principal) {
    return client(Map.of("token", issuer.token(principal)));
  }

  @Test
  void aClientWithATokenIsServed() {
    grant("loader", main(), Privilege.WRITE);
    RESTCatalog loader = as("loader");

    assertThat(loader.listTables(SHOP)).containsExactlyInAnyOrder(ORDERS, STAFF);
    loader.loadTable(ORDERS).updateProperties().set("a", "b").commit();
    assertThat(loader.loadTable(ORDERS).properties()).containsEntry("a", "b");
  }

  @Test
  void aClientWithACredentialGetsItsTokenBack() {
    grant("loader", main(), Privilege.READ);

    String token = issuer.token("loader");
    assertThat(client(Map.of("credential", "loader:" + token)).tableExists(ORDERS)).isTrue();
    assertThat(client(Map.of("credential", token)).tableExists(ORDERS)).isTrue();
    assertThatThrownBy(() -> client(Map.of("credential", "root:" + token)))
        .isInstanceOf(NotAuthorizedException.class)
        .hasMessageNotContaining(token);
  }

  @Test
  void tokensAreNotExchanged() {
    String token = issuer.token("loader");
    HttpResponse<String> answer =
        post(
            "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Atoken-exchange&subject_token="
                + token);
    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(answer.body()).contains("unsupported_grant_type").doesNotContain(token);
    assertThat(post("").statusCode()).isEqualTo(400);
    assertThat(post("grant_type=client_credentials").statusCode()).isEqualTo(401);
    assertThat(post("grant_type=a&grant_type=b").statusCode()).isEqualTo(400);
  }

  private HttpResponse<String> post(String form) {
    try (HttpClient http = HttpClient.newHttpClient()) {
      return http.send(
          HttpRequest.newBuilder(URI.create(server.uri() + "/v1/oauth/tokens"))
              .header("Content-Type", "application/x-www-form-urlencoded")
              .POST(HttpRequest.BodyPublishers.ofString(form))
              .build(),
          HttpResponse.BodyHandlers.ofString());
    } catch (IOException | InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void aClientWithoutAGoodTokenIsToldSo() {
    assertThatThrownBy(() -> server.client("main", Map.of()))
        .isInstanceOf(NotAuthorizedException.class);
    assertThatThrownBy(() -> client(Map.of("token", "guessed")))
        .isInstanceOf(NotAuthorizedException.class);
  }

  @Test
  void whoIsNotLetInIsInTheLogOnceWithoutWhatHeShowed() {
    try (LogLines log = LogLines.of(Refusals.class)) {
      for (int i = 0; i < 3; i++) {
        assertThatThrownBy(() -> client(Map.of("token", "guessed")))
            .isInstanceOf(NotAuthorizedException.class);
      }
      assertThat(log.texts())
          .singleElement()
          .asString()
          .startsWith("a caller at 127.0.0.1 was not let in: unauthenticated: ")
          .doesNotContain("guessed");
    }
  }

  @Test
  void whoGetsNoTokenIsInTheLog() {
    try (LogLines log = LogLines.of(Refusals.class)) {
      assertThat(post("grant_type=client_credentials&client_secret=guessed").statusCode())
          .isEqualTo(401);
      assertThat(log.texts())
          .singleElement()
          .asString()
          .startsWith("a caller at 127.0.0.1 was not let in: unauthenticated: ")
          .doesNotContain("guessed");
    }
  }

  @Test
  void listsShowWhatIsGranted() {
    grant("reader", table("shop", "orders"), Privilege.READ);
    RESTCatalog reader = as("reader");

    assertThat(reader.listNamespaces()).containsExactly(SHOP);
    assertThat(reader.listTables(SHOP)).containsExactly(ORDERS);
    assertThat(reader.namespaceExists(SHOP)).isTrue();
    assertThat(reader.namespaceExists(Namespace.of("vault"))).isFalse();
    assertThat(reader.tableExists(STAFF)).isFalse();
    assertThatThrownBy(() -> reader.loadTable(STAFF)).isInstanceOf(NoSuchTableException.class);
    assertThatThrownBy(() -> reader.loadNamespaceMetadata(SHOP))
        .as("its properties are for who may read all of it")
        .isInstanceOf(ForbiddenException.class);
  }

  @Test
  void pagesAreOfWhatIsShown() {
    try (TenantCatalog main = server.tenants().catalogs().open(new CatalogName("main"))) {
      for (int i = 0; i < 7; i++) {
        main.catalog().createTable(TableIdentifier.of(SHOP, "open" + i), SCHEMA);
        grant("reader", table("shop", "open" + i), Privilege.READ);
        main.namespaces().createNamespace(Namespace.of("open" + i));
        grant("reader", namespace("open" + i), Privilege.READ);
      }
    }
    RESTCatalog paged = client(Map.of("token", issuer.token("reader"), "rest-page-size", "3"));
    assertThat(paged.listTables(SHOP))
        .hasSize(7)
        .doesNotHaveDuplicates()
        .doesNotContain(ORDERS, STAFF);
    assertThat(paged.listNamespaces())
        .hasSize(8)
        .doesNotHaveDuplicates()
        .doesNotContain(Namespace.of("vault"));
  }

  @Test
  void namesAreComparedLevelByLevel() {
    try (TenantCatalog main = server.tenants().catalogs().open(new CatalogName("main"))) {
      main.namespaces().createNamespace(Namespace.of("a"));
      main.namespaces().createNamespace(Namespace.of("a", "b"));
      main.namespaces().createNamespace(Namespace.of("a.b"));
      main.catalog().createTable(TableIdentifier.of(Namespace.of("a", "b"), "t"), SCHEMA);
      main.catalog().createTable(TableIdentifier.of(Namespace.of("a.b"), "t"), SCHEMA);
    }
    grant("reader", namespace("a.b"), Privilege.READ);
    RESTCatalog reader = as("reader");

    assertThat(reader.listNamespaces()).containsExactly(Namespace.of("a.b"));
    assertThat(reader.tableExists(TableIdentifier.of(Namespace.of("a.b"), "t"))).isTrue();
    assertThat(reader.tableExists(TableIdentifier.of(Namespace.of("a", "b"), "t"))).isFalse();
  }

  @Test
  void aTransactionThatMakesATableTakesWhatMakingOneTakes() {
    grant("maker", namespace("shop"), Privilege.CREATE);
    grant("writer", namespace("shop"), Privilege.WRITE);
    TableIdentifier fresh = TableIdentifier.of(SHOP, "fresh");

    assertThatThrownBy(() -> as("writer").newCreateTableTransaction(fresh, SCHEMA))
        .isInstanceOf(ForbiddenException.class);
    as("maker").newCreateTableTransaction(fresh, SCHEMA).commitTransaction();
    assertThat(as("writer").loadTable(fresh).properties()).isNotEmpty();
    assertThatThrownBy(() -> as("maker").loadTable(fresh)).isInstanceOf(ForbiddenException.class);
  }

  @Test
  void renamingTakesBothNames() {
    grant("keeper", table("shop", "orders"), Privilege.ADMIN);
    RESTCatalog keeper = as("keeper");
    TableIdentifier other = TableIdentifier.of(SHOP, "renamed");

    assertThatThrownBy(() -> keeper.renameTable(ORDERS, other))
        .isInstanceOf(ForbiddenException.class);
    assertThatThrownBy(() -> keeper.renameTable(ORDERS, STAFF))
        .as("whether it is there makes no difference")
        .isInstanceOf(ForbiddenException.class);
    grant("keeper", table("shop", "renamed"), Privilege.CREATE);
    keeper.renameTable(ORDERS, other);
    assertThat(
            server.tenants().catalogs().open(new CatalogName("main")).catalog().tableExists(other))
        .isTrue();
  }

  /** What would take another table's place is more than making one. */
  @Test
  void registeringOverATableTakesAdministeringIt() {
    grant("maker", namespace("shop"), Privilege.CREATE, Privilege.READ);
    RESTCatalog maker = as("maker");
    String metadata =
        ((org.apache.iceberg.BaseTable) maker.loadTable(STAFF))
            .operations()
            .current()
            .metadataFileLocation();

    assertThatThrownBy(() -> maker.registerTable(ORDERS, metadata, true))
        .isInstanceOf(ForbiddenException.class);
  }

  @Test
  void whatIsTakenBackIsForbiddenToTheNextRequest() {
    grant("reader", main(), Privilege.READ);
    RESTCatalog reader = as("reader");
    assertThat(reader.tableExists(ORDERS)).isTrue();
    grants = Grants.NONE;
    assertThat(reader.tableExists(ORDERS)).isFalse();
  }

  @Test
  void whoMayKnowOfOneCatalogNeedsToNameNone() {
    server.tenants().wings("second").close();
    grant("reader", table("shop", "orders"), Privilege.READ);
    Map<String, String> unnamed = Map.of("token", issuer.token("reader"), "warehouse", "");
    RESTCatalog reader = client(unnamed);
    assertThat(reader.properties()).containsEntry("prefix", "main");
    grant("reader", new Scope.Cluster(), Privilege.READ);
    assertThatThrownBy(() -> client(unnamed)).isInstanceOf(BadRequestException.class);
  }

  @Test
  void eachAdministrativeActIsNoted() throws IOException {
    grant("boss", main(), Privilege.ADMIN);
    RESTCatalog boss = as("boss");
    Namespace made = Namespace.of("made", "within");
    TableIdentifier fresh = TableIdentifier.of(made, "fresh");

    boss.createNamespace(Namespace.of("made"));
    boss.createNamespace(made);
    boss.setProperties(made, new HashMap<>(Map.of("owner", "x")));
    boss.createTable(fresh, SCHEMA);
    boss.newCreateTableTransaction(TableIdentifier.of(made, "staged"), SCHEMA).commitTransaction();
    boss.loadTable(fresh).updateProperties().set("a", "b").commit();
    boss.renameTable(fresh, TableIdentifier.of(made, "old"));
    assertThat(boss.dropTable(TableIdentifier.of(made, "old"), false)).isTrue();
    assertThat(boss.dropTable(TableIdentifier.of(made, "staged"), true)).isTrue();
    assertThat(boss.dropNamespace(made)).isTrue();
    grant("reader", table("shop", "orders"), Privilege.READ);
    RESTCatalog reader = as("reader");
    assertThatThrownBy(() -> reader.dropTable(ORDERS)).isInstanceOf(ForbiddenException.class);
    assertThat(reader.dropTable(STAFF)).isFalse();

    assertThat(lines())
        .containsExactly(
            "boss 127.0.0.1 create-namespace main/made true",
            "boss 127.0.0.1 create-namespace main/made/within true",
            "boss 127.0.0.1 update-namespace main/made/within true",
            "boss 127.0.0.1 create-table main/made/within/fresh true",
            "boss 127.0.0.1 create-table main/made/within/staged true",
            "boss 127.0.0.1 rename-table main/made/within/fresh true to main/made/within/old",
            "boss 127.0.0.1 drop-table main/made/within/old true",
            "boss 127.0.0.1 purge-table main/made/within/staged true",
            "boss 127.0.0.1 drop-namespace main/made/within true",
            "reader 127.0.0.1 drop-table main/shop/orders false",
            "reader 127.0.0.1 drop-table main/shop/staff false");
  }

  private List<String> lines() throws IOException {
    List<String> lines = new ArrayList<>();
    for (ILoggingEvent event : noted.list) {
      assertThat(event.getTimeStamp()).isPositive();
      JsonNode line = JSON.readTree(event.getFormattedMessage());
      String text =
          String.join(
              " ",
              line.path("who").asText(),
              line.path("from").asText(),
              line.path("what").asText(),
              path(line.path("on")),
              line.path("allowed").asText());
      lines.add(line.has("to") ? text + " to " + path(line.path("to")) : text);
    }
    return lines;
  }

  private static String path(JsonNode levels) {
    List<String> path = new ArrayList<>();
    levels.forEach(level -> path.add(level.asText()));
    return String.join("/", path);
  }
}
