package io.wings.cli.client;

import io.wings.common.error.ErrorKind;
import io.wings.common.error.WingsException;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;

/** What a role's {@code /metrics} said at one moment. */
public final class RoleMetrics {
  private static final Duration PATIENCE = Duration.ofSeconds(10);
  private static final HttpClient HTTP = HttpClient.newBuilder().connectTimeout(PATIENCE).build();

  private final String text;

  private RoleMetrics(String text) {
    this.text = text;
  }

  /**
   * Asks a role.
   *
   * @param at {@code host:port} of its metrics
   * @throws WingsException {@code role-unreachable} of kind UNAVAILABLE
   */
  public static RoleMetrics of(String at) throws InterruptedException {
    URI uri = URI.create("http://" + at + "/metrics");
    try {
      HttpResponse<String> response =
          HTTP.send(
              HttpRequest.newBuilder(uri).timeout(PATIENCE).build(),
              HttpResponse.BodyHandlers.ofString());
      if (response.statusCode() != 200) {
        throw new WingsException(
            ErrorKind.UNAVAILABLE,
            "role-unreachable",
            "%s answers with status %d".formatted(uri, response.statusCode()));
      }
      return new RoleMetrics(response.body());
    } catch (IOException e) {
      throw WingsException.unavailable("role-unreachable", uri + ": " + e, e);
    }
  }

  /** The sum over all labels of a counter or gauge, by its name in Prometheus; 0 where none is. */
  public double sum(String name) {
    return text.lines()
        .filter(line -> line.startsWith(name + " ") || line.startsWith(name + "{"))
        .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
        .sum();
  }
}
