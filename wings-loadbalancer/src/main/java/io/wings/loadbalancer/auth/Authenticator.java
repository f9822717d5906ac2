package io.wings.loadbalancer.auth;

import io.grpc.Metadata;
import io.wings.common.error.WingsException;
import io.wings.common.flight.ClusterIdentity;
import java.util.Optional;

/** Decides who a client is. Safe for use by several threads. */
public sealed interface Authenticator permits Authenticator.Open, TokenFile {
  /**
   * The principal that shows {@code credentials}.
   *
   * @throws WingsException {@code unauthenticated}; it doesn't tell a wrong principal from a wrong
   *     token
   */
  String authenticate(Credentials credentials);

  /**
   * What a call shows, or empty where it shows nothing.
   *
   * @throws WingsException {@code unauthenticated} for headers that can't be read
   */
  default Optional<Credentials> credentials(Metadata headers) {
    return Credentials.of(headers);
  }

  /**
   * The principal of a call.
   *
   * @throws WingsException {@code unauthenticated}
   */
  default String authenticate(Metadata headers) {
    return authenticate(
        credentials(headers)
            .orElseThrow(
                () ->
                    Credentials.unauthenticated(
                        "this cluster asks for a bearer token; send the header 'authorization:"
                            + " Bearer TOKEN' or authenticate with principal and token")));
  }

  /** Everybody is let in, as {@code anonymous}. */
  enum Open implements Authenticator {
    INSTANCE;

    @Override
    public String authenticate(Credentials credentials) {
      return ClusterIdentity.ANONYMOUS;
    }

    @Override
    public String authenticate(Metadata headers) {
      return ClusterIdentity.ANONYMOUS;
    }
  }
}
