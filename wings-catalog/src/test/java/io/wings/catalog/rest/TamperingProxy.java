package io.wings.catalog.rest;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.wings.common.concurrent.Threads;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** Stands before a REST catalog, remembers what it was asked, and changes what it answers. */
public final class TamperingProxy implements AutoCloseable {
  /**
   * An answer of the catalog.
   *
   * @param status 0 closes the connection without one
   */
  public record Reply(int status, String body) {}

  /** Changes an answer; the request has been carried out. */
  @FunctionalInterface
  public interface Tamper {
    Reply change(String request, Reply reply);
  }

  private final HttpServer http;
  private final HttpClient client = HttpClient.newHttpClient();
  private final List<String> requests = new CopyOnWriteArrayList<>();
  private final List<String> headers = new CopyOnWriteArrayList<>();
  private final String target;
  private volatile @Nullable String tag;
  private volatile Tamper tamper = (_, reply) -> reply;

  public TamperingProxy(String target) throws IOException {
    this.target = target;
    this.http = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    http.setExecutor(Threads.virtual().executor("proxy"));
    http.createContext("/", this::forward);
    http.start();
  }

  public String uri() {
    return "http://127.0.0.1:" + http.getAddress().getPort();
  }

  public void tamper(Tamper change) {
    tamper = change;
  }

  /**
   * Marks every answer with a tag, and answers who shows it that nothing has changed, as servers do
   * that know which state of a table a client has.
   */
  public void tag(String etag) {
    tag = etag;
  }

  /** Method and path of each. */
  public List<String> requests() {
    return requests;
  }

  /** All headers of each. */
  public List<String> headers() {
    return headers;
  }

  private void forward(HttpExchange exchange) throws IOException {
    try (exchange) {
      String request = exchange.getRequestMethod() + " " + exchange.getRequestURI().getRawPath();
      requests.add(request);
      headers.add(exchange.getRequestHeaders().entrySet().toString());
      byte[] body = exchange.getRequestBody().readAllBytes();
      HttpResponse<byte[]> answer =
          client.send(
              HttpRequest.newBuilder(URI.create(target + exchange.getRequestURI()))
                  .method(exchange.getRequestMethod(), HttpRequest.BodyPublishers.ofByteArray(body))
                  .build(),
              HttpResponse.BodyHandlers.ofByteArray());
      Reply reply =
          tamper.change(
              request,
              new Reply(answer.statusCode(), new String(answer.body(), StandardCharsets.UTF_8)));
      if (reply.status() == 0) {
        return;
      }
      String marked = tag;
      if (marked != null) {
        exchange.getResponseHeaders().set("ETag", marked);
        if (marked.equals(exchange.getRequestHeaders().getFirst("If-None-Match"))) {
          exchange.sendResponseHeaders(304, -1);
          return;
        }
      }
      byte[] bytes = reply.body().getBytes(StandardCharsets.UTF_8);
      exchange.sendResponseHeaders(reply.status(), bytes.length == 0 ? -1 : bytes.length);
      try (OutputStream out = exchange.getResponseBody()) {
        out.write(bytes);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() {
    http.stop(0);
    client.close();
  }
}
