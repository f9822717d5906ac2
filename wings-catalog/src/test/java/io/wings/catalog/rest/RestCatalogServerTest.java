package io.wings.catalog.rest;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.wings.catalog.TenantCatalog;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.iceberg.Schema;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.exceptions.NoSuchTableException;
import org.apache.iceberg.rest.RESTCatalog;
import org.apache.iceberg.types.Types;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RestCatalogServerTest {
  private static final Namespace SALES = Namespace.of("sales");
  private static final TableIdentifier ORDERS = TableIdentifier.of(SALES, "orders");
  private static final Schema SCHEMA =
      new Schema(Types.NestedField.required(1, "id", Types.LongType.get()));
  private static final ObjectMapper JSON = new ObjectMapper();

  private final LocalRestServer server;
  private final HttpClient http = HttpClient.newHttpClient();

  RestCatalogServerTest(@TempDir Path directory) {
    this.server = new LocalRestServer(directory);
    server.tenants().wings("main").close();
  }

  @AfterEach
  void close() {
    http.close();
    server.close();
  }

  private HttpResponse<String> send(String method, String path, byte[] body) throws IOException {
    try {
      return http.send(
          HttpRequest.newBuilder(URI.create(server.uri() + path))
              .method(method, HttpRequest.BodyPublishers.ofByteArray(body))
              .build(),
          HttpResponse.BodyHandlers.ofString());
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private HttpResponse<String> get(String path) throws IOException {
    return send("GET", path, new byte[0]);
  }

  private static JsonNode json(HttpResponse<String> answer) throws IOException {
    return JSON.readTree(answer.body());
  }

  @Test
  void isReadyOnceItListens() {
    assertThat(server.readiness().isReady()).isTrue();
  }

  @Test
  void tellsThePrefixAndExactlyWhatItServes() throws IOException {
    JsonNode config = json(get("/v1/config?warehouse=main"));

    assertThat(config.path("overrides").path("prefix").asText()).isEqualTo("main");
    assertThat(config.path("defaults")).isEmpty();
    List<String> endpoints = new ArrayList<>();
    config.path("endpoints").forEach(endpoint -> endpoints.add(endpoint.asText()));
    assertThat(endpoints)
        .hasSize(Route.values().length)
        .contains("POST /v1/{prefix}/namespaces/{namespace}/tables/{table}")
        .noneMatch(endpoint -> endpoint.contains("transactions"))
        .noneMatch(endpoint -> endpoint.contains("views"));
    for (String endpoint : endpoints) {
      String[] parts = endpoint.split(" ", -1);
      String path =
          parts[1]
              .replace("{prefix}", "main")
              .replace("{namespace}", "none")
              .replace("{table}", "none");
      assertThat(send(parts[0], path, new byte[0]).statusCode())
          .as(endpoint)
          .isIn(200, 204, 400, 404);
    }
  }

  @Test
  void takesTheOnlyCatalogWhenNoneIsNamed() throws IOException {
    assertThat(json(get("/v1/config")).path("overrides").path("prefix").asText()).isEqualTo("main");

    server.tenants().wings("other").close();
    HttpResponse<String> answer = get("/v1/config");
    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(answer.body()).contains("warehouse-missing").doesNotContain("other");
  }

  @Test
  void servesNoCatalogThatIsNotItsOwn() throws IOException {
    server
        .tenants()
        .register(
            "sql",
            Map.of(
                "type",
                "jdbc",
                "uri",
                "jdbc:sqlite:"
                    + server.tenants().warehouse("sql").substring("file://".length())
                    + "/sql.db",
                "warehouse",
                server.tenants().warehouse("sql")));

    HttpResponse<String> answer = get("/v1/config?warehouse=sql");
    assertThat(answer.statusCode()).isEqualTo(404);
    assertThat(answer.body()).contains("catalog-not-served");
    assertThat(get("/v1/sql/namespaces").statusCode()).isEqualTo(404);
  }

  /** Clients that begin a request and leave it at that cost the others nothing. */
  @Test
  void slowClientsHoldNoPermits() throws IOException {
    List<Socket> slow = new ArrayList<>();
    try {
      for (int i = 0; i < 200; i++) {
        Socket socket =
            new Socket(InetAddress.getLoopbackAddress(), URI.create(server.uri()).getPort());
        slow.add(socket);
        socket
            .getOutputStream()
            .write(
                "POST /v1/main/namespaces HTTP/1.1\r\nHost: x\r\nContent-Length: 999\r\n\r\n{"
                    .getBytes(UTF_8));
        socket.getOutputStream().flush();
      }
      for (int i = 0; i < 20; i++) {
        assertThat(get("/v1/config?warehouse=main").statusCode()).isEqualTo(200);
      }
    } finally {
      for (Socket socket : slow) {
        socket.close();
      }
    }
  }

  /** Trap 38. */
  @Test
  void keepsCatalogsApart() throws IOException {
    server.tenants().wings("other").close();
    try (RESTCatalog main = server.client("main", Map.of());
        RESTCatalog other = server.client("other", Map.of())) {
      main.createNamespace(SALES);
      other.createNamespace(SALES);
      main.createTable(ORDERS, SCHEMA);

      assertThat(other.listTables(SALES)).isEmpty();
      assertThatThrownBy(() -> other.loadTable(ORDERS)).isInstanceOf(NoSuchTableException.class);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "GET, /, 404",
    "GET, /v1/main/views, 404",
    "POST, /v1/main/transactions/commit, 404",
    "GET, /v1/nobody/namespaces, 404",
    "GET, /v1/..%2Fmain/namespaces, 400",
    "GET, /v1/MAIN/namespaces, 400",
    "PUT, /v1/main/namespaces, 405",
    "POST, /v1/config, 405",
    "GET, /v1/config?warehouse=%20, 400",
    "GET, /v1/main/namespaces/none, 404",
    "HEAD, /v1/main/namespaces/none, 404",
    "GET, /v1/main/namespaces/none/tables/none, 404",
    "GET, /v1/main/namespaces?pageToken=x&pageSize=1, 400",
    "GET, /v1/main/namespaces?parent=a&parent=b, 400",
    "POST, /v1/main/namespaces, 400",
    "GET, /v1/main/namespaces//tables, 404"
  })
  void answersWithTheRightStatus(String method, String path, int status) throws IOException {
    HttpResponse<String> answer = send(method, path, new byte[0]);

    assertThat(answer.statusCode()).isEqualTo(status);
    if (!method.equals("HEAD")) {
      JsonNode error = json(answer).path("error");
      assertThat(error.path("code").asInt()).isEqualTo(status);
      assertThat(error.path("message").asText()).isNotEmpty();
      assertThat(error.path("type").asText()).isNotEmpty();
      assertThat(error.has("stack")).isFalse();
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "not json",
        "[]",
        "null",
        "{}",
        "{\"namespace\":5}",
        "{\"namespace\":[\"a\"],\"namespace\":[\"b\"]}",
        "{\"namespace\":[\"\"]}",
        "{\"namespace\":[]}"
      })
  void refusesMalformedRequests(String body) throws IOException {
    HttpResponse<String> answer = send("POST", "/v1/main/namespaces", body.getBytes(UTF_8));

    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(json(answer).path("error").path("code").asInt()).isEqualTo(400);
  }

  /** Clients take these for steps in a path, and would reach another namespace, or none. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {"[\"..\"]", "[\".\"]", "[\"sales\",\"..\"]", "[\"a\\u000ab\"]", "[\"\\ud800\"]"})
  void makesNoNamespaceThatNoTableCanBeIn(String levels) throws IOException {
    send("POST", "/v1/main/namespaces", "{\"namespace\":[\"sales\"]}".getBytes(UTF_8));
    HttpResponse<String> answer =
        send("POST", "/v1/main/namespaces", "{\"namespace\":%s}".formatted(levels).getBytes(UTF_8));

    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(json(answer).at("/error/message").asText()).startsWith("table-name-invalid: ");
    assertThat(json(get("/v1/main/namespaces")).path("namespaces")).hasSize(1);
    assertThat(json(get("/v1/main/namespaces?parent=sales")).path("namespaces")).isEmpty();
  }

  @Test
  void refusesABodyThatIsTooLarge() throws IOException {
    byte[] large = new byte[RequestBodies.MAX_BYTES + 1];
    Arrays.fill(large, (byte) ' ');

    int status;
    try {
      status = send("POST", "/v1/main/namespaces", large).statusCode();
    } catch (IOException _) {
      status = 413; // The connection was closed while the client still sent.
    }
    assertThat(status).isEqualTo(413);
    assertThat(get("/v1/main/namespaces").statusCode()).isEqualTo(200);
  }

  @Test
  void refusesADeeplyNestedSchema() throws IOException {
    String open = "{\"type\":\"list\",\"element-id\":1,\"element-required\":true,\"element\":";
    String body =
        "{\"name\":\"t\",\"schema\":{\"type\":\"struct\",\"fields\":[{\"id\":0,\"name\":\"a\","
            + "\"required\":true,\"type\":"
            + open.repeat(5_000)
            + "\"int\""
            + "}".repeat(5_000)
            + "}]}}";
    send("POST", "/v1/main/namespaces", "{\"namespace\":[\"sales\"]}".getBytes(UTF_8));

    assertThat(send("POST", "/v1/main/namespaces/sales/tables", body.getBytes(UTF_8)).statusCode())
        .isEqualTo(400);
    assertThat(get("/v1/main/namespaces/sales/tables").body()).contains("\"identifiers\":[]");
  }

  @Test
  void acceptsMetricsReports() throws IOException {
    assertThat(
            send("POST", "/v1/main/namespaces/a/tables/b/metrics", "{}".getBytes(UTF_8))
                .statusCode())
        .isEqualTo(204);
  }

  @Test
  void answersNotModifiedToWhoHasTheTable() throws Exception {
    try (RESTCatalog client = server.client("main", Map.of())) {
      client.createNamespace(SALES);
      client.createTable(ORDERS, SCHEMA);
    }
    String path = "/v1/main/namespaces/sales/tables/orders";
    String etag = get(path).headers().firstValue("ETag").orElseThrow();

    HttpResponse<String> again =
        http.send(
            HttpRequest.newBuilder(URI.create(server.uri() + path))
                .header("If-None-Match", etag)
                .build(),
            HttpResponse.BodyHandlers.ofString());

    assertThat(again.statusCode()).isEqualTo(304);
    assertThat(get(path + "?snapshots=refs").headers().firstValue("ETag"))
        .isPresent()
        .isNotEqualTo(Optional.of(etag));
  }

  @Test
  void pagesThroughTables() throws Exception {
    try (RESTCatalog client = server.client("main", Map.of("rest-page-size", "2"))) {
      client.createNamespace(SALES);
      for (int i = 0; i < 5; i++) {
        client.createTable(TableIdentifier.of(SALES, "t" + i), SCHEMA);
      }
      assertThat(client.listTables(SALES)).hasSize(5);
      assertThat(client.listNamespaces()).containsExactly(SALES);
    }
  }

  @Test
  void showsNothingOfACatalogsSecret() throws IOException {
    try (TenantCatalog catalog = server.tenants().wings("main")) {
      catalog.namespaces().createNamespace(SALES);
      catalog.catalog().createTable(ORDERS, SCHEMA);
    }
    JsonNode table = json(get("/v1/main/namespaces/sales/tables/orders"));

    assertThat(table.path("config")).isEmpty();
    assertThat(table.has("storage-credentials")).isFalse();
  }

  @Test
  void countsRequestsByRoute() throws IOException {
    get("/v1/main/namespaces");
    get("/v1/secret-name-of-nobody/namespaces");

    assertThat(
            server
                .meters()
                .get("wings.catalog.requests")
                .tags("route", "LIST_NAMESPACES", "status", "200")
                .timer()
                .count())
        .isEqualTo(1);
    assertThat(server.meters().getMetersAsString()).doesNotContain("nobody");
  }
}
