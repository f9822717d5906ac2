package io.wings.cli.role;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.wings.broker.BrokerServer;
import io.wings.broker.BrokerSettings;
import io.wings.catalog.Tenants;
import io.wings.catalog.secret.SecretPointer;
import io.wings.cli.CatalogAccess;
import io.wings.cli.Console;
import io.wings.cli.SecretFile;
import io.wings.common.auth.Authenticator;
import io.wings.common.cluster.CatalogName;
import io.wings.common.cluster.ClusterFile;
import io.wings.common.cluster.ClusterToken;
import io.wings.common.concurrent.Threads;
import io.wings.common.config.Durations;
import io.wings.common.config.HostPort;
import io.wings.common.flight.ClusterIdentity;
import io.wings.common.grant.Access;
import io.wings.common.id.Ids;
import io.wings.common.lifecycle.Lifecycle;
import io.wings.common.metrics.RoleEndpoint;
import io.wings.common.objectstore.ObjectStore;
import io.wings.common.objectstore.ObjectStores;
import io.wings.common.objectstore.StoreOptions;
import io.wings.common.objectstore.StoreProbe;
import io.wings.common.time.Time;
import io.wings.common.tls.Transport;
import io.wings.ingestor.IngestorSettings;
import io.wings.ingestor.lane.LaneSettings;
import io.wings.loadbalancer.LoadBalancerServer;
import io.wings.loadbalancer.LoadBalancerSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code wings dev}: every role in one JVM over a local directory, open to everybody. */
@Command(
    name = "dev",
    mixinStandardHelpOptions = true,
    description = {
      "Runs all roles in one JVM over a local directory, with one catalog named main.",
      "It lets everybody in who reaches its ports, which are on loopback unless told otherwise."
    })
