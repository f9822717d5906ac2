package io.wings.catalog.rest;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.wings.catalog.TenantCatalog;
import io.wings.common.auth.TestIssuer;
import io.wings.common.auth.TestIssuer.Flaw;
import io.wings.common.cluster.CatalogName;
import io.wings.common.grant.Access;
import io.wings.common.grant.Grants;
import io.wings.common.grant.Privilege;
import io.wings.common.grant.Scope;
import io.wings.common.grant.Subject;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.apache.iceberg.BaseTable;
import org.apache.iceberg.Schema;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.types.Types;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every endpoint, asked by everybody: who shows nothing, something bad, too little, enough. */
class RestAccessMatrixTest {
  private static final Schema SCHEMA =
      new Schema(Types.NestedField.required(1, "id", Types.LongType.get()));
  private static final ObjectMapper JSON = new ObjectMapper();

  private static final Set<Privilege> ANY = EnumSet.allOf(Privilege.class);
  private static final Set<Privilege> READERS =
      Set.of(Privilege.READ, Privilege.WRITE, Privilege.ADMIN);
  private static final Set<Privilege> WRITERS = Set.of(Privilege.WRITE, Privilege.ADMIN);
  private static final Set<Privilege> MAKERS = Set.of(Privilege.CREATE, Privilege.ADMIN);
  private static final Set<Privilege> ADMINS = Set.of(Privilege.ADMIN);

  /** All that refused requests are about; nothing of it may have changed in the end. */
  private static final String KEPT = "kept";

  private static TestIssuer issuer;
  private static LocalRestServer server;
  private static HttpClient http;
  private static Grants grants = Grants.NONE;
  private static int made;

  /**
   * How an endpoint is asked.
   *
   * @param path in it and in the body {@code CATALOG}, {@code NS} and {@code METADATA} stand for
   *     what the request is about
   * @param enough who has one of these on the catalog may
   * @param status that they get
   */
  private record Row(String method, String path, String body, Set<Privilege> enough, int status) {}

  private static final Map<String, Row> ROWS = rows();

  private static Map<String, Row> rows() {
    String tables = "/v1/CATALOG/namespaces/NS/tables";
    String schema =
        "{\"type\":\"struct\",\"fields\":[{\"id\":1,\"name\":\"id\",\"required\":true,\"type\":\"long\"}]}";
    Map<String, Row> rows = new TreeMap<>();
    rows.put("CONFIG", new Row("GET", "/v1/config?warehouse=CATALOG", "", ANY, 200));
    rows.put("LIST_NAMESPACES", new Row("GET", "/v1/CATALOG/namespaces", "", ANY, 200));
    rows.put(
        "CREATE_NAMESPACE",
        new Row("POST", "/v1/CATALOG/namespaces", "{\"namespace\":[\"NS\",\"new\"]}", MAKERS, 200));
    rows.put("LOAD_NAMESPACE", new Row("GET", "/v1/CATALOG/namespaces/NS", "", ANY, 200));
    rows.put("NAMESPACE_EXISTS", new Row("HEAD", "/v1/CATALOG/namespaces/NS", "", ANY, 204));
    rows.put(
        "UPDATE_NAMESPACE",
        new Row(
            "POST",
            "/v1/CATALOG/namespaces/NS/properties",
            "{\"removals\":[],\"updates\":{\"owner\":\"me\"}}",
            ADMINS,
            200));
    rows.put(
        "DROP_NAMESPACE", new Row("DELETE", "/v1/CATALOG/namespaces/NS%1Fempty", "", ADMINS, 204));
    rows.put("LIST_TABLES", new Row("GET", tables, "", ANY, 200));
    rows.put(
        "CREATE_TABLE",
        new Row("POST", tables, "{\"name\":\"new\",\"schema\":" + schema + "}", MAKERS, 200));
    rows.put("LOAD_TABLE", new Row("GET", tables + "/orders", "", READERS, 200));
    rows.put("TABLE_EXISTS", new Row("HEAD", tables + "/orders", "", ANY, 204));
    rows.put(
        "UPDATE_TABLE",
        new Row(
            "POST",
            tables + "/orders",
            "{\"requirements\":[],\"updates\":[{\"action\":\"set-properties\",\"updates\":{\"a\":\"b\"}}]}",
            WRITERS,
            200));
    rows.put("DROP_TABLE", new Row("DELETE", tables + "/orders", "", ADMINS, 204));
    rows.put(
        "RENAME_TABLE",
        new Row(
            "POST",
            "/v1/CATALOG/tables/rename",
            "{\"source\":{\"namespace\":[\"NS\"],\"name\":\"orders\"},"
                + "\"destination\":{\"namespace\":[\"NS\"],\"name\":\"new\"}}",
            ADMINS,
            204));
    rows.put(
        "REGISTER_TABLE",
        new Row(
            "POST",
            "/v1/CATALOG/namespaces/NS/register",
            "{\"name\":\"new\",\"metadata-location\":\"METADATA\"}",
            MAKERS,
            200));
    rows.put("REPORT_METRICS", new Row("POST", tables + "/orders/metrics", "{}", READERS, 204));
    return rows;
  }

