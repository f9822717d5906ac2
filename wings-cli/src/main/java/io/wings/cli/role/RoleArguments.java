package io.wings.cli.role;

import io.wings.cli.ClusterAccess;
import io.wings.common.auth.Credentials;
import io.wings.common.auth.Identity;
import io.wings.common.auth.TokenFile;
import io.wings.common.concurrent.Threads;
import io.wings.common.config.HostPort;
import io.wings.common.error.WingsException;
import io.wings.common.lifecycle.Lifecycle;
import io.wings.common.time.Time;
import io.wings.common.tls.Tls;
import io.wings.common.tls.TlsFiles;
import io.wings.common.tls.Transport;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** What every role takes: its metrics endpoint and how the cluster's roles know it. */
public final class RoleArguments {
  @Spec(Spec.Target.MIXEE)
  private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--http",
      defaultValue = "0.0.0.0:9090",
      paramLabel = "HOST:PORT",
      description =
          "Where /metrics, /livez and /readyz are served; port 0 takes a free one (default:"
              + " ${DEFAULT-VALUE}; WINGS_HTTP).")
  private String http = "";

  @Option(
      names = "--http-tls-cert",
      paramLabel = "FILE",
      description =
          "The certificate of --http, PEM, with those between it and its authority"
              + " (WINGS_HTTP_TLS_CERT; default: without TLS). It is read again when it is"
              + " replaced.")
  private @Nullable Path httpCertificates;

  @Option(
      names = "--http-tls-key",
      paramLabel = "FILE",
      description = "Its key, PEM, PKCS#8, not encrypted (WINGS_HTTP_TLS_KEY).")
  private @Nullable Path httpKey;

  @Option(
      names = "--metrics-tokens-file",
      paramLabel = "FILE",
      description =
          "Who may read /metrics: JSON lines {\"principal\": …, \"sha256\": hex of the bearer token}"
              + " (WINGS_METRICS_TOKENS_FILE; default: everybody who reaches the port).")
  private @Nullable Path metricsTokens;

  @Mixin private final ClusterAccess cluster = new ClusterAccess();

  HostPort http() {
    return RoleSettings.checked(spec, "http", () -> HostPort.parse(http));
  }

  /**
   * TLS of it; empty: plaintext.
   *
   * @throws WingsException {@code tls-incomplete}, {@code tls-invalid}
   */
  Optional<Tls> httpTls(Time time, Threads threads) {
    if (httpCertificates == null && httpKey == null) {
      return Optional.empty();
    }
    if (httpCertificates == null || httpKey == null) {
      throw WingsException.invalid(
          "tls-incomplete", "--http-tls-cert and --http-tls-key belong together");
    }
    TlsFiles files = new TlsFiles(httpCertificates, httpKey, Optional.empty());
    return Optional.of(Tls.ofServer(files, time, threads));
  }

  /** Whether who shows an authorization header may read metrics. */
  Predicate<String> metricsReaders(Lifecycle lifecycle, Time time, Threads threads) {
    if (metricsTokens == null) {
      return _ -> true;
    }
    TokenFile tokens = new TokenFile(metricsTokens, time);
    tokens.watch(lifecycle, threads);
    return authorization -> {
      try {
        Identity _ = tokens.authenticate(Credentials.parse(authorization));
        return true;
      } catch (WingsException _) {
        return false;
      }
    };
  }

  String clusterToken() {
    return cluster.token();
  }

  Transport transport(Time time, Threads threads) {
    return cluster.transport(time, threads);
  }
}
