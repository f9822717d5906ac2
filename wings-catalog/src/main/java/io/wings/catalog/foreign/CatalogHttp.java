package io.wings.catalog.foreign;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectReader;
import io.wings.catalog.io.MetadataFile;
import io.wings.catalog.io.Reach;
import io.wings.common.concurrent.Threads;
import io.wings.common.time.Time;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import javax.net.ssl.SSLContext;
import org.apache.hc.client5.http.classic.methods.HttpUriRequestBase;
import org.apache.hc.client5.http.config.ConnectionConfig;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.apache.hc.client5.http.impl.io.ManagedHttpClientConnectionFactory;
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManagerBuilder;
import org.apache.hc.client5.http.ssl.DefaultClientTlsStrategy;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.Header;
import org.apache.hc.core5.http.HttpEntity;
import org.apache.hc.core5.http.config.Http1Config;
import org.apache.hc.core5.http.io.entity.StringEntity;
import org.apache.hc.core5.io.CloseMode;
import org.apache.iceberg.exceptions.RESTException;
import org.apache.iceberg.rest.BaseHTTPClient;
import org.apache.iceberg.rest.HTTPHeaders;
import org.apache.iceberg.rest.HTTPRequest;
import org.apache.iceberg.rest.HTTPRequest.HTTPMethod;
import org.apache.iceberg.rest.ImmutableHTTPRequest;
import org.apache.iceberg.rest.ParserContext;
import org.apache.iceberg.rest.RESTResponse;
import org.apache.iceberg.rest.RESTUtil;
import org.apache.iceberg.rest.auth.AuthSession;
import org.apache.iceberg.rest.responses.ErrorResponse;
import org.apache.iceberg.util.JsonUtil;
import org.jspecify.annotations.Nullable;

/**
 * The HTTP side of a REST catalog, in place of Iceberg's own: it connects only where a tenant's
 * secret may lead, follows no redirect, and reads no more of an answer than a table's metadata may
 * have. What a server answers is in none of its exceptions.
 */
final class CatalogHttp extends BaseHTTPClient {
  private static final int MAX_ANSWER_BYTES = MetadataFile.MAX_READ_BYTES;

  /** What is looked at of an error, and of an answer that nobody reads. */
  private static final int MAX_ERROR_BYTES = 64 * 1024;

  /** More than a server has to say beside its answer; without a limit the client keeps them all. */
  private static final Http1Config HEADERS =
      Http1Config.custom().setMaxHeaderCount(200).setMaxLineLength(16 * 1024).build();

  /**
   * Until a request has been answered, with what is sent again, however busily its server sends.
   */
  static final Duration ANSWERED_WITHIN = Duration.ofMinutes(3);

  private static final int MAX_CONNECTIONS = 64;
  private static final int CONNECT_TIMEOUT_MILLIS = 10_000;
  private static final int SOCKET_TIMEOUT_MILLIS = 60_000;
  private static final String CONNECT_TIMEOUT = "rest.client.connection-timeout-ms";
  private static final String SOCKET_TIMEOUT = "rest.client.socket-timeout-ms";
  private static final String CONTENT_TYPE = "Content-Type";

  private final CloseableHttpClient http;
  private final Time time;
  private final Threads threads;
  private final URI base;
  private final Map<String, String> headers;
  private final @Nullable AuthSession session;

  /** Whether it closes the connections. */
  private final boolean root;

  private CatalogHttp(
      CloseableHttpClient http,
      Time time,
      Threads threads,
      URI base,
      Map<String, String> headers,
      @Nullable AuthSession session,
      boolean root) {
    this.http = http;
    this.time = time;
    this.threads = threads;
    this.base = base;
    this.headers = headers;
    this.session = session;
    this.root = root;
  }

