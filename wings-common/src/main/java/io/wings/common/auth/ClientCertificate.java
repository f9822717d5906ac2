package io.wings.common.auth;

import io.wings.common.error.WingsException;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.util.Optional;
import javax.naming.InvalidNameException;
import javax.naming.ldap.LdapName;
import javax.naming.ldap.Rdn;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;

/** Who a client is by the certificate that it has shown, which the handshake has verified. */
final class ClientCertificate {
  private ClientCertificate() {}

  /**
   * The common name of the certificate's subject; empty where the client has shown none.
   *
   * @throws WingsException {@code unauthenticated} for a certificate without a name that can be a
   *     principal
   */
  static Optional<Identity> of(SSLSession connection) {
    Certificate[] shown;
    try {
      shown = connection.getPeerCertificates();
    } catch (SSLPeerUnverifiedException _) {
      return Optional.empty();
    }
    return Optional.of(
        commonName((X509Certificate) shown[0])
            .filter(Identity::isPrincipal)
            .map(Identity::new)
            .orElseThrow(
                () ->
                    Credentials.unauthenticated(
                        "the client's certificate has no common name that can be a principal")));
  }

  private static Optional<String> commonName(X509Certificate certificate) {
    try {
      return new LdapName(certificate.getSubjectX500Principal().getName())
          .getRdns().stream()
              .filter(rdn -> rdn.getType().equalsIgnoreCase("CN"))
              .map(Rdn::getValue)
              .filter(String.class::isInstance)
              .map(String.class::cast)
              .findFirst();
    } catch (InvalidNameException _) {
      return Optional.empty();
    }
  }
}
