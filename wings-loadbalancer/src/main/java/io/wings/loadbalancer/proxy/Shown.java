package io.wings.loadbalancer.proxy;

import io.grpc.Metadata;
import io.wings.common.auth.Authenticator;
import io.wings.common.auth.Identity;
import io.wings.common.error.ErrorKind;
import io.wings.common.error.WingsException;
import io.wings.common.time.Time;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import java.security.cert.X509Certificate;
import java.util.Date;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;

/**
 * What a client has shown with a call. Who that is may be asked again as long as the call goes on:
 * tokens are revoked, and they and certificates run out.
 */
final class Shown {
  /** What credentials are read from; the rest of a call's headers isn't kept. */
  private static final Metadata.Key<String> AUTHORIZATION =
      Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);

  private static final Metadata.Key<byte[]> HANDSHAKE_TOKEN =
      Metadata.Key.of("auth-token-bin", Metadata.BINARY_BYTE_MARSHALLER);

  private final Metadata headers = new Metadata();
  private final @Nullable SSLSession connection;
  private final Authenticator authenticator;
  private final Time time;

  /**
   * @param connection its TLS session; null for one without TLS
   */
  Shown(Metadata headers, @Nullable SSLSession connection, Authenticator authenticator, Time time) {
    keep(headers, AUTHORIZATION);
    keep(headers, HANDSHAKE_TOKEN);
    this.connection = connection;
    this.authenticator = authenticator;
    this.time = time;
  }

  private <T> void keep(Metadata from, Metadata.Key<T> key) {
    Iterable<T> values = from.getAll(key);
    if (values != null) {
      values.forEach(value -> headers.put(key, value));
    }
  }

  /**
   * Who that is, as of now.
   *
   * @throws WingsException {@code unauthenticated}; of kind UNAVAILABLE where it can't be found out
   */
  Identity identity() {
    Identity identity = authenticator.authenticate(headers, connection);
    if (connection != null
        && !(authenticator instanceof Authenticator.Open)
        && authenticator.credentials(headers).isEmpty()) {
      requireValid(connection);
    }
    return identity;
  }

  /** A connection outlives the certificate that it was made with. */
  private void requireValid(SSLSession session) {
    try {
      ((X509Certificate) session.getPeerCertificates()[0]).checkValidity(Date.from(time.now()));
    } catch (CertificateExpiredException
        | CertificateNotYetValidException
        | SSLPeerUnverifiedException e) {
      throw new WingsException(
          ErrorKind.UNAUTHENTICATED,
          "unauthenticated",
          "the client's certificate is not valid now; connect with another",
          e);
    }
  }
}
