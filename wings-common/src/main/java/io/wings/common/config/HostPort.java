package io.wings.common.config;

import io.wings.common.error.WingsException;
import java.net.InetSocketAddress;
import java.util.Set;

/**
 * A host and a port, written {@code host:8815} or {@code [::1]:8815}.
 *
 * @param host a name or a literal address, without brackets; never empty
 * @param port 0 to 65535; 0 asks for an ephemeral port where one listens
 */
public record HostPort(String host, int port) {
  private static final int MAX_HOST_CHARS = 253;
  private static final Set<String> WILDCARDS =
      Set.of("0.0.0.0", "0", "::", "0:0:0:0:0:0:0:0", "::0", "::ffff:0.0.0.0", "*");

  public HostPort {
    if (host.isEmpty() || host.length() > MAX_HOST_CHARS || !host.chars().allMatch(HostPort::ok)) {
      throw invalid(host + ":" + port);
    }
    if (port < 0 || port > 65535) {
      throw invalid(host + ":" + port);
    }
  }

  private static boolean ok(int c) {
    return (c >= 'a' && c <= 'z')
        || (c >= 'A' && c <= 'Z')
        || (c >= '0' && c <= '9')
        || ".-_:*%".indexOf(c) >= 0;
  }

  /**
   * Reads {@code host:port} or {@code [ipv6]:port}.
   *
   * @throws WingsException {@code invalid-address} for anything else
   */
  public static HostPort parse(String text) {
    int colon = text.lastIndexOf(':');
    if (colon < 0) {
      throw invalid(text);
    }
    String host = text.substring(0, colon);
    if (host.startsWith("[") && host.endsWith("]")) {
      host = host.substring(1, host.length() - 1);
    } else if (host.indexOf(':') >= 0) {
      throw invalid(text);
    }
    String digits = text.substring(colon + 1);
    if (digits.isEmpty()
        || digits.length() > 5
        || !digits.chars().allMatch(c -> c >= '0' && c <= '9')) {
      throw invalid(text);
    }
    return new HostPort(host, Integer.parseInt(digits));
  }

  private static WingsException invalid(String text) {
    return WingsException.invalid(
        "invalid-address", "expected host:port or [ipv6]:port, got '" + text + "'");
  }

  /**
   * Itself, if another process can dial it.
   *
   * @param what which setting this is, for the message
   * @throws WingsException {@code unreachable-address} for a wildcard (0.0.0.0, ::) or port 0
   */
  public HostPort requireDialable(String what) {
    if (WILDCARDS.contains(host) || port == 0) {
      throw WingsException.invalid(
          "unreachable-address",
          what
              + " must be an address that other processes can dial, got '"
              + this
              + "'; set it to this host's name or address and a fixed port");
    }
    return this;
  }

  /** The same host with another port: what an ephemeral port turned out to be. */
  public HostPort withPort(int port) {
    return new HostPort(host, port);
  }

  /** For listening or dialling; resolves the name. */
  public InetSocketAddress socketAddress() {
    return host.equals("*") ? new InetSocketAddress(port) : new InetSocketAddress(host, port);
  }

  @Override
  public String toString() {
    return host.indexOf(':') >= 0 ? "[" + host + "]:" + port : host + ":" + port;
  }
}