public final class DevCommand implements Callable<Integer> {
  private static final HostPort LOOPBACK = new HostPort("127.0.0.1", 0);
  private static final CatalogName MAIN = new CatalogName("main");

  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--data",
      defaultValue = "wings-data",
      paramLabel = "DIRECTORY",
      description = "Holds cluster/ and warehouse/ (default: ./${DEFAULT-VALUE}).")
  private Path data = Path.of("");

  @Option(
      names = "--listen",
      defaultValue = "127.0.0.1:8815",
      paramLabel = "HOST:PORT",
      description = "Flight (default: ${DEFAULT-VALUE}).")
  private String flight = "";

  @Option(
      names = "--catalog",
      defaultValue = "127.0.0.1:8181",
      paramLabel = "HOST:PORT",
      description = "The Iceberg REST catalog (default: ${DEFAULT-VALUE}).")
  private String catalog = "";

  @Option(
      names = "--http",
      defaultValue = "127.0.0.1:0",
      paramLabel = "HOST:PORT",
      description = "/metrics, /livez and /readyz (default: a free port of loopback).")
  private String http = "";

  @Option(
      names = "--flush-interval",
      defaultValue = "1s",
      paramLabel = "DURATION",
      description = "How often a lane writes a segment (default: ${DEFAULT-VALUE}).")
  private String flushInterval = "";

  @Option(names = "--json", description = "Say in one line of JSON on stdout that it serves.")
  private boolean json;

  private final Time time = Time.system();
  private final Ids ids = Ids.secure();
  private final Threads threads = Threads.virtual();

  @Override
  public Integer call() throws Exception {
    try (Lifecycle lifecycle = new Lifecycle("dev")) {
      DirectoryLock _ = lifecycle.add("lock", DirectoryLock.take(data));
      FreePort.require("--listen", HostPort.parse(flight));
      FreePort.require("--catalog", HostPort.parse(catalog));
      FreePort.require("--http", HostPort.parse(http));
      Role.Parts parts = open(lifecycle);
      String token = ids.hex();
      Path _ = SecretFile.write(data.resolve("cluster-token").toAbsolutePath(), token);
      BrokerServer _ = lifecycle.add("broker", broker(parts, token));
      Role.Started ingestor = ingestor(parts, token);
      AutoCloseable _ = lifecycle.add("ingestor", ingestor.server());
      Role.Started worker =
          WorkerCommand.start(parts, data.resolve("scratch").toAbsolutePath(), token);
      AutoCloseable _ = lifecycle.add("worker", worker.server());
      Role.Started rest = CatalogCommand.startOpen(parts, HostPort.parse(catalog), token);
      AutoCloseable _ = lifecycle.add("catalog", rest.server());
      LoadBalancerServer balancer =
          lifecycle.add("load balancer", loadBalancer(parts, ingestor, token));
      Role.awaitReady(parts.endpoint().readiness(), time);
      announce(balancer.port(), String.valueOf(rest.listen()), parts.endpoint().port());
      Role.untilStopped(lifecycle);
    }
    return 0;
  }

  /** The store, the catalog main, and the endpoint of metrics. */
  private Role.Parts open(Lifecycle lifecycle) throws IOException {
    Path warehouse = Files.createDirectories(data.resolve("warehouse")).toRealPath();
    Path cluster = Files.createDirectories(data.resolve("cluster")).toRealPath();
    ObjectStore store =
        lifecycle.add("store", ObjectStores.open(cluster.toString(), StoreOptions.defaults()));
    StoreProbe.check(store, time, ids, threads);
    ClusterFile file = ClusterFile.open(store, time, ids);
    Path secret =
        SecretFile.write(
            data.resolve("main.secret.json").toAbsolutePath().normalize(),
            new ObjectMapper()
                .writeValueAsString(Map.of("type", "wings", "warehouse", "file://" + warehouse)));
    new Tenants(store, time, ids).add(MAIN, SecretPointer.parse("file://" + secret));
    RoleEndpoint endpoint =
        Role.endpoint(lifecycle, "dev", HostPort.parse(http), Optional.empty(), _ -> true, threads);
    return new Role.Parts(
        new Role.Cluster(store, Optional.empty(), file),
        Transport.Plaintext.INSTANCE,
        time,
        ids,
        threads,
        endpoint);
  }

  /** The directory's lock says that no other broker runs, so that nothing has to be waited for. */
  private BrokerServer broker(Role.Parts parts, String token) {
    return BrokerServer.start(
        BrokerSettings.of(LOOPBACK, null).with(new ClusterToken(token)).alone(),
        parts.cluster().store(),
        time,
        ids,
        threads,
        parts.endpoint().registry(),
        parts.endpoint().readiness());
  }

  private Role.Started ingestor(Role.Parts parts, String token) {
    LaneSettings lanes = LaneSettings.of("dev").withFlushInterval(Durations.parse(flushInterval));
    return IngestorCommand.start(
        parts,
        IngestorSettings.of(LOOPBACK, new ClusterIdentity(token), lanes),
        token,
        new CatalogAccess());
  }

  private LoadBalancerServer loadBalancer(Role.Parts parts, Role.Started ingestor, String token)
      throws Exception {
    return LoadBalancerServer.start(
        LoadBalancerSettings.of(
                HostPort.parse(flight),
                List.of(String.valueOf(ingestor.listen())),
                new ClusterIdentity(token),
                Authenticator.Open.INSTANCE,
                Access.Everything.INSTANCE)
            // Ctrl-C means now.
            .withDrainGrace(Duration.ZERO),
        time,
        ids,
        threads,
        parts.endpoint().registry(),
        parts.endpoint().readiness());
  }

  private void announce(int flightPort, String rest, int httpPort) {
    HostPort at = HostPort.parse(flight).withPort(flightPort);
    if (json) {
      Role.announce(spec.commandLine().getOut(), "dev", at.toString(), httpPort);
    }
    Console console = Console.of(spec);
    console.say("Arrow Flight      grpc://" + at + " (open: everybody who reaches it is let in)");
    console.say("Iceberg REST      http://" + rest + ", warehouse " + MAIN);
    console.say("metrics, health   http://127.0.0.1:" + httpPort + "/metrics, /livez, /readyz");
    console.say(
        "data              "
            + data.toAbsolutePath().normalize()
            + " (cluster/ is the --store of `wings wal` and `wings queue`,"
            + " cluster-token its --cluster-token-file)");
    console.say("Ctrl-C stops it.");
  }
}
