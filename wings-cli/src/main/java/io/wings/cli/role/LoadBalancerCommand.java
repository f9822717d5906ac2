package io.wings.cli.role;

import io.wings.common.config.Durations;
import io.wings.common.config.HostPort;
import io.wings.common.error.WingsException;
import io.wings.common.flight.ClusterIdentity;
import io.wings.loadbalancer.LoadBalancerServer;
import io.wings.loadbalancer.LoadBalancerSettings;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
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

  @Option(
      names = "--listen",
      defaultValue = "${env:WINGS_LISTEN:-0.0.0.0:8815}",
      paramLabel = "HOST:PORT",
      description = "Where clients connect (default: ${DEFAULT-VALUE}).")
  private String listen = "";

  @Option(
      names = "--ingestors",
      required = true,
      split = ",",
      defaultValue = "${env:WINGS_INGESTORS}",
      paramLabel = "ADDRESS",
      description = "host:port, or dns:name:port for all addresses of a name; repeatable.")
  private List<String> ingestors = List.of();

  @Option(
      names = "--tokens-file",
      defaultValue = "${env:WINGS_TOKENS_FILE}",
      paramLabel = "FILE",
      description = "Who may connect: JSON lines {\"principal\": …, \"sha256\": hex of the token}.")
  private @Nullable Path tokens;

  @Option(names = "--open", description = "Let everybody in, as the principal anonymous.")
  private boolean open;

  @Option(
      names = "--drain-grace",
      defaultValue = "${env:WINGS_DRAIN_GRACE:-10s}",
      paramLabel = "DURATION",
      description =
          "How long clients may go on with their streams after SIGTERM (default:"
              + " ${DEFAULT-VALUE}).")
  private String drainGrace = "";

  @Override
  public Integer call() throws Exception {
    if (open == (tokens != null)) {
      throw WingsException.invalid(
          "authentication-unclear", "say either --tokens-file FILE or --open");
    }
    HostPort at = HostPort.parse(listen);
    LoadBalancerSettings settings =
        LoadBalancerSettings.of(
                at,
                ingestors,
                new ClusterIdentity(role.clusterToken()),
                Optional.ofNullable(tokens))
            .withDrainGrace(Durations.parse(drainGrace));
    return new Role("load-balancer", role)
        .run(
            spec.commandLine().getOut(),
            (time, ids, threads, endpoint) -> {
              LoadBalancerServer server =
                  LoadBalancerServer.start(
                      settings, time, ids, threads, endpoint.registry(), endpoint.readiness());
              return new Role.Started(server, at.withPort(server.port()).toString());
            });
  }
}
