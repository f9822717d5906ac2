package io.wings.common.auth;

import io.grpc.Metadata;
import io.wings.common.concurrent.Threads;
import io.wings.common.error.WingsException;
import io.wings.common.lifecycle.Lifecycle;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;

/** Decides who a client is. Safe for use by several threads. */
public sealed interface Authenticator
    permits Authenticator.Open, Authenticator.NoTokens, Authenticator.Either, TokenFile, JwtTokens {
  /**
   * Looks at its files even when nobody calls, so that a change that can't be used is told when it
   * is made; {@code lifecycle} ends that.
   */
  default void watch(Lifecycle lifecycle, Threads threads) {}

  /**
   * Who shows {@code credentials}.
   *
   * @throws WingsException {@code unauthenticated}; it doesn't tell a wrong principal from a wrong
   *     token
   */
  Identity authenticate(Credentials credentials);

  /**
   * What a call shows, or empty where it shows nothing.
   *
   * @throws WingsException {@code unauthenticated} for headers that can't be read
   */
  default Optional<Credentials> credentials(Metadata headers) {
    return Credentials.of(headers);
  }

  /**
   * Who makes a Flight call.
   *
   * @param connection its TLS session; null for one without TLS
   * @throws WingsException {@code unauthenticated}
   */
  default Identity authenticate(Metadata headers, @Nullable SSLSession connection) {
    return known(credentials(headers), connection);
  }

  /**
   * Who makes an HTTP request.
   *
   * @param authorization the values of its headers of that name
   * @param connection its TLS session; null for one without TLS
   * @throws WingsException {@code unauthenticated}
   */
  default Identity authenticate(List<String> authorization, @Nullable SSLSession connection) {
    return known(Credentials.of(authorization), connection);
  }

  /** By the token; by the certificate where none is shown. */
  private Identity known(Optional<Credentials> shown, @Nullable SSLSession connection) {
    if (shown.isPresent() && !shown.get().saysNothing()) {
      return authenticate(shown.get());
    }
    return Optional.ofNullable(connection)
        .flatMap(ClientCertificate::of)
        .orElseThrow(
            () ->
                Credentials.unauthenticated(
                    "this cluster asks for a bearer token; send the header 'authorization:"
                        + " Bearer TOKEN' or authenticate with principal and token"));
  }

  /** Everybody is let in, as {@code anonymous}. */
  enum Open implements Authenticator {
    INSTANCE;

    @Override
    public Identity authenticate(Credentials credentials) {
      return Identity.ANONYMOUS;
    }

    @Override
    public Identity authenticate(Metadata headers, @Nullable SSLSession connection) {
      return Identity.ANONYMOUS;
    }

    @Override
    public Identity authenticate(List<String> authorization, @Nullable SSLSession connection) {
      return Identity.ANONYMOUS;
    }
  }

  /** Callers are known by what their connection shows; no token is. */
  enum NoTokens implements Authenticator {
    INSTANCE;

    @Override
    public Identity authenticate(Credentials credentials) {
      throw Credentials.unauthenticated("this cluster knows clients by their certificates");
    }
  }

  /** Static tokens beside signed ones; by its form a token is one or the other. */
  record Either(TokenFile tokens, JwtTokens signed) implements Authenticator {
    @Override
    public void watch(Lifecycle lifecycle, Threads threads) {
      tokens.watch(lifecycle, threads);
      signed.watch(lifecycle, threads);
    }

    @Override
    public Identity authenticate(Credentials credentials) {
      return JwtTokens.isLike(credentials.token())
          ? signed.authenticate(credentials)
          : tokens.authenticate(credentials);
    }
  }
}