  /**
   * A client without a session.
   *
   * @param config of the catalog; with its {@code uri}
   * @param trust whose certificates its server may show
   */
  static CatalogHttp open(
      Map<String, String> config, Reach reach, SSLContext trust, Time time, Threads threads) {
    ConnectionConfig connections =
        ConnectionConfig.custom()
            .setConnectTimeout(
                millis(config, CONNECT_TIMEOUT, CONNECT_TIMEOUT_MILLIS), TimeUnit.MILLISECONDS)
            .setSocketTimeout(
                millis(config, SOCKET_TIMEOUT, SOCKET_TIMEOUT_MILLIS), TimeUnit.MILLISECONDS)
            .build();
    CloseableHttpClient http =
        HttpClients.custom()
            .setConnectionManager(
                PoolingHttpClientConnectionManagerBuilder.create()
                    .setConnectionFactory(
                        ManagedHttpClientConnectionFactory.builder().http1Config(HEADERS).build())
                    .setDnsResolver(reach)
                    .setTlsSocketStrategy(new DefaultClientTlsStrategy(trust))
                    .setDefaultConnectionConfig(connections)
                    .setMaxConnTotal(MAX_CONNECTIONS)
                    .setMaxConnPerRoute(MAX_CONNECTIONS)
                    .build())
            .setRetryStrategy(new ReadRetries())
            .disableRedirectHandling()
            .disableCookieManagement()
            .disableAuthCaching()
            .build();
    URI base = URI.create(RESTUtil.stripTrailingSlash(config.getOrDefault("uri", "")));
    return new CatalogHttp(http, time, threads, base, RESTUtil.configHeaders(config), null, true);
  }

  private static int millis(Map<String, String> config, String property, int otherwise) {
    String text = config.get(property);
    if (text == null) {
      return otherwise;
    }
    try {
      return Integer.parseInt(text);
    } catch (NumberFormatException _) {
      throw RestCatalogs.refused("expected milliseconds in " + property);
    }
  }

  @Override
  public CatalogHttp withAuthSession(AuthSession with) {
    return new CatalogHttp(http, time, threads, base, headers, with, false);
  }

  @Override
  protected HTTPRequest buildRequest(
      HTTPMethod method,
      String path,
      @Nullable Map<String, String> query,
      @Nullable Map<String, String> with,
      @Nullable Object body) {
    Map<String, String> all = new LinkedHashMap<>(with == null ? Map.of() : with);
    all.putIfAbsent("Accept", "application/json");
    all.putIfAbsent(
        CONTENT_TYPE,
        body instanceof Map ? "application/x-www-form-urlencoded" : "application/json");
    headers.forEach(all::putIfAbsent);
    ImmutableHTTPRequest.Builder request =
        ImmutableHTTPRequest.builder()
            .baseUri(base)
            .method(method)
            .path(path)
            .queryParameters(query == null ? Map.of() : query)
            .headers(HTTPHeaders.of(all));
    if (body != null) {
      request.body(body);
    }
    if (session == null) {
      throw new IllegalStateException("a request without a session");
    }
    return session.authenticate(request.build());
  }

  @Override
  protected <T extends RESTResponse> @Nullable T execute(
      HTTPRequest request,
      @Nullable Class<T> type,
      Consumer<ErrorResponse> errors,
      Consumer<Map<String, String>> answerHeaders) {
    return execute(request, type, errors, answerHeaders, ParserContext.builder().build());
  }

  @Override
  protected <T extends RESTResponse> @Nullable T execute(
      HTTPRequest request,
      @Nullable Class<T> type,
      Consumer<ErrorResponse> errors,
      Consumer<Map<String, String>> answerHeaders,
      ParserContext context) {
    HttpUriRequestBase sent = new HttpUriRequestBase(request.method().name(), request.requestUri());
    request.headers().entries().forEach(each -> sent.addHeader(each.name(), each.value()));
    String body = request.encodedBody();
    if (body != null) {
      sent.setEntity(new StringEntity(body, StandardCharsets.UTF_8));
    }
    Thread deadline = threads.start("catalog-answer-deadline", () -> endLate(sent));
    try {
      return http.execute(
          sent, answer -> answer(request, sent, answer, type, errors, answerHeaders, context));
    } catch (IOException e) {
      throw unanswered(request, e);
    } catch (IllegalStateException e) {
      if (!sent.isAborted()) {
        throw e;
      }
      // It was about to be sent again.
      throw unanswered(request, new IOException("no answer in time", e));
    } finally {
      deadline.interrupt();
    }
  }