  private static Row row(String endpoint) {
    return Objects.requireNonNull(ROWS.get(endpoint), endpoint);
  }

  static Set<String> endpoints() {
    return ROWS.keySet();
  }

  @BeforeAll
  static void start(@TempDir Path directory) throws IOException {
    issuer = new TestIssuer(Files.createDirectories(directory.resolve("issuer")));
    server =
        new LocalRestServer(
            directory,
            new RestCatalogSettings(
                LocalRestServer.LOOPBACK,
                Optional.empty(),
                issuer.authenticator(),
                new Access.Granted(() -> grants)));
    http = HttpClient.newHttpClient();
    server.tenants().wings("main").close();
    server.tenants().wings("other").close();
    prepare(KEPT);
    for (Privilege privilege : Privilege.values()) {
      grant(privilege.toString(), "main", privilege);
    }
    grant("neighbour", "other", Privilege.ADMIN);
    grants =
        grants.with(new Subject.Principal("root"), new Scope.Cluster(), Set.of(Privilege.ADMIN));
  }

  private static void grant(String principal, String catalog, Privilege privilege) {
    grants =
        grants.with(
            new Subject.Principal(principal),
            new Scope.Catalog(new CatalogName(catalog)),
            Set.of(privilege));
  }

  @AfterAll
  static void stop() {
    http.close();
    server.close();
  }

  /** Makes a namespace with the table orders and an empty namespace. */
  private static void prepare(String namespace) {
    try (TenantCatalog main = server.tenants().catalogs().open(new CatalogName("main"))) {
      main.namespaces().createNamespace(Namespace.of(namespace));
      main.namespaces().createNamespace(Namespace.of(namespace, "empty"));
      main.catalog().createTable(TableIdentifier.of(namespace, "orders"), SCHEMA);
    }
  }

  private static String metadata(String namespace) {
    try (TenantCatalog main = server.tenants().catalogs().open(new CatalogName("main"))) {
      return ((BaseTable) main.catalog().loadTable(TableIdentifier.of(namespace, "orders")))
          .operations()
          .current()
          .metadataFileLocation();
    }
  }

