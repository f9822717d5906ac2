package io.wings.cli;

import io.wings.common.concurrent.Threads;
import io.wings.common.error.WingsException;
import io.wings.common.time.Time;
import io.wings.common.tls.Tls;
import io.wings.common.tls.TlsFiles;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** TLS of a port that clients connect to. */
public final class ServerTls {
  @Option(
      names = "--tls-cert",
      paramLabel = "FILE",
      description =
          "The certificate that clients see, PEM, with those between it and its authority"
              + " (WINGS_TLS_CERT; default: without TLS). It is read again when it is replaced.")
  private @Nullable Path certificates;

  @Option(
      names = "--tls-key",
      paramLabel = "FILE",
      description = "Its key, PEM, PKCS#8, not encrypted (WINGS_TLS_KEY).")
  private @Nullable Path key;

  @Option(
      names = "--tls-client-ca",
      paramLabel = "FILE",
      description =
          "The authority whose certificates clients may show, PEM (WINGS_TLS_CLIENT_CA; default:"
              + " clients are asked for none).")
  private @Nullable Path authority;

  /** Whether clients may show certificates. */
  public boolean knowsClients() {
    return authority != null;
  }

  /** Whether any of it was asked for. */
  public boolean given() {
    return certificates != null || key != null || authority != null;
  }

  /**
   * What was asked for; empty: plaintext.
   *
   * @throws WingsException {@code tls-incomplete}, {@code tls-invalid}
   */
  public Optional<Tls> open(Time time, Threads threads) {
    if (!given()) {
      return Optional.empty();
    }
    if (certificates == null && key == null) {
      throw WingsException.invalid(
          "tls-incomplete",
          "--tls-client-ca is given without --tls-cert and --tls-key: clients show certificates"
              + " by TLS only");
    }
    if (certificates == null || key == null) {
      throw WingsException.invalid(
          "tls-incomplete",
          "--tls-cert and --tls-key belong together, and %s isn't given"
              .formatted(certificates == null ? "--tls-cert" : "--tls-key"));
    }
    TlsFiles files = new TlsFiles(certificates, key, Optional.ofNullable(authority));
    return Optional.of(Tls.ofServer(files, time, threads));
  }
}
