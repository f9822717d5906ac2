package io.wings.common.tls;

import io.grpc.util.CertificateUtils;
import io.wings.common.error.WingsException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.CertificateException;
import java.security.cert.PKIXBuilderParameters;
import java.security.cert.X509CertSelector;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.CertPathTrustManagerParameters;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;

/**
 * What stood in {@link TlsFiles} at one moment.
 *
 * @param authorities empty where there is no such file
 */
record Certificates(
    List<X509Certificate> chain, PrivateKey key, Optional<List<X509Certificate>> authorities) {
  private static final int MAX_BYTES = 1 << 20;

  /**
   * Reads them.
   *
   * @throws WingsException {@code tls-invalid}
   */
  static Certificates read(TlsFiles files) {
    List<X509Certificate> chain = certificates(files.certificates());
    PrivateKey key = key(files.key());
    requirePair(files, chain.getFirst().getPublicKey(), key);
    return new Certificates(chain, key, files.authorities().map(Certificates::certificates));
  }

  static List<X509Certificate> certificates(Path file) {
    List<X509Certificate> found;
    try (InputStream in = open(file)) {
      found = List.of(CertificateUtils.getX509Certificates(in));
    } catch (IOException | GeneralSecurityException e) {
      throw invalid(file + " can't be read as PEM certificates: " + e.getMessage());
    }
    if (found.isEmpty()) {
      throw invalid(file + " holds no certificate");
    }
    return found;
  }

  private static PrivateKey key(Path file) {
    try (InputStream in = open(file)) {
      return CertificateUtils.getPrivateKey(in);
    } catch (IOException | GeneralSecurityException | IllegalArgumentException e) {
      // Without the cause's message, which may quote the file.
      throw invalid(
          file
              + " is no PKCS#8 key ('BEGIN PRIVATE KEY', RSA or EC, not encrypted): convert it with"
              + " 'openssl pkcs8 -topk8 -nocrypt', or let cert-manager write privateKey.encoding:"
              + " PKCS8 ("
              + e.getClass().getSimpleName()
              + ")");
    }
  }

  private static InputStream open(Path file) throws IOException {
    if (Files.size(file) > MAX_BYTES) {
      throw new IOException("it has more than " + MAX_BYTES + " bytes");
    }
    return Files.newInputStream(file);
  }

  /** Two files aren't replaced in one moment. */
  private static void requirePair(TlsFiles files, PublicKey shown, PrivateKey key) {
    String algorithm =
        switch (key.getAlgorithm()) {
          case "RSA" -> "SHA256withRSA";
          case "EC" -> "SHA256withECDSA";
          case String other -> throw invalid(files.key() + " is a key of " + other);
        };
    byte[] text = {1};
    boolean pair;
    try {
      Signature signing = Signature.getInstance(algorithm);
      signing.initSign(key);
      signing.update(text);
      byte[] signed = signing.sign();
      Signature verifying = Signature.getInstance(algorithm);
      verifying.initVerify(shown);
      verifying.update(text);
      pair = verifying.verify(signed);
    } catch (GeneralSecurityException _) {
      pair = false;
    }
    if (!pair) {
      throw invalid(
          "%s is not the key of the first certificate in %s"
              .formatted(files.key(), files.certificates()));
    }
  }

  /** Whether peers that know one another by this name know the owner. */
  private void requireName(PeerName name, TlsFiles files) {
    if (name.required().isPresent() && !PeerName.bears(shown(), name.required().get())) {
      throw invalid(
          "the first certificate in %s doesn't bear the cluster's name %s, by which the roles know one another; it is for %s"
              .formatted(files.certificates(), name.required().get(), PeerName.names(shown())));
    }
  }

  /**
   * Whether these are of use, at the start and in place of others that work: nobody would connect
   * to who shows a certificate that is over, or, where peers have a name, one for another or of
   * another authority.
   *
   * @throws WingsException {@code tls-invalid}
   */
  void requireUsable(PeerName name, TlsFiles files, Instant now) {
    requireName(name, files);
    try {
      shown().checkValidity(Date.from(now));
    } catch (CertificateException _) {
      throw invalid(
          "the first certificate in %s is good from %s until %s, and it is %s: put another there, or set the clock"
              .formatted(
                  files.certificates(),
                  shown().getNotBefore().toInstant(),
                  shown().getNotAfter().toInstant(),
                  now));
    }
    if (name.required().isPresent()) {
      requireOwnAuthority(files, now);
    }
  }

  private void requireOwnAuthority(TlsFiles files, Instant now) {
    try {
      KeyStore anchors = KeyStore.getInstance(KeyStore.getDefaultType());
      anchors.load(null, null);
      for (X509Certificate authority : authorities.orElseThrow()) {
        anchors.setCertificateEntry("authority " + anchors.size(), authority);
      }
      TrustManagerFactory factory = TrustManagerFactory.getInstance("PKIX");
      PKIXBuilderParameters path = new PKIXBuilderParameters(anchors, new X509CertSelector());
      path.setRevocationEnabled(false);
      path.setDate(Date.from(now));
      factory.init(new CertPathTrustManagerParameters(path));
      X509TrustManager peer = (X509TrustManager) factory.getTrustManagers()[0];
      peer.checkClientTrusted(chain.toArray(X509Certificate[]::new), key.getAlgorithm());
    } catch (GeneralSecurityException | IOException e) {
      throw invalid(
          "the certificate in %s is none of the authorities in %s: %s"
              .formatted(files.certificates(), files.authorities().orElseThrow(), e.getMessage()));
    }
  }

  /** The owner's own. */
  X509Certificate shown() {
    return chain.getFirst();
  }

  private static WingsException invalid(String detail) {
    return WingsException.invalid("tls-invalid", detail);
  }

  /** Without the key. */
  @Override
  public String toString() {
    return "Certificates[" + chain.getFirst().getSubjectX500Principal() + "]";
  }
}