  private static RESTException unanswered(HTTPRequest request, IOException why) {
    return new RESTException(why, "no answer that can be used to a %s request", request.method());
  }

  private void endLate(HttpUriRequestBase sent) {
    try {
      time.sleep(ANSWERED_WITHIN);
      sent.abort();
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  private static <T extends RESTResponse> @Nullable T answer(
      HTTPRequest request,
      HttpUriRequestBase sent,
      ClassicHttpResponse answer,
      @Nullable Class<T> type,
      Consumer<ErrorResponse> errors,
      Consumer<Map<String, String>> answerHeaders,
      ParserContext context)
      throws IOException {
    Map<String, String> received = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    for (Header header : answer.getHeaders()) {
      received.put(header.getName(), header.getValue());
    }
    answerHeaders.accept(received);
    int status = answer.getCode();
    boolean good = status == 200 || status == 202 || status == 204;
    boolean unchanged = status == 304 && request.headers().contains("If-None-Match");
    byte[] body = read(sent, answer, type != null && good ? MAX_ANSWER_BYTES : MAX_ERROR_BYTES);
    if (status == 204 || unchanged || (type == null && good)) {
      return null;
    }
    if (!good) {
      errors.accept(error(status, body));
      throw new RESTException("HTTP status %s", status);
    }
    if (body.length > MAX_ANSWER_BYTES) {
      throw new IOException("an answer of more than " + MAX_ANSWER_BYTES + " bytes");
    }
    try {
      ObjectReader reader = request.mapper().readerFor(type);
      return (context.isEmpty() ? reader : reader.with(context.toInjectableValues()))
          .readValue(body);
    } catch (JsonProcessingException | RuntimeException _) {
      // Iceberg's parsers throw either, and their messages quote what they stumbled over.
      throw new IOException("an answer that is no " + Objects.requireNonNull(type).getSimpleName());
    }
  }

  /** One byte more than {@code most}, if there are as many. */
  private static byte[] read(HttpUriRequestBase sent, ClassicHttpResponse answer, int most)
      throws IOException {
    HttpEntity entity = answer.getEntity();
    if (entity == null) {
      return new byte[0];
    }
    InputStream in = entity.getContent();
    byte[] bytes = in == null ? new byte[0] : in.readNBytes(most + 1);
    if (bytes.length > most) {
      // Or the client would read the rest to use the connection again.
      sent.abort();
    }
    return bytes;
  }

  /**
   * As the catalog's protocol and OAuth have it. Iceberg's own parsers would log what they don't
   * know as it is.
   */
  private static ErrorResponse error(int status, byte[] body) throws IOException {
    String type = "";
    String message = new String(body, StandardCharsets.UTF_8);
    int code = status;
    try {
      JsonNode tree = JsonUtil.mapper().readTree(body);
      JsonNode error = tree.path("error");
      if (error.isObject()) {
        type = error.path("type").asText();
        message = error.path("message").asText();
        code = error.path("code").asInt(status);
      } else if (error.isTextual()) {
        type = error.asText();
        message = tree.path("error_description").asText();
      }
    } catch (JsonProcessingException _) {
      // A page of a proxy, mostly.
    }
    return ErrorResponse.builder().responseCode(code).withType(type).withMessage(message).build();
  }

  @Override
  public void close() throws IOException {
    try (AuthSession _ = session) {
      if (root) {
        http.close(CloseMode.GRACEFUL);
      }
    }
  }
}
