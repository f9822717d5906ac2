package io.wings.cli.role;

import io.wings.cli.ServerTls;
import io.wings.cli.StoreArguments;
import io.wings.common.config.Durations;
import io.wings.common.config.HostPort;
import io.wings.common.flight.ClusterIdentity;
import io.wings.common.tls.Tls;
import io.wings.common.tls.Transport;
import io.wings.loadbalancer.LoadBalancerServer;
import io.wings.loadbalancer.LoadBalancerSettings;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code wings load-balancer}. */
@Command(
    name = "load-balancer",
    mixinStandardHelpOptions = true,
    description = "Runs a load balancer: authenticates clients and routes their streams.")
public final class LoadBalancerCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();
  @Mixin private final RoleArguments role = new RoleArguments();
  @Mixin private final ServerTls tls = new ServerTls();
  @Mixin private final ClientAccess clients = new ClientAccess();
  @Mixin private final StoreArguments store = new StoreArguments();

  @Option(
      names = "--listen",
      defaultValue = "0.0.0.0:8815",
      paramLabel = "HOST:PORT",
      description = "Where clients connect (default: ${DEFAULT-VALUE}).")
  private String listen = "";

  @Option(
      names = "--ingestors",
      required = true,
      split = ",",
      paramLabel = "ADDRESS",
      description = "host:port, or dns:name:port for all addresses of a name; repeatable.")
  private List<String> ingestors = List.of();

  @Option(
      names = "--drain-grace",
      defaultValue = "10s",
      paramLabel = "DURATION",
      description =
          "How long clients may go on with their streams after SIGTERM (default:"
              + " ${DEFAULT-VALUE}).")
  private String drainGrace = "";

  @Override
  public Integer call() throws Exception {
    HostPort at = RoleSettings.checked(spec, "listen", () -> HostPort.parse(listen));
    Duration grace = RoleSettings.checked(spec, "drain-grace", () -> Durations.parse(drainGrace));
    RoleSettings.checked(
        spec,
        "ingestors",
        () -> {
          LoadBalancerSettings.requireIngestors(ingestors);
          return ingestors;
        });
    clients.requireClear(tls.knowsClients());
    clients.warnOfPlaintext(tls.given());
    ClusterIdentity identity = new ClusterIdentity(role.clusterToken());
    Role running = new Role("load-balancer", role);
    return running.run(
        spec.commandLine().getOut(),
        (lifecycle, time, ids, threads, endpoint) -> {
          Optional<Tls> secured = Role.secured(tls, lifecycle, time, threads, endpoint);
          Transport cluster = running.transport(lifecycle, endpoint);
          LoadBalancerSettings settings =
              LoadBalancerSettings.of(
                      at,
                      ingestors,
                      identity,
                      clients.authenticator(tls.knowsClients(), lifecycle, time, threads),
                      clients.access(store, lifecycle, time, ids, threads))
                  .withDrainGrace(grace)
                  .over(secured, cluster);
          LoadBalancerServer server =
              LoadBalancerServer.start(
                  settings, time, ids, threads, endpoint.registry(), endpoint.readiness());
          return new Role.Started(server, at.withPort(server.port()).toString());
        });
  }
}
