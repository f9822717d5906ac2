package io.wings.catalog.rest;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsExchange;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.wings.catalog.Catalogs;
import io.wings.catalog.Tenants;
import io.wings.catalog.rest.CatalogRequests.Caller;
import io.wings.catalog.rest.Permits.Permit;
import io.wings.catalog.rest.RequestBodies.Held;
import io.wings.catalog.rest.RequestBodies.Overloaded;
import io.wings.catalog.rest.RequestBodies.TooLarge;
import io.wings.common.auth.Identity;
import io.wings.common.cluster.CatalogName;
import io.wings.common.concurrent.Deadline;
import io.wings.common.concurrent.Threads;
import io.wings.common.error.WingsException;
import io.wings.common.grant.Refusals;
import io.wings.common.id.Ids;
import io.wings.common.metrics.Readiness;
import io.wings.common.time.Time;
import io.wings.common.tls.Tls;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Supplier;
import javax.net.ssl.SSLSession;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The {@code catalog} role: serves the catalogs of type {@code wings} that a cluster has registered
 * to whatever speaks the Iceberg REST protocol (Spark, Trino, PyIceberg…). {@code
 * docs/architecture.md} says what of it.
 */
public final class RestCatalogServer implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(RestCatalogServer.class);

  private static final int BACKLOG = 128;

  /** Answers that are being sent, 256 MiB: one's largest metadata, and room for others. */
  private static final int MAX_ANSWER_CHUNKS = 4096;

  /** Less than the HTTP server's own, which closes the connection without an answer. */
  private static final Duration REQUEST_LIMIT = Duration.ofSeconds(45);

  private static final int STOP_SECONDS = 2;
  private static final String CONFIG = "/v1/config";
  private static final String UNAVAILABLE = "ServiceUnavailableException";

  /** The part's name in readiness, logs and errors. */
  public static final String PART = "catalog";

  private final RestCatalogSettings settings;
  private final HttpServer http;
  private final CatalogRequests requests;
  private final OAuthTokens tokens;
  private final RestErrors errors;
  private final MeterRegistry meters;
  private final RequestBodies bodies = RequestBodies.ofCallers();
  private final RequestBodies forms = RequestBodies.ofForms();
  private final Shares answers = new Shares(MAX_ANSWER_CHUNKS, MAX_ANSWER_CHUNKS / 2);
  private final AtomicInteger active = new AtomicInteger();
  private final Permits permits = new Permits();
  private final Loads loads = Loads.ofHeap(Runtime.getRuntime().maxMemory());
  private final Deadline deadline;
  private final Refusals refusals;

  private RestCatalogServer(
      RestCatalogSettings settings,
      HttpServer http,
      CatalogRequests requests,
      RestErrors errors,
      Deadline deadline,
      Refusals refusals,
      MeterRegistry meters) {
    this.settings = settings;
    this.http = http;
    this.requests = requests;
    this.errors = errors;
    this.deadline = deadline;
    this.refusals = refusals;
    this.tokens = new OAuthTokens(settings.authenticator());
    this.meters = meters;
  }

  /**
   * Listens and serves. Ready at once: catalogs are opened as they are asked for.
   *
   * @param catalogs not closed with the server
   * @param meters gets {@code wings.catalog.requests}
   * @throws WingsException {@code cannot-listen}
   */
  public static RestCatalogServer start(
      RestCatalogSettings settings,
      Tenants tenants,
      Catalogs catalogs,
      Time time,
      Ids ids,
      Threads threads,
      MeterRegistry meters,
      Readiness readiness) {
    readiness.notReady(PART, "starting");
    HttpLimits.apply();
    HttpServer http;
    try {
      http = Tls.httpServer(settings.tls(), settings.listen().socketAddress(), BACKLOG);
    } catch (IOException e) {
      throw WingsException.unavailable(
          "cannot-listen",
          "REST catalog on " + settings.listen() + " (--listen): " + e.getMessage(),
          e);
    }
    RestCatalogServer server =
        new RestCatalogServer(
            settings,
            http,
            new CatalogRequests(tenants, catalogs, settings.access()),
            new RestErrors(ids),
            new Deadline(time, threads, "the catalog's storage", REQUEST_LIMIT),
            new Refusals(time),
            meters);
    http.setExecutor(threads.executor("catalog-rest"));
    http.createContext("/", server::handle);
    http.start();
    readiness.ready(PART);
    LOG.info("REST catalog listens on {}", server.port());
    return server;
  }

  /** The port that it listens on. */
  public int port() {
    return http.getAddress().getPort();
  }

  /** Stops listening; requests under way get a moment to end. */
  @Override
  public void close() {
    // The JDK's server waits the whole time when nothing ends meanwhile.
    http.stop(active.get() == 0 ? 0 : STOP_SECONDS);
  }

  private void handle(HttpExchange exchange) throws IOException {
    Timer.Sample sample = Timer.start(meters);
    String path = exchange.getRequestURI().getRawPath();
    String method = exchange.getRequestMethod();
    String name = "other";
    int status = 0;
    // Asked for first: without it the server ends the connection with the exchange.
    active.incrementAndGet();
    String payer = address(exchange);
    try (exchange;
        InputStream body = exchange.getRequestBody()) {
      Answer answer;
      try {
        if (path.equals(OAuthTokens.PATH)) {
          name = "OAUTH";
          answer = token(exchange, method, body);
        } else if (path.equals(CONFIG)) {
          name = "CONFIG";
          Caller caller = caller(exchange);
          payer = payer(caller, exchange);
          answer = config(caller, payer, exchange, method);
        } else {
          Caller caller = caller(exchange);
          payer = payer(caller, exchange);
          Optional<Route.Match> match = Route.match(method, path);
          name = match.map(found -> found.route().name()).orElse(name);
          answer = match.isPresent() ? run(caller, exchange, match.get(), body) : unserved(path);
        }
      } catch (RuntimeException e) {
        answer = errors.of(e, false);
      }
      status = send(exchange, payer, answer);
    } catch (IOException e) {
      LOG.debug("{} {} ended early", method, name, e);
    } finally {
      active.decrementAndGet();
      sample.stop(
          meters.timer("wings.catalog.requests", "route", name, "status", String.valueOf(status)));
    }
  }

  /** Runs what is at hand whole: nobody's slow connection holds a permit. */
  private Answer permitted(String payer, Optional<CatalogName> catalog, Supplier<Answer> work) {
    Optional<Permit> permit = permits.tryTake(payer, catalog);
    if (permit.isEmpty()) {
      return RestErrors.answer(503, UNAVAILABLE, "too many requests at once");
    }
    try (Permit _ = permit.get()) {
      return deadline.within(() -> loads.within(payer, work));
    }
  }

  /**
   * Who makes a request.
   *
   * @throws WingsException {@code unauthenticated}
   */
  private Caller caller(HttpExchange exchange) {
    List<String> authorization =
        exchange.getRequestHeaders().getOrDefault("Authorization", List.of());
    SSLSession connection =
        exchange instanceof HttpsExchange secured ? secured.getSSLSession() : null;
    try {
      return new Caller(
          settings.authenticator().authenticate(authorization, connection),
          exchange.getRemoteAddress());
    } catch (WingsException e) {
      refusals.note(exchange.getRemoteAddress(), String.valueOf(e.getMessage()));
      throw e;
    }
  }

  private Answer token(HttpExchange exchange, String method, InputStream in) throws IOException {
    if (!method.equals("POST")) {
      return RestErrors.answer(405, "BadRequestException", "only POST");
    }
    return withBody(
        forms,
        address(exchange),
        Optional.empty(),
        in,
        body ->
            tokens.answer(
                parameters(new String(body, StandardCharsets.UTF_8)),
                why -> refusals.note(exchange.getRemoteAddress(), why)));
  }

  private Answer config(Caller caller, String payer, HttpExchange exchange, String method) {
    if (!method.equals("GET")) {
      return RestErrors.answer(405, "BadRequestException", "only GET");
    }
    Optional<CatalogName> warehouse =
        Optional.ofNullable(query(exchange.getRequestURI()).get("warehouse"))
            .filter(name -> !name.isEmpty())
            .map(CatalogName::new);
    return permitted(payer, warehouse, () -> requests.config(caller, warehouse));
  }

  private static Answer unserved(String path) {
    List<String> methods = Route.methods(path);
    return methods.isEmpty()
        ? RestErrors.answer(404, "NotFoundException", "no such endpoint")
        : RestErrors.answer(405, "BadRequestException", "only " + String.join(", ", methods));
  }

  private Answer run(Caller caller, HttpExchange exchange, Route.Match match, InputStream in)
      throws IOException {
    try {
      String ifNoneMatch = exchange.getRequestHeaders().getFirst("If-None-Match");
      return withBody(
          bodies,
          payer(caller, exchange),
          Optional.of(match.catalog()),
          in,
          body ->
              requests.run(
                  caller,
                  match,
                  query(exchange.getRequestURI()),
                  body,
                  ifNoneMatch == null ? "" : ifNoneMatch));
    } catch (RuntimeException e) {
      return errors.of(e, !match.route().reads());
    }
  }

  /** Runs a request once its body is there. */
  private Answer withBody(
      RequestBodies from,
      String payer,
      Optional<CatalogName> catalog,
      InputStream in,
      Function<byte[], Answer> work)
      throws IOException {
    try (Held body = from.read(payer, in)) {
      return permitted(payer, catalog, () -> work.apply(body.bytes()));
    } catch (TooLarge e) {
      return RestErrors.answer(413, "BadRequestException", String.valueOf(e.getMessage()));
    } catch (Overloaded _) {
      return RestErrors.answer(503, UNAVAILABLE, "too much data at once");
    }
  }

  private static Map<String, String> query(URI uri) {
    String raw = uri.getRawQuery();
    return raw == null ? Map.of() : parameters(raw);
  }

  private static Map<String, String> parameters(String encoded) {
    Map<String, String> parameters = new HashMap<>();
    if (encoded.isEmpty()) {
      return parameters;
    }
    for (String pair : encoded.split("&", -1)) {
      int equals = pair.indexOf('=');
      String key = decode(equals < 0 ? pair : pair.substring(0, equals));
      if (parameters.put(key, equals < 0 ? "" : decode(pair.substring(equals + 1))) != null) {
        throw new IllegalArgumentException("a parameter is there twice");
      }
    }
    return parameters;
  }

  private static String decode(String text) {
    return URLDecoder.decode(text, StandardCharsets.UTF_8);
  }

  /** Whose share memory is taken from: where everybody is one principal, the address. */
  private static String payer(Caller caller, HttpExchange exchange) {
    return caller.identity().equals(Identity.ANONYMOUS)
        ? address(exchange)
        : caller.identity().principal();
  }

  /** For who isn't known. No principal has a colon. */
  private static String address(HttpExchange exchange) {
    return "address:" + exchange.getRemoteAddress().getAddress().getHostAddress();
  }

  /**
   * Sends, while the answer's memory counts: who doesn't read holds no more than their share.
   *
   * @return the status that was sent
   */
  private int send(HttpExchange exchange, String payer, Answer answer) throws IOException {
    int chunks = RequestBodies.chunks(answer.body().length);
    if (answers.tryTake(payer, chunks)) {
      try {
        write(exchange, answer);
        return answer.status();
      } finally {
        answers.give(payer, chunks);
      }
    }
    Answer none = Answer.empty(503);
    write(exchange, none);
    return none.status();
  }

  private static void write(HttpExchange exchange, Answer answer) throws IOException {
    answer.headers().forEach(exchange.getResponseHeaders()::set);
    boolean silent = answer.body().length == 0 || exchange.getRequestMethod().equals("HEAD");
    if (silent) {
      exchange.sendResponseHeaders(answer.status(), -1);
      return;
    }
    exchange.getResponseHeaders().set("Content-Type", "application/json");
    exchange.sendResponseHeaders(answer.status(), answer.body().length);
    try (OutputStream out = exchange.getResponseBody()) {
      out.write(answer.body());
    }
  }
}
