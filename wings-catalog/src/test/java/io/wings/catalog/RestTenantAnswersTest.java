package io.wings.catalog;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.wings.catalog.io.Reach;
import io.wings.common.cluster.CatalogName;
import io.wings.common.concurrent.Threads;
import io.wings.common.error.WingsException;
import io.wings.common.id.Ids;
import io.wings.common.time.Time;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.SocketTimeoutException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.exceptions.RESTException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

/** A REST catalog's server that answers what it likes: none of it gets into an error. */
@Isolated
class RestTenantAnswersTest {
  private static final String SAID = "internal page: row of customer 4711";
  private static final String CONFIG = "/v1/config";

  /** An answer; its length is that of the body unless it is endless. */
  private record Page(int status, String body, Map<String, String> headers, boolean endless) {}

  private final Path directory;
  private final LocalTenants tenants;
  private final HttpServer server;
  private final Map<String, Page> pages = new HashMap<>();
  private final List<String> asked = new CopyOnWriteArrayList<>();
  private final Logger log = (Logger) LoggerFactory.getLogger("io.wings.catalog");
  private final ListAppender<ILoggingEvent> lines = new ListAppender<>();

  RestTenantAnswersTest(@TempDir Path directory) throws IOException {
    this.directory = directory;
    this.tenants = new LocalTenants(directory);
    this.server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 10);
    server.createContext("/", this::answer);
    server.start();
    lines.start();
    log.setLevel(Level.WARN);
    log.setAdditive(false);
    log.addAppender(lines);
    page(CONFIG, 200, "{\"defaults\":{},\"overrides\":{}}");
  }

  @AfterEach
  void close() {
    log.detachAppender(lines);
    log.setAdditive(true);
    log.setLevel(null);
    tenants.close();
    server.stop(0);
  }

  private void page(String path, int status, String body) {
    pages.put(path, new Page(status, body, Map.of(), false));
  }

  private void answer(HttpExchange exchange) throws IOException {
    String path = exchange.getRequestURI().getPath();
    asked.add(path);
    Page page = pages.getOrDefault(path, new Page(404, "", Map.of(), false));
    try (exchange) {
      page.headers().forEach(exchange.getResponseHeaders()::set);
      byte[] body = page.body().getBytes(UTF_8);
      exchange.sendResponseHeaders(page.status(), page.endless() ? 0 : Math.max(body.length, 1));
      OutputStream out = exchange.getResponseBody();
      do {
        out.write(body.length == 0 ? new byte[] {' '} : body);
      } while (page.endless());
    }
  }

  private String uri() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  private TenantCatalog open() {
    return tenants.open("main", Map.of("type", "rest", "uri", uri()));
  }

  private String logged() {
    return String.join("\n", lines.list.stream().map(ILoggingEvent::getFormattedMessage).toList());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        SAID,
        "<html>" + SAID + "</html>",
        "{\"error\":{\"code\":500,\"type\":\"" + SAID + "\",\"message\":\"" + SAID + "\"}}",
        "{\"error\":{\"code\":500,\"type\":\"x\",\"message\":\"" + SAID + "\",\"stack\":[\"a\"]}}"
      })
  void whatAServerSaysIsInTheLogAndNotInTheError(String body) {
    page(CONFIG, 500, body);

    assertThatThrownBy(this::open)
        .isInstanceOf(WingsException.class)
        .hasMessageStartingWith("catalog-unavailable: catalog main can't be opened: ")
        .hasMessageContaining("HTTP status 500")
        .satisfies(e -> assertThat(e).hasStackTraceContaining("CatalogOpener"))
        .satisfies(
            e -> assertThat(String.valueOf(e.getMessage())).doesNotContain("customer", "4711"));
    assertThat(logged()).contains("customer 4711");
  }

  @Test
  void whatAServerSaysToAnOpenCatalogIsNotInTheErrorEither() {
    page(
        "/v1/namespaces",
        403,
        "{\"error\":{\"code\":403,\"type\":\"ForbiddenException\",\"message\":\"%s\"}}"
            .formatted(SAID));
    try (TenantCatalog catalog = open()) {
      assertThatThrownBy(() -> catalog.namespaces().listNamespaces(Namespace.empty()))
          .hasMessageContaining("HTTP status 403")
          .hasMessageNotContaining("4711");
    }
    page("/v1/namespaces", 200, "{\"namespaces\":\"" + SAID + "\"}");
    try (TenantCatalog catalog = tenants.catalogs().open(new CatalogName("main"))) {
      assertThatThrownBy(() -> catalog.namespaces().listNamespaces(Namespace.empty()))
          .satisfies(e -> assertThat(stack(e)).doesNotContain("4711"));
    }
  }

  private static String stack(Throwable e) {
    java.io.StringWriter text = new java.io.StringWriter();
    e.printStackTrace(new java.io.PrintWriter(text));
    return text.toString();
  }

  @Test
  void whatIsLoggedIsOneShortLine() {
    page(CONFIG, 500, "first\n2026-11-30 INFO audit - forged\u001b[2J" + "x".repeat(10_000));

    assertThatThrownBy(this::open).isInstanceOf(WingsException.class);

    assertThat(lines.list)
        .isNotEmpty()
        .allSatisfy(
            line ->
                assertThat(line.getFormattedMessage())
                    .hasSizeLessThan(400)
                    .doesNotContain("\n", "\u001b"));
  }

  @ParameterizedTest
  @ValueSource(ints = {301, 302, 303, 307, 308})
  void followsNoRedirect(int status) {
    pages.put(CONFIG, new Page(status, "", Map.of("Location", uri() + "/elsewhere"), false));
    page("/elsewhere", 200, "{\"defaults\":{},\"overrides\":{}}");

    assertThatThrownBy(this::open).hasMessageContaining("HTTP status " + status);
    assertThat(asked).containsOnly(CONFIG);
  }

  @Test
  @Timeout(30)
  void readsNoEndlessAnswer() {
    pages.put(CONFIG, new Page(200, " ".repeat(1 << 20), Map.of(), true));
    assertThatThrownBy(this::open).hasMessageStartingWith("catalog-unavailable: ");

    pages.put(CONFIG, new Page(500, " ".repeat(1 << 20), Map.of(), true));
    assertThatThrownBy(() -> tenants.catalogs().open(new CatalogName("main")))
        .hasMessageContaining("HTTP status 500");
  }

  @Test
  @Timeout(30)
  void readsNoEndOfAnAnswerThatNobodyAskedFor() {
    pages.put("/v1/namespaces/shop", new Page(200, " ".repeat(1 << 20), Map.of(), true));

    try (TenantCatalog catalog = open()) {
      assertThat(catalog.namespaces().dropNamespace(Namespace.of("shop"))).isTrue();
    }
  }

  /** Iceberg's parsers say what they found. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"metadata-location\":7}",
        "{\"metadata-location\":{\"a\":\"" + SAID + "\"},\"metadata\":{}}",
        "{\"metadata\":{\"format-version\":\"" + SAID + "\"}}",
        "[\"" + SAID + "\"]"
      })
  void whatIsNoTableIsNotInTheErrorEither(String body) {
    page("/v1/namespaces/shop/tables/orders", 200, body);

    try (TenantCatalog catalog = open()) {
      assertThatThrownBy(() -> catalog.catalog().loadTable(TableIdentifier.of("shop", "orders")))
          .isInstanceOf(RESTException.class)
          .satisfies(e -> assertThat(stack(e)).doesNotContain("4711"));
    }
  }

  /** Of a cluster in the cloud. */
  private TenantCatalogs cloud(Reach reach) {
    return new TenantCatalogs(
        tenants.tenants(),
        new Secrets(_ -> null),
        CatalogSettings.of("s3://bucket/wings").reaching(reach),
        Time.system(),
        Ids.secure(),
        Threads.virtual());
  }

  @Test
  void aTenantOfAClusterInTheCloudReachesNothingOnItsMachines() throws IOException {
    try (ServerSocket trap = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
        TenantCatalogs catalogs = cloud(new Reach(false, true))) {
      trap.setSoTimeout(100);
      String at = "127.0.0.1:" + trap.getLocalPort();
      Map<String, String> s3 =
          Map.of(
              "warehouse",
              "s3://bucket/tenant",
              "s3.access-key-id",
              "key",
              "s3.secret-access-key",
              "secret");
      tenants.register("rest", Map.of("type", "rest", "uri", "http://" + at));
      tenants.register(
          "tokens",
          Map.of(
              "type",
              "rest",
              "uri",
              "http://10.255.255.1",
              "oauth2-server-uri",
              "http://" + at + "/token"));
      tenants.register("own", with(s3, "type", "wings", "s3.endpoint", "http://" + at));
      tenants.register(
          "sql", with(s3, "type", "jdbc", "uri", "jdbc:postgresql://10.0.0.1:1," + at + "/db"));
      tenants.register("six", with(s3, "type", "jdbc", "uri", "jdbc:postgresql://[::1]:5432/db"));
      for (String name : List.of("rest", "tokens", "own", "sql", "six")) {
        assertThatThrownBy(() -> catalogs.open(new CatalogName(name)))
            .hasMessageStartingWith("catalog-refused: catalog " + name + ": ")
            .hasMessageContaining("address of this machine");
      }
      assertThatThrownBy(trap::accept).isInstanceOf(SocketTimeoutException.class);
    }
    assertThat(directory.resolve("secrets/rest.json")).exists();
  }

  @Test
  void aCatalogInPlaintextIsForWhomTheOperatorAllowsIt() {
    try (TenantCatalogs catalogs = cloud(Reach.of("s3://b/w", Optional.empty(), false))) {
      tenants.register("rest", Map.of("type", "rest", "uri", "http://10.255.255.1"));
      assertThatThrownBy(() -> catalogs.open(new CatalogName("rest")))
          .hasMessageStartingWith("catalog-refused: catalog rest: \"uri\" is http://");
    }
  }

  private static Map<String, String> with(Map<String, String> some, String... pairs) {
    Map<String, String> all = new HashMap<>(some);
    for (int i = 0; i < pairs.length; i += 2) {
      all.put(pairs[i], pairs[i + 1]);
    }
    return all;
  }
}
