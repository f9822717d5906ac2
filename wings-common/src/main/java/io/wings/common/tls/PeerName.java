package io.wings.common.tls;

import io.grpc.util.AdvancedTlsX509TrustManager.SslSocketAndEnginePeerVerifier;
import java.net.Socket;
import java.security.cert.CertificateException;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.SSLEngine;

/**
 * Requires a DNS name of whoever is at the other end, wherever that is.
 *
 * @param required empty: any will do
 */
record PeerName(Optional<String> required) implements SslSocketAndEnginePeerVerifier {
  static final PeerName ANY = new PeerName(Optional.empty());

  /** The kind of an alternative name that is a DNS name, RFC 5280. */
  private static final Integer DNS_NAME = 2;

  @Override
  public void verifyPeerCertificate(X509Certificate[] chain, String authType, Socket socket)
      throws CertificateException {
    verify(chain);
  }

  @Override
  public void verifyPeerCertificate(X509Certificate[] chain, String authType, SSLEngine engine)
      throws CertificateException {
    verify(chain);
  }

  private void verify(X509Certificate[] chain) throws CertificateException {
    if (required.isPresent() && !bears(chain[0], required.get())) {
      throw new CertificateException(
          "expected a certificate for %s, got one for %s"
              .formatted(required.get(), names(chain[0])));
    }
  }

  static boolean bears(X509Certificate certificate, String name) {
    return names(certificate).stream().anyMatch(name::equalsIgnoreCase);
  }

  /** A certificate's DNS names. */
  static List<String> names(X509Certificate certificate) {
    try {
      Collection<List<?>> names = certificate.getSubjectAlternativeNames();
      return names == null
          ? List.of()
          : names.stream()
              .filter(name -> DNS_NAME.equals(name.getFirst()))
              .map(name -> String.valueOf(name.get(1)))
              .toList();
    } catch (CertificateParsingException _) {
      return List.of();
    }
  }
}
