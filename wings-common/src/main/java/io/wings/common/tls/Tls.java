package io.wings.common.tls;

import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsParameters;
import com.sun.net.httpserver.HttpsServer;
import io.grpc.netty.GrpcSslContexts;
import io.grpc.util.AdvancedTlsX509KeyManager;
import io.grpc.util.AdvancedTlsX509TrustManager;
import io.grpc.util.AdvancedTlsX509TrustManager.Verification;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.wings.common.concurrent.Threads;
import io.wings.common.error.ErrorKind;
import io.wings.common.error.WingsException;
import io.wings.common.time.Time;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One side of TLS connections, whose certificates are read again when their files change. Contexts
 * that it made stay valid; new connections show what is there by then.
 */
public final class Tls implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Tls.class);

  /** How long a replacement may go unnoticed. */
  static final Duration CHECK_INTERVAL = Duration.ofSeconds(10);

  private static final String[] PROTOCOLS = {"TLSv1.3", "TLSv1.2"};

  private final TlsFiles files;
  private final AdvancedTlsX509KeyManager own = new AdvancedTlsX509KeyManager();
  private final PeerName name;
  private final @Nullable AdvancedTlsX509TrustManager others;
  private final @Nullable Thread refreshing;
  private final Time time;
  private final ExpiryWatch expiry;
  private volatile Certificates current;

  private Tls(TlsFiles files, PeerName name, Time time, Threads threads) {
    this.files = files;
    this.name = name;
    this.time = time;
    this.expiry = new ExpiryWatch(files.certificates(), time);
    this.current = Certificates.read(files);
    current.requireUsable(name, files, time.now());
    try {
      this.others = files.authorities().isPresent() ? trusting(name) : null;
      use(current);
    } catch (GeneralSecurityException | IOException e) {
      throw new WingsException(ErrorKind.INVALID, "tls-invalid", files + ": " + e.getMessage(), e);
    }
    refreshing = threads.start("tls-refresh", this::refreshForEver);
  }

  /**
   * A server for clients, which may be asked for a certificate of {@link TlsFiles#authorities}.
   *
   * @throws WingsException {@code tls-invalid}
   */
  public static Tls ofServer(TlsFiles files, Time time, Threads threads) {
    return new Tls(files, PeerName.ANY, time, threads);
  }

  /**
   * A role of a cluster: as a server and as a client it deals only with who shows a certificate of
   * the cluster's authority for the cluster's name.
   *
   * @param files with authorities
   * @param name a DNS name that stands in every role's certificate; where a role runs need not
   * @throws WingsException {@code tls-invalid}
   */
  public static Tls ofCluster(TlsFiles files, String name, Time time, Threads threads) {
    if (files.authorities().isEmpty()) {
      throw WingsException.invalid("tls-invalid", "a cluster's TLS needs its authority");
    }
    return new Tls(files, new PeerName(Optional.of(name)), time, threads);
  }

  private static AdvancedTlsX509TrustManager trusting(PeerName name)
      throws GeneralSecurityException {
    return AdvancedTlsX509TrustManager.newBuilder()
        .setVerification(Verification.CERTIFICATE_ONLY_VERIFICATION)
        .setSslSocketAndEnginePeerVerifier(name)
        .build();
  }

  private void use(Certificates certificates) throws GeneralSecurityException, IOException {
    if (others != null) {
      List<X509Certificate> authorities = certificates.authorities().orElseThrow();
      others.updateTrustCredentials(authorities.toArray(X509Certificate[]::new));
    }
    own.updateIdentityCredentials(
        certificates.chain().toArray(X509Certificate[]::new), certificates.key());
  }

  private void refreshForEver() {
    try {
      while (true) {
        expiry.look(current.shown());
        time.sleep(CHECK_INTERVAL);
        refresh();
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  private void refresh() {
    try {
      Certificates now = Certificates.read(files);
      if (!now.equals(current)) {
        now.requireUsable(name, files, time.now());
        use(now);
        current = now;
        log.info(
            "certificate replaced: {} until {}",
            now.chain().getFirst().getSubjectX500Principal(),
            now.chain().getFirst().getNotAfter().toInstant());
      }
    } catch (WingsException | GeneralSecurityException | IOException e) {
      log.error(
          "certificates can't be replaced; the last good ones stay in force: {}", e.toString());
    }
  }

  /** How long the certificate that is shown is still good; negative once it is over. */
  public Duration left() {
    return Duration.between(time.now(), current.shown().getNotAfter().toInstant());
  }

  /**
   * For a gRPC server.
   *
   * @param asking whether who connects has to show a certificate; no matter without authorities
   */
  public SslContext grpcServer(Asking asking) {
    SslContextBuilder builder = SslContextBuilder.forServer(own).protocols(PROTOCOLS);
    if (others != null) {
      builder
          .trustManager(others)
          .clientAuth(asking == Asking.REQUIRES ? ClientAuth.REQUIRE : ClientAuth.OPTIONAL);
    }
    return built(builder);
  }

  /** For a gRPC client. */
  public SslContext grpcClient() {
    SslContextBuilder builder = SslContextBuilder.forClient().keyManager(own).protocols(PROTOCOLS);
    if (others != null) {
      builder.trustManager(others);
    }
    return built(builder);
  }

  private static SslContext built(SslContextBuilder builder) {
    try {
      return GrpcSslContexts.configure(builder, SslProvider.JDK).build();
    } catch (SSLException e) {
      throw new WingsException(ErrorKind.INTERNAL, "tls-invalid", "TLS: " + e.getMessage(), e);
    }
  }

  /**
   * A server of HTTP that isn't started yet. Where there are authorities, who connects is asked for
   * a certificate and may have none.
   *
   * @param tls empty: plaintext
   */
  public static HttpServer httpServer(Optional<Tls> tls, InetSocketAddress address, int backlog)
      throws IOException {
    if (tls.isEmpty()) {
      return HttpServer.create(address, backlog);
    }
    HttpsServer server = HttpsServer.create(address, backlog);
    server.setHttpsConfigurator(tls.get().configurator());
    return server;
  }

  private HttpsConfigurator configurator() {
    return new HttpsConfigurator(http()) {
      @Override
      public void configure(HttpsParameters parameters) {
        SSLParameters chosen = getSSLContext().getDefaultSSLParameters();
        chosen.setProtocols(PROTOCOLS);
        chosen.setWantClientAuth(others != null);
        parameters.setSSLParameters(chosen);
      }
    };
  }

  /**
   * What a client of HTTP trusts that dials addresses which stand in no certificate.
   *
   * @param authority whose certificates are good
   * @param name a DNS name that they have to bear
   * @throws WingsException {@code tls-invalid}
   */
  public static SSLContext httpClient(Path authority, String name) {
    try {
      AdvancedTlsX509TrustManager trusted = trusting(new PeerName(Optional.of(name)));
      trusted.updateTrustCredentials(
          Certificates.certificates(authority).toArray(X509Certificate[]::new));
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(null, new TrustManager[] {trusted}, null);
      return context;
    } catch (GeneralSecurityException | IOException e) {
      throw new WingsException(
          ErrorKind.INVALID, "tls-invalid", authority + ": " + e.getMessage(), e);
    }
  }

  /**
   * What a client trusts whose servers' names are checked by itself: the JDK's authorities, and
   * more of them.
   *
   * @param authorities PEM
   * @throws WingsException {@code tls-invalid}
   */
  public static SSLContext trustingAlso(Path authorities) {
    try {
      KeyStore all = KeyStore.getInstance("PKCS12");
      all.load(null, null);
      List<X509Certificate> trusted = new ArrayList<>(Certificates.certificates(authorities));
      for (TrustManager known : trustManagers(null)) {
        if (known instanceof X509TrustManager jdk) {
          trusted.addAll(List.of(jdk.getAcceptedIssuers()));
        }
      }
      for (int i = 0; i < trusted.size(); i++) {
        all.setCertificateEntry("authority-" + i, trusted.get(i));
      }
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(null, trustManagers(all), null);
      return context;
    } catch (GeneralSecurityException | IOException e) {
      throw new WingsException(
          ErrorKind.INVALID, "tls-invalid", authorities + ": " + e.getMessage(), e);
    }
  }

  /** Null: those of the JDK. */
  private static TrustManager[] trustManagers(@Nullable KeyStore authorities)
      throws GeneralSecurityException {
    TrustManagerFactory factory =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    factory.init(authorities);
    return factory.getTrustManagers();
  }

  private SSLContext http() {
    try {
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(
          new KeyManager[] {own}, others == null ? null : new TrustManager[] {others}, null);
      return context;
    } catch (GeneralSecurityException e) {
      throw new WingsException(ErrorKind.INTERNAL, "tls-invalid", "TLS: " + e.getMessage(), e);
    }
  }

  /** Whether who connects is asked for a certificate. */
  public enum Asking {
    /** Without one there is no connection. */
    REQUIRES,
    /** One that is shown has to be good. */
    ACCEPTS
  }

  /** Reads no more files. */
  @Override
  public void close() {
    if (refreshing != null) {
      refreshing.interrupt();
    }
  }
}
