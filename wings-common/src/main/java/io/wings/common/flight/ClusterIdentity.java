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

  /**
   * The principal that the caller acts for.
   *
   * @throws WingsException {@code unauthenticated} for a caller that is no role of the cluster
   */
  public String principal(Metadata headers) {
    String principal = headers.get(PRINCIPAL);
    if (!new ClusterToken(token).matches(headers) || principal == null) {
      throw new WingsException(
          ErrorKind.UNAUTHENTICATED,
          "unauthenticated",
          "ingestors answer the cluster's own roles only; connect to the load balancer");
    }
    return unescape(principal);
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
