package io.wings.cli;

import io.wings.common.cluster.ClusterToken;
import io.wings.common.concurrent.Threads;
import io.wings.common.error.WingsException;
import io.wings.common.time.Time;
import io.wings.common.tls.Tls;
import io.wings.common.tls.TlsFiles;
import io.wings.common.tls.Transport;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/**
 * How a cluster's roles, and its operators, know one another: a shared secret, and certificates.
 */
public final class ClusterAccess {
  @Option(
      names = "--cluster-token-file",
      paramLabel = "FILE",
      defaultValue = "${env:WINGS_CLUSTER_TOKEN_FILE}",
      description =
          "The secret by which the roles know one another, the same for all of them"
              + " (WINGS_CLUSTER_TOKEN_FILE).")
  private @Nullable Path tokenFile;

  @Option(
      names = "--cluster-cert",
      paramLabel = "FILE",
      defaultValue = "${env:WINGS_CLUSTER_CERT}",
      description =
          "This role's certificate, PEM, with those between it and the authority: roles connect to"
              + " one another by mutual TLS (WINGS_CLUSTER_CERT; default: without TLS).")
  private @Nullable Path certificates;

  @Option(
      names = "--cluster-key",
      paramLabel = "FILE",
      defaultValue = "${env:WINGS_CLUSTER_KEY}",
      description = "Its key, PEM, PKCS#8, not encrypted (WINGS_CLUSTER_KEY).")
  private @Nullable Path key;

  @Option(
      names = "--cluster-ca",
      paramLabel = "FILE",
      defaultValue = "${env:WINGS_CLUSTER_CA}",
      description = "The authority of all roles' certificates, PEM (WINGS_CLUSTER_CA).")
  private @Nullable Path authority;

  @Option(
      names = "--cluster-name",
      paramLabel = "NAME",
      defaultValue = "${env:WINGS_CLUSTER_NAME:-wings}",
      description =
          "The DNS name that every role's certificate bears, whatever its address (default:"
              + " ${DEFAULT-VALUE}; WINGS_CLUSTER_NAME).")
  private String name = "";

  /**
   * The secret.
   *
   * @throws WingsException when it wasn't given or can't be read
   */
  public String token() {
    if (tokenFile == null) {
      throw WingsException.invalid(
          "cluster-token-missing", "say --cluster-token-file FILE, the same for all roles");
    }
    try {
      String token = Files.readString(tokenFile).strip();
      requireUsable(token, tokenFile);
      return token;
    } catch (IOException e) {
      throw WingsException.invalid(
          "cluster-token-unreadable", tokenFile + " can't be read: " + Unreadable.reason(e));
    }
  }

  private static void requireUsable(String token, Path from) {
    try {
      ClusterToken _ = new ClusterToken(token);
    } catch (WingsException e) {
      throw WingsException.invalid(
          e.code(), from + (token.isEmpty() ? " is empty: " : ": ") + e.detail());
    }
  }

  /**
   * How to connect to roles, and they to this one.
   *
   * @throws WingsException {@code tls-incomplete}, {@code tls-invalid}
   */
  public Transport transport(Time time, Threads threads) {
    if (certificates == null && key == null && authority == null) {
      return Transport.Plaintext.INSTANCE;
    }
    if (certificates == null || key == null || authority == null) {
      throw WingsException.invalid(
          "tls-incomplete", "--cluster-cert, --cluster-key and --cluster-ca belong together");
    }
    return new Transport.Mutual(
        Tls.ofCluster(
            new TlsFiles(certificates, key, Optional.of(authority)), name, time, threads));
  }
}
