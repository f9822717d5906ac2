package io.wings.cli.role;

import io.wings.catalog.DiscreetCatalogs;
import io.wings.catalog.rest.RestCatalogServer;
import io.wings.catalog.rest.RestCatalogSettings;
import io.wings.cli.CatalogAccess;
import io.wings.cli.ServerTls;
import io.wings.cli.StoreArguments;
import io.wings.common.config.HostPort;
import io.wings.common.lifecycle.Lifecycle;
import io.wings.common.tls.Tls;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Function;
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
  @Mixin private final CatalogAccess catalogs = new CatalogAccess();
  @Mixin private final ServerTls tls = new ServerTls();
  @Mixin private final ClientAccess clients = new ClientAccess();

  @Option(
      names = "--listen",
      defaultValue = "0.0.0.0:8181",
      paramLabel = "HOST:PORT",
      description = "Where readers and engines connect (default: ${DEFAULT-VALUE}).")
  private String listen = "";

  @Override
  public Integer call() throws Exception {
    HostPort at = RoleSettings.checked(spec, "listen", () -> HostPort.parse(listen));
    String token = role.clusterToken();
    clients.requireClear(tls.knowsClients());
    clients.warnOfPlaintext(tls.given());
    return new Role("catalog", role)
        .run(
            store,
            spec.commandLine().getOut(),
            parts -> start(parts, token, catalogs, lifecycle -> settings(at, parts, lifecycle)));
  }

  private RestCatalogSettings settings(HostPort at, Role.Parts parts, Lifecycle lifecycle) {
    Optional<Tls> secured =
        Role.secured(tls, lifecycle, parts.time(), parts.threads(), parts.endpoint());
    return new RestCatalogSettings(
        at,
        secured,
        clients.authenticator(tls.knowsClients(), lifecycle, parts.time(), parts.threads()),
        clients.access(
            parts.cluster().store(), lifecycle, parts.time(), parts.ids(), parts.threads()));
  }

  /** Open to everybody who reaches it. */
  static Role.Started startOpen(Role.Parts parts, HostPort listen, String token) {
    return start(parts, token, new CatalogAccess(), _ -> RestCatalogSettings.open(listen));
  }

  /** The REST server with the catalogs that it serves, stopped in reverse order. */
  private static Role.Started start(
      Role.Parts parts,
      String token,
      CatalogAccess access,
      Function<Lifecycle, RestCatalogSettings> chosen) {
    Lifecycle lifecycle = new Lifecycle("catalog");
    try {
      RestCatalogSettings settings = chosen.apply(lifecycle);
      ClusterParts cluster = ClusterParts.open(parts, token, access, lifecycle);
      RestCatalogServer server =
          lifecycle.add(
              "rest",
              RestCatalogServer.start(
                  settings,
                  cluster.tenants(),
                  new DiscreetCatalogs(cluster.catalogs(), parts.time()),
                  parts.time(),
                  parts.ids(),
                  parts.threads(),
                  parts.endpoint().registry(),
                  parts.endpoint().readiness()));
      return new Role.Started(lifecycle, settings.listen().withPort(server.port()).toString());
    } catch (Throwable e) {
      throw lifecycle.abandon(e);
    }
  }
}
