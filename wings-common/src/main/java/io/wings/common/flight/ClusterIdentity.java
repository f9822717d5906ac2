package io.wings.common.flight;

import io.grpc.Metadata;
import io.wings.common.auth.Identity;
import io.wings.common.cluster.ClusterToken;
import io.wings.common.error.ErrorKind;
import io.wings.common.error.WingsException;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;

/**
 * Who calls an ingestor: a role of the cluster, which knows its shared token, on behalf of a
 * principal that it has authenticated. Anything else that calls is refused.
 *
 * @param token the cluster's shared secret
 */
public record ClusterIdentity(String token) {
  /** The principal of everybody where a cluster runs open. */
  public static final String ANONYMOUS = Identity.ANONYMOUS.principal();

  private static final Metadata.Key<String> PRINCIPAL =
      Metadata.Key.of("wings-principal", Metadata.ASCII_STRING_MARSHALLER);
  private static final Metadata.Key<String> CLIENT =
      Metadata.Key.of("wings-client", Metadata.ASCII_STRING_MARSHALLER);

  /** Of a client whose address the calling role didn't tell. */
  public static final String UNKNOWN = "unknown";

  /**
   * Whom a call is made for.
   *
   * @param principal that the calling role has authenticated
   * @param address the client's, as that role saw it; only for telling it to people
   */
  public record Caller(String principal, String address) {}

  public ClusterIdentity {
    ClusterToken _ = new ClusterToken(token);
  }

  /** The headers of a call on behalf of {@code principal}. */
  public Metadata headers(String principal) {
    Metadata headers = new Metadata();
    new ClusterToken(token).addTo(headers);
    headers.put(PRINCIPAL, escape(principal));
    return headers;
  }

  /** The same for a client at {@code address}. */
  public Metadata headers(String principal, String address) {
    Metadata headers = headers(principal);
    headers.put(CLIENT, escape(address));
    return headers;
  }

  /**
   * Whom the call is made for.
   *
   * @throws WingsException {@code unauthenticated} for a caller that is no role of the cluster
   */
  public Caller caller(Metadata headers) {
    String principal = headers.get(PRINCIPAL);
    if (!new ClusterToken(token).matches(headers) || principal == null) {
      throw new WingsException(
          ErrorKind.UNAUTHENTICATED,
          "unauthenticated",
          "ingestors answer the cluster's own roles only; connect to the load balancer");
    }
    String address = headers.get(CLIENT);
    return new Caller(unescape(principal), address == null ? UNKNOWN : unescape(address));
  }

  /** Headers are ASCII, principals any text. */
  private static String escape(String principal) {
    return URLEncoder.encode(principal, StandardCharsets.UTF_8);
  }

  private static String unescape(String header) {
    return URLDecoder.decode(header, StandardCharsets.UTF_8);
  }

  /** Without the secret. */
  @Override
  public String toString() {
    return "ClusterIdentity";
  }
}
