package io.wings.cli.admin;

import io.wings.common.config.HostPort;
import io.wings.common.error.ErrorKind;
import io.wings.common.error.WingsException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;

/** Which formats a running role can read, as its metrics say. */
final class RoleFormats {
  private static final Duration TIMEOUT = Duration.ofSeconds(10);
  private static final Pattern LINE =
      Pattern.compile("wings_format_version\\{format=\"([a-z]+)\"\\} (\\d+)(?:\\.0)?");

  private RoleFormats() {}

  /**
   * Asks.
   *
   * @param token that /metrics asks for
   * @param trusted by TLS; empty: roles are asked without it
   * @throws WingsException {@code role-unreachable}, {@code role-refuses}
   */
  static Map<String, Integer> of(String role, Optional<String> token, Optional<SSLContext> trusted)
      throws InterruptedException {
    String address =
        (trusted.isPresent() ? "https://" : "http://") + HostPort.parse(role) + "/metrics";
    HttpClient.Builder building = HttpClient.newBuilder().connectTimeout(TIMEOUT);
    trusted.ifPresent(building::sslContext);
    try (HttpClient client = building.build()) {
      HttpRequest.Builder asking = HttpRequest.newBuilder(URI.create(address)).timeout(TIMEOUT);
      token.ifPresent(shown -> asking.header("Authorization", "Bearer " + shown));
      HttpResponse<String> answer =
          client.send(asking.build(), HttpResponse.BodyHandlers.ofString());
      if (answer.statusCode() != 200) {
        throw new WingsException(
            ErrorKind.UNAUTHENTICATED,
            "role-refuses",
            "%s answers %d; say --metrics-token-file".formatted(address, answer.statusCode()));
      }
      return parse(answer.body());
    } catch (IOException e) {
      throw new WingsException(
          ErrorKind.UNAVAILABLE,
          "role-unreachable",
          "no role answers at %s: %s%s".formatted(address, e, hint(e, trusted.isPresent())),
          e);
    }
  }

  private static String hint(IOException e, boolean tls) {
    if (tls) {
      return e instanceof SSLException
          ? "; --metrics-ca names the authority of its certificate, --metrics-name the name that it"
              + " bears"
          : "";
    }
    return e instanceof ConnectException || e instanceof HttpTimeoutException
        ? ""
        : "; if it serves by TLS (--http-tls-cert), say --metrics-ca FILE";
  }

  static Map<String, Integer> parse(String metrics) {
    Map<String, Integer> formats = new HashMap<>();
    metrics
        .lines()
        .forEach(
            line -> {
              Matcher matcher = LINE.matcher(line);
              if (matcher.matches()) {
                formats.put(matcher.group(1), Integer.parseInt(matcher.group(2)));
              }
            });
    return formats;
  }
}