  private static HttpResponse<String> send(
      String endpoint, @Nullable String token, String catalog, String namespace)
      throws IOException {
    Row row = row(endpoint);
    String path = row.path.replace("CATALOG", catalog).replace("NS", namespace);
    String body = row.body.replace("NS", namespace);
    if (body.contains("METADATA")) {
      body = body.replace("METADATA", metadata(namespace.startsWith("none") ? KEPT : namespace));
    }
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(server.uri() + path))
            .method(row.method, HttpRequest.BodyPublishers.ofByteArray(body.getBytes(UTF_8)));
    if (token != null) {
      request.header("Authorization", "Bearer " + token);
    }
    try {
      return http.send(request.build(), HttpResponse.BodyHandlers.ofString());
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** A route that is new has to say here who may ask it. */
  @Test
  void everyRouteHasItsRow() {
    List<String> served = new ArrayList<>(List.of("CONFIG"));
    for (Route route : Route.values()) {
      served.add(route.name());
    }
    assertThat(ROWS.keySet()).containsExactlyInAnyOrderElementsOf(served);
  }

  private static void refused(String endpoint, @Nullable String token) throws IOException {
    HttpResponse<String> answer = send(endpoint, token, "main", KEPT);
    String what = endpoint + ": " + answer.body();
    assertThat(answer.statusCode()).as(what).isEqualTo(401);
    assertThat(answer.headers().firstValue("WWW-Authenticate")).as(what).contains("Bearer");
    if (!answer.request().method().equals("HEAD")) {
      assertThat(error(answer).path("type").asText()).isEqualTo("NotAuthorizedException");
      assertThat(error(answer).path("code").asInt()).isEqualTo(401);
      assertThat(answer.body()).doesNotContain(KEPT);
    }
    if (token != null && !token.isEmpty()) {
      assertThat(answer.body()).doesNotContain(token);
    }
  }

  private static JsonNode error(HttpResponse<String> answer) throws IOException {
    return JSON.readTree(answer.body()).path("error");
  }

  @ParameterizedTest
  @MethodSource("endpoints")
  void nobodyIsLetInWithoutAGoodToken(String endpoint) throws IOException {
    refused(endpoint, null);
    refused(endpoint, "");
    refused(endpoint, "guessed");
    for (Flaw flaw : Flaw.values()) {
      refused(endpoint, issuer.token("admin", flaw));
    }
    unchanged();
  }

  /** Where a thing is that isn't theirs, strangers are told what they are told where none is. */
  @ParameterizedTest
  @MethodSource("endpoints")
  void unknownAndForbiddenLookAlikeToAStranger(String endpoint) throws IOException {
    for (String principal : List.of("stranger", "neighbour")) {
      String token = issuer.token(principal);
      HttpResponse<String> there = send(endpoint, token, "main", KEPT);
      assertThat(there.statusCode()).as(endpoint + ": " + there.body()).isEqualTo(404);
      HttpResponse<String> missing = send(endpoint, token, "main", "none");
      HttpResponse<String> nowhere = send(endpoint, token, "nobody", KEPT);
      assertThat(missing.statusCode()).isEqualTo(404);
      assertThat(nowhere.statusCode()).isEqualTo(404);
      assertThat(missing.body()).isEqualTo(there.body().replace(KEPT, "none"));
      assertThat(nowhere.body()).isEqualTo(there.body().replace("main", "nobody"));
      assertThat(there.headers().map().keySet()).isEqualTo(missing.headers().map().keySet());
    }
    unchanged();
  }

  /** And it is what the catalog itself says of what isn't there, to who may do everything. */
  @ParameterizedTest
  @MethodSource("endpoints")
  void whatIsHiddenIsToldAsTheCatalogTellsWhatIsMissing(String endpoint) throws IOException {
    String hidden = send(endpoint, issuer.token("stranger"), "main", KEPT).body();
    switch (endpoint) {
      case "CONFIG", "LIST_NAMESPACES" ->
          assertThat(hidden)
              .isEqualTo(
                  send(endpoint, issuer.token("root"), "nobody", KEPT)
                      .body()
                      .replace("nobody", "main"));
      // Nothing is looked for.
      case "REPORT_METRICS" -> {}
      default ->
          assertThat(hidden)
              .isEqualTo(
                  send(endpoint, issuer.token("admin"), "main", "none")
                      .body()
                      .replace("none", KEPT));
    }
  }

  @ParameterizedTest
  @MethodSource("endpoints")
  void whoHasTheRightMayAndWhoHasLessIsToldSo(String endpoint) throws IOException {
    Row row = row(endpoint);
    for (Privilege privilege : Privilege.values()) {
      String token = issuer.token(privilege.toString());
      if (row.enough.contains(privilege)) {
        String namespace = "made" + ++made;
        prepare(namespace);
        HttpResponse<String> answer = send(endpoint, token, "main", namespace);
        assertThat(answer.statusCode())
            .as("%s by %s: %s", endpoint, privilege, answer.body())
            .isEqualTo(row.status);
      } else {
        HttpResponse<String> answer = send(endpoint, token, "main", KEPT);
        assertThat(answer.statusCode())
            .as("%s by %s: %s", endpoint, privilege, answer.body())
            .isEqualTo(403);
        assertThat(error(answer).path("type").asText()).isEqualTo("ForbiddenException");
      }
    }
    unchanged();
  }

  private static void unchanged() {
    try (TenantCatalog main = server.tenants().catalogs().open(new CatalogName("main"))) {
      Namespace kept = Namespace.of(KEPT);
      assertThat(main.namespaces().listNamespaces(kept))
          .containsExactly(Namespace.of(KEPT, "empty"));
      assertThat(main.namespaces().loadNamespaceMetadata(kept)).isEmpty();
      assertThat(main.catalog().listTables(kept))
          .containsExactly(TableIdentifier.of(kept, "orders"));
      assertThat(main.catalog().loadTable(TableIdentifier.of(kept, "orders")).properties())
          .doesNotContainKey("a");
    }
  }
}
