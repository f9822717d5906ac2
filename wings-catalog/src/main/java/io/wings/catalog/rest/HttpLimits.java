package io.wings.catalog.rest;

import java.util.Map;

/**
 * Limits of the JDK's HTTP server, which it takes from system properties when its first instance is
 * made. Those that are set already stay.
 */
final class HttpLimits {
  private static final Map<String, String> LIMITS =
      Map.of(
          // Without it a small answer waits for the client's delayed acknowledgement, 40 ms.
          "sun.net.httpserver.nodelay", "true",
          "sun.net.httpserver.maxReqTime", "60",
          "sun.net.httpserver.maxRspTime", "60",
          "sun.net.httpserver.maxIdleConnections", "200",
          "jdk.httpserver.maxConnections", "1024");

  private HttpLimits() {}

  static void apply() {
    LIMITS.forEach(
        (property, value) -> {
          if (System.getProperty(property) == null) {
            System.setProperty(property, value);
          }
        });
  }
}
