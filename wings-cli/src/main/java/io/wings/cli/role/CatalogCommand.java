package io.wings.cli.role;

import io.wings.catalog.rest.RestCatalogServer;
import io.wings.catalog.rest.RestCatalogSettings;
import io.wings.cli.StoreArguments;
import io.wings.common.config.HostPort;
import io.wings.common.lifecycle.Lifecycle;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code wings catalog}. */
@Command(
    name = "catalog",
    mixinStandardHelpOptions = true,
    description = "Serves the registered catalogs by the Iceberg REST protocol.")
public final class CatalogCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();
  @Mixin private final StoreArguments store = new StoreArguments();
  @Mixin private final RoleArguments role = new RoleArguments();

  @Option(
      names = "--listen",
      defaultValue = "${env:WINGS_LISTEN:-0.0.0.0:8181}",
      paramLabel = "HOST:PORT",
      description = "Where readers and engines connect (default: ${DEFAULT-VALUE}).")
  private String listen = "";

  @Override
  public Integer call() throws Exception {
    HostPort at = HostPort.parse(listen);
    String token = role.clusterToken();
    return new Role("catalog", role)
        .run(store, spec.commandLine().getOut(), parts -> start(parts, at, token));
  }

  /** The REST server with the catalogs that it serves, stopped in reverse order. */
  static Role.Started start(Role.Parts parts, HostPort listen, String token) {
    Lifecycle lifecycle = new Lifecycle("catalog");
    try {
      ClusterParts cluster = ClusterParts.open(parts, token, lifecycle);
      RestCatalogServer server =
          lifecycle.add(
              "rest",
              RestCatalogServer.start(
                  RestCatalogSettings.open(listen),
                  cluster.tenants(),
                  cluster.catalogs(),
                  parts.ids(),
                  parts.threads(),
                  parts.endpoint().registry(),
                  parts.endpoint().readiness()));
      return new Role.Started(lifecycle, listen.withPort(server.port()).toString());
    } catch (Throwable e) {
      throw lifecycle.abandon(e);
    }
  }
}
