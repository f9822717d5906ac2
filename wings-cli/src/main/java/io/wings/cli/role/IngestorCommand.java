package io.wings.cli.role;

import io.wings.cli.CatalogAccess;
import io.wings.cli.StoreArguments;
import io.wings.common.config.Durations;
import io.wings.common.config.HostPort;
import io.wings.common.flight.ClusterIdentity;
import io.wings.common.lifecycle.Lifecycle;
import io.wings.ingestor.IngestorServer;
import io.wings.ingestor.IngestorSettings;
import io.wings.ingestor.lane.LaneSettings;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code wings ingestor}. */
@Command(
    name = "ingestor",
    mixinStandardHelpOptions = true,
    description = "Runs an ingestor: validates batches, writes WAL segments, acknowledges.")
public final class IngestorCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();
  @Mixin private final StoreArguments store = new StoreArguments();
  @Mixin private final RoleArguments role = new RoleArguments();
  @Mixin private final CatalogAccess catalogs = new CatalogAccess();

  @Option(
      names = "--listen",
      defaultValue = "0.0.0.0:8817",
      paramLabel = "HOST:PORT",
      description = "Where load balancers connect (default: ${DEFAULT-VALUE}).")
  private String listen = "";

  @Option(
      names = "--flush-interval",
      defaultValue = "1s",
      paramLabel = "DURATION",
      description =
          "From the start of a lane's flush to the start of its next; 0s: back to back (default:"
              + " ${DEFAULT-VALUE}).")
  private String flushInterval = "";

  @Override
  public Integer call() throws Exception {
    HostPort at = RoleSettings.checked(spec, "listen", () -> HostPort.parse(listen));
    String token = role.clusterToken();
    Duration between =
        RoleSettings.checked(spec, "flush-interval", () -> Durations.parse(flushInterval));
    return new Role("ingestor", role)
        .run(
            store,
            spec.commandLine().getOut(),
            parts -> {
              String name = "ingestor-" + parts.ids().hex().substring(0, 8);
              LaneSettings lanes = LaneSettings.of(name).withFlushInterval(between);
              return start(
                  parts,
                  IngestorSettings.of(at, new ClusterIdentity(token), lanes)
                      .over(parts.transport()),
                  token,
                  catalogs);
            });
  }

  /** An ingestor with the catalogs and the queue that it needs, stopped in reverse order. */
  static Role.Started start(
      Role.Parts parts, IngestorSettings settings, String token, CatalogAccess access) {
    Lifecycle lifecycle = new Lifecycle("ingestor");
    try {
      ClusterParts cluster = ClusterParts.open(parts, token, access, lifecycle);
      IngestorServer server =
          lifecycle.add(
              "server",
              IngestorServer.start(
                  settings,
                  new IngestorServer.Cluster(
                      parts.cluster().file().clusterId(),
                      parts.cluster().store(),
                      cluster.catalogs(),
                      cluster.tenants()::names,
                      cluster.queue()),
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
