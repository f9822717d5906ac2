package io.wings.common.metrics;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.jvm.ClassLoaderMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.FileDescriptorMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.wings.common.error.WingsException;
import io.wings.common.tls.Tls;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.Semaphore;
import java.util.function.Predicate;

/**
 * A process's HTTP endpoint for operators.
 *
 * <ul>
 *   <li>{@code GET /metrics}: Prometheus text, JVM and process metrics included; 401 for who may
 *       not read them.
 *   <li>{@code GET /livez}: 200 as long as the process answers.
 *   <li>{@code GET /readyz}: 200 {@code ready} when every part is ready, else 503 with one line
 *       {@code part: reason} per part that isn't.
 * </ul>
 */
public final class RoleEndpoint implements AutoCloseable {
  private static final int BACKLOG = 16;
  private static final int MAX_CONCURRENT_SCRAPES = 16;
  private static final String TEXT = "text/plain; charset=utf-8";
  private static final String PROMETHEUS = "text/plain; version=0.0.4; charset=utf-8";

  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private final Readiness readiness = new Readiness();
  private final Predicate<String> readers;
  private final Semaphore scrapes = new Semaphore(MAX_CONCURRENT_SCRAPES);
  private final JvmGcMetrics gc = new JvmGcMetrics();
  private final HttpServer http;

  private RoleEndpoint(HttpServer http, Predicate<String> readers) {
    this.http = http;
    this.readers = readers;
  }

  /**
   * Listens and answers; {@code /readyz} says 503 until the parts have reported.
   *
   * @param address port 0 takes an ephemeral one
   * @param tls empty: plaintext; not closed with the endpoint
   * @param executor runs the requests
   * @param readers whether who shows this authorization header may read metrics; the empty text
   *     where there is none
   * @throws WingsException {@code cannot-listen}
   */
  public static RoleEndpoint start(
      InetSocketAddress address, Optional<Tls> tls, Executor executor, Predicate<String> readers) {
    HttpServer http;
    try {
      http = Tls.httpServer(tls, address, BACKLOG);
    } catch (IOException e) {
      throw WingsException.unavailable(
          "cannot-listen",
          "metrics endpoint on %s (--http): %s".formatted(address, e.getMessage()),
          e);
    }
    RoleEndpoint endpoint = new RoleEndpoint(http, readers);
    endpoint.bindProcessMetrics();
    http.setExecutor(executor);
    http.createContext("/", exchange -> endpoint.answer(exchange));
    http.start();
    return endpoint;
  }

  private void bindProcessMetrics() {
    new ClassLoaderMetrics().bindTo(registry);
    new JvmMemoryMetrics().bindTo(registry);
    gc.bindTo(registry);
    new JvmThreadMetrics().bindTo(registry);
    new ProcessorMetrics().bindTo(registry);
    new FileDescriptorMetrics().bindTo(registry);
    new UptimeMetrics().bindTo(registry);
    new ProcessMemory().bindTo(registry);
  }

  /** Where the roles of this process register their meters. */
  public MeterRegistry registry() {
    return registry;
  }

  public Readiness readiness() {
    return readiness;
  }

  /** The port that it listens on. */
  public int port() {
    return http.getAddress().getPort();
  }

  /**
   * A request with a body is not answered: the server would wait for all of it. Closed before its
   * streams were asked for, an exchange closes its connection.
   */
  private void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      if (!hasBody(exchange.getRequestHeaders())) {
        route(exchange);
      }
    }
  }

  private static boolean hasBody(Headers headers) {
    String length = headers.getFirst("Content-Length");
    return headers.containsKey("Transfer-Encoding") || (length != null && !length.equals("0"));
  }

  private void route(HttpExchange exchange) throws IOException {
    String method = exchange.getRequestMethod();
    if (!method.equals("GET") && !method.equals("HEAD")) {
      send(exchange, 405, TEXT, "only GET\n");
      return;
    }
    switch (exchange.getRequestURI().getPath()) {
      case "/metrics" -> sendMetrics(exchange);
      case "/livez" -> send(exchange, 200, TEXT, "live\n");
      case "/readyz" -> sendReadiness(exchange);
      default -> send(exchange, 404, TEXT, "try /metrics, /livez or /readyz\n");
    }
  }

  private void sendMetrics(HttpExchange exchange) throws IOException {
    String authorization = exchange.getRequestHeaders().getFirst("Authorization");
    if (!readers.test(authorization == null ? "" : authorization)) {
      exchange.getResponseHeaders().set("WWW-Authenticate", "Bearer");
      send(
          exchange,
          401,
          TEXT,
          authorization == null
              ? "unauthenticated: metrics are for who shows a bearer token, and none was shown\n"
              : "unauthenticated: the bearer token that was shown is not one for metrics\n");
      return;
    }
    Optional<String> text = scraped();
    if (text.isPresent()) {
      send(exchange, 200, PROMETHEUS, text.get());
    } else {
      send(exchange, 503, TEXT, "too many scrapes at once\n");
    }
  }

  private Optional<String> scraped() {
    if (!scrapes.tryAcquire()) {
      return Optional.empty();
    }
    try {
      return Optional.of(registry.scrape());
    } finally {
      scrapes.release();
    }
  }

  private void sendReadiness(HttpExchange exchange) throws IOException {
    if (readiness.isReady()) {
      send(exchange, 200, TEXT, "ready\n");
      return;
    }
    StringBuilder body = new StringBuilder();
    Map<String, String> reasons = readiness.reasons();
    reasons.forEach((part, reason) -> body.append(part).append(": ").append(reason).append('\n'));
    send(exchange, 503, TEXT, body.isEmpty() ? "starting\n" : body.toString());
  }

  private static void send(HttpExchange exchange, int status, String type, String text)
      throws IOException {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().set("Content-Type", type);
    if (exchange.getRequestMethod().equals("HEAD")) {
      exchange.sendResponseHeaders(status, -1);
      return;
    }
    exchange.sendResponseHeaders(status, bytes.length);
    try (OutputStream out = exchange.getResponseBody()) {
      out.write(bytes);
    }
  }

  /** Stops listening and drops requests under way. */
  @Override
  public void close() {
    http.stop(0);
    gc.close();
    registry.close();
  }
}
