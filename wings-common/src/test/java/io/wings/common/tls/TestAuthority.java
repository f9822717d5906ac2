package io.wings.common.tls;

import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.Optional;
import org.bouncycastle.asn1.pkcs.PrivateKeyInfo;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.cert.X509v3CertificateBuilder;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.openssl.PKCS8Generator;
import org.bouncycastle.openssl.jcajce.JcaPEMWriter;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

/** An authority of certificates, made for a test. */
public final class TestAuthority {
  private final X500Name name;
  private final KeyPair keys = keys();
  private final X509Certificate certificate;

  /**
   * Its own certificate is signed by itself.
   *
   * @param name its common name
   */
  public TestAuthority(String name) {
    this.name = new X500Name("CN=" + name);
    this.certificate = sign(this.name, keys, Duration.ofDays(1), true, List.of());
  }

  /**
   * Writes PEM files into {@code directory}, each in one step: a certificate for {@code
   * commonName}, its key, and the authority.
   *
   * @param dnsNames that it is for; 127.0.0.1 besides
   */
  public TlsFiles issue(Path directory, String commonName, String... dnsNames) {
    return issue(directory, commonName, Duration.ofDays(1), dnsNames);
  }

  /** The same with another validity; a negative one is over. */
  public TlsFiles issue(Path directory, String commonName, Duration validity, String... dnsNames) {
    KeyPair own = keys();
    X509Certificate issued =
        sign(new X500Name("CN=" + commonName), own, validity, false, List.of(dnsNames));
    TlsFiles files =
        new TlsFiles(
            directory.resolve("tls.crt"),
            directory.resolve("tls.key"),
            Optional.of(directory.resolve("ca.crt")));
    try {
      Files.createDirectories(directory);
      write(files.certificates(), issued);
      write(
          files.key(),
          new PKCS8Generator(PrivateKeyInfo.getInstance(own.getPrivate().getEncoded()), null));
      write(directory.resolve("ca.crt"), certificate);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return files;
  }

  private static void write(Path file, Object what) throws IOException {
    StringWriter text = new StringWriter();
    try (JcaPEMWriter pem = new JcaPEMWriter(text)) {
      pem.writeObject(what);
    }
    Path next = file.resolveSibling(file.getFileName() + ".next");
    Files.writeString(next, text.toString());
    Files.move(
        next,
        file,
        java.nio.file.StandardCopyOption.ATOMIC_MOVE,
        java.nio.file.StandardCopyOption.REPLACE_EXISTING);
  }

  private X509Certificate sign(
      X500Name subject, KeyPair own, Duration validity, boolean authority, List<String> dnsNames) {
    Instant now = Instant.now();
    Instant from = now.minus(Duration.ofDays(2));
    X509v3CertificateBuilder builder =
        new JcaX509v3CertificateBuilder(
            name,
            new BigInteger(64, new SecureRandom()),
            Date.from(from),
            Date.from(now.plus(validity)),
            subject,
            own.getPublic());
    try {
      builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(authority));
      if (!authority) {
        List<GeneralName> names = new ArrayList<>();
        names.add(new GeneralName(GeneralName.iPAddress, "127.0.0.1"));
        dnsNames.forEach(dns -> names.add(new GeneralName(GeneralName.dNSName, dns)));
        builder.addExtension(
            Extension.subjectAlternativeName,
            false,
            new GeneralNames(names.toArray(GeneralName[]::new)));
      }
      return new JcaX509CertificateConverter()
          .getCertificate(
              builder.build(
                  new JcaContentSignerBuilder("SHA256withECDSA").build(keys.getPrivate())));
    } catch (IOException | OperatorCreationException | GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  private static KeyPair keys() {
    try {
      KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
      generator.initialize(new ECGenParameterSpec("secp256r1"));
      return generator.generateKeyPair();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }
}
