package io.wings.cli.role;

import io.wings.cli.ClusterTokenOption;
import io.wings.common.config.HostPort;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** What every role takes: its metrics endpoint and the cluster's shared secret. */
public final class RoleArguments {
  @Option(
      names = "--http",
      defaultValue = "${env:WINGS_HTTP:-0.0.0.0:9090}",
      paramLabel = "HOST:PORT",
      description =
          "Where /metrics, /livez and /readyz are served; port 0 takes a free one (default:"
              + " ${DEFAULT-VALUE}; WINGS_HTTP).")
  private String http = "";

  @Mixin private final ClusterTokenOption clusterToken = new ClusterTokenOption();

  HostPort http() {
    return HostPort.parse(http);
  }

  String clusterToken() {
    return clusterToken.read();
  }
}
