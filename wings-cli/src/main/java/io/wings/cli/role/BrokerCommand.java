package io.wings.cli.role;

import io.wings.broker.BrokerServer;
import io.wings.broker.BrokerSettings;
import io.wings.cli.StoreArguments;
import io.wings.common.cluster.ClusterToken;
import io.wings.common.config.HostPort;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code wings broker}. */
@Command(
    name = "broker",
    mixinStandardHelpOptions = true,
    description = "Runs a broker: one is active, others stand by; the queue is one object.")
public final class BrokerCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();
  @Mixin private final StoreArguments store = new StoreArguments();
  @Mixin private final RoleArguments role = new RoleArguments();

  @Option(
      names = "--listen",
      defaultValue = "0.0.0.0:8816",
      paramLabel = "HOST:PORT",
      description = "Where the other roles connect (default: ${DEFAULT-VALUE}).")
  private String listen = "";

  @Option(
      names = "--advertise",
      paramLabel = "HOST:PORT",
      description =
          "What others dial, written into queue.json; needed when --listen is a wildcard.")
  private @Nullable String advertise;

  @Override
  public Integer call() throws Exception {
    HostPort at = RoleSettings.checked(spec, "listen", () -> HostPort.parse(listen));
    String told = advertise;
    HostPort dialled =
        told == null ? null : RoleSettings.checked(spec, "advertise", () -> HostPort.parse(told));
    BrokerSettings settings =
        BrokerSettings.of(at, dialled).with(new ClusterToken(role.clusterToken()));
    return new Role("broker", role)
        .run(
            store,
            spec.commandLine().getOut(),
            parts -> {
              BrokerServer server =
                  BrokerServer.start(
                      settings.over(parts.transport()),
                      parts.cluster().store(),
                      parts.time(),
                      parts.ids(),
                      parts.threads(),
                      parts.endpoint().registry(),
                      parts.endpoint().readiness());
              return new Role.Started(server, server.address().toString());
            });
  }
}
