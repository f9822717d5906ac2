package io.wings.cli.demo;

import com.fasterxml.jackson.databind.JsonNode;
import io.wings.catalog.Tenants;
import io.wings.catalog.secret.SecretPointer;
import io.wings.cli.Console;
import io.wings.cli.SecretFile;
import io.wings.cli.StoreArguments;
import io.wings.cli.client.TableName;
import io.wings.cli.client.WingsClient;
import io.wings.cli.verify.RowHashes;
import io.wings.common.cluster.CatalogName;
import io.wings.common.cluster.ClusterFile;
import io.wings.common.cluster.Keys;
import io.wings.common.concurrent.Threads;
import io.wings.common.error.ErrorKind;
import io.wings.common.error.WingsException;
import io.wings.common.id.Ids;
import io.wings.common.objectstore.Body;
import io.wings.common.objectstore.ObjectHead;
import io.wings.common.objectstore.ObjectStore;
import io.wings.common.objectstore.PutCondition;
import io.wings.common.time.Time;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code wings demo}: the whole of Wings on this machine, and a verdict. */
@Command(
    name = "demo",
    mixinStandardHelpOptions = true,
    description = {
      "Starts every role as a process of its own over a temporary directory (or --store), streams"
          + " rows through the load balancer, waits until they are visible, reads the table back"
          + " with Iceberg's own reader in another process and compares. Exits 0 only if every row"
          + " is there exactly once."
    })
public final class DemoCommand implements Callable<Integer> {
  private static final int STORE_PUTS = 50;
  private static final TableName TABLE = new TableName("demo", List.of("shop"), "orders");

  @Spec private CommandSpec spec = CommandSpec.create();
  @Mixin private final StoreArguments store = new StoreArguments();

  @Option(
      names = "--rows",
      defaultValue = "1000000",
      description = "Orders to generate (default: ${DEFAULT-VALUE}).")
  private long rows;

  @Option(names = "--input", paramLabel = "FILE", description = "Stream this file's rows instead.")
  private @Nullable Path input;

  @Option(
      names = "--clients",
      defaultValue = "4",
      description = "Flight clients that stream at once (default: ${DEFAULT-VALUE}).")
  private int clients;

  @Option(
      names = "--batch-rows",
      defaultValue = "5000",
      description = "Rows of a batch (default: ${DEFAULT-VALUE}).")
  private int batchRows;

  @Option(
      names = "--chaos",
      description = {
        "With two ingestors and two workers: kills (SIGKILL) the ingestor that serves when half of"
            + " the rows are sent, and a worker at work; reports what was sent again and what the"
            + " log dropped as duplicates. Takes half a minute more, until the dead worker's lease"
            + " ends."
      })
  private boolean chaos;

  @Option(names = "--keep", description = "Leave it running and say how to connect.")
  private boolean keep;

  @Option(names = "--json", description = "Print one line of JSON.")
  private boolean json;

  private final Time time = Time.system();
  private final Threads threads = Threads.virtual();
  private final Ids ids = Ids.secure();

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (rows < 1 || clients < 1 || batchRows < 1) {
      throw WingsException.invalid(
          "option-invalid", "--rows, --clients and --batch-rows must be at least 1");
    }
    Console console = Console.of(spec);
    Path home = Files.createTempDirectory("wings-demo-");
    Files.createDirectories(home.resolve("logs"));
    boolean temporary = !store.given() && !keep;
    store.orElse(home.resolve("cluster").toString());
    DemoTenant tenant = DemoTenant.prepare(home, store);
    register(tenant);
    Path token = SecretFile.write(home.resolve("cluster-token"), ids.hex());
    console.say(
        "starting broker, %s, catalog and load balancer; logs in %s"
            .formatted(chaos ? "2 ingestors, 2 workers" : "ingestor, worker", home));
    DemoReport report;
    try (DemoCluster cluster = new DemoCluster(home.resolve("logs"), store, token)) {
      cluster.start(chaos ? 2 : 1);
      report = run(cluster, tenant, home, console);
      print(report, home, temporary);
      if (keep) {
        keepRunning(cluster, console);
      }
    }
    if (report.good() && temporary) {
      deleteTree(home);
    }
    return report.good() ? 0 : 1;
  }

  private DemoReport run(DemoCluster cluster, DemoTenant tenant, Path home, Console console)
      throws IOException, InterruptedException {
    Latencies puts = putLatencies();
    Path hashes = home.resolve("sent.hashes");
    try (BufferAllocator allocator = new RootAllocator();
        WingsClient client = cluster.connect(allocator);
        BatchSource source = source(allocator)) {
      tenant.createTable(client, TABLE, source.schema(), input == null);
      Visibility visibility = new Visibility(client, TABLE, time);
      // How many rows a file has isn't known before: there, once it streams.
      Chaos deaths = chaos ? new Chaos(cluster, input == null ? rows / 2 : 1, time) : null;
      if (deaths != null) {
        deaths.start(threads);
      }
      AtomicReference<@Nullable RuntimeException> unseen = new AtomicReference<>();
      Thread follower = threads.start("visibility", () -> follow(visibility, unseen));
      Load.Sent sent;
      try (RowHashes written = RowHashes.create(hashes)) {
        sent =
            new Load(
                    () -> cluster.connect(allocator),
                    TABLE,
                    source,
                    written,
                    visibility,
                    n -> sent(n, console, deaths),
                    allocator,
                    time,
                    threads)
                .run(clients, "demo-client-");
      } catch (WingsException e) {
        throw withDeadRoles(e, cluster, home);
      }
      console.progress(
          "%,d rows acknowledged, waiting until they are visible".formatted(sent.rows()));
      follower.join();
      console.clearProgress();
      if (unseen.get() != null) {
        throw unseen.get();
      }
      Chaos.Outcome outcome = deaths == null ? null : deaths.outcome();
      JsonNode table =
          client.action("describe-table", TABLE.into(WingsClient.JSON.createObjectNode()));
      JsonNode check = tenant.verify(table.path("metadata_location").asText(), hashes);
      return report(cluster, sent, visibility, puts, outcome, check);
    }
  }

  private static void sent(long soFar, Console console, @Nullable Chaos deaths) {
    console.progress("%,d rows sent".formatted(soFar));
    if (deaths != null) {
      deaths.sent(soFar);
    }
  }

  private static void follow(
      Visibility visibility, AtomicReference<@Nullable RuntimeException> failure) {
    try {
      visibility.follow();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (RuntimeException e) {
      failure.set(e);
    }
  }

  private BatchSource source(BufferAllocator allocator) throws IOException {
    return input == null
        ? BatchSource.orders(rows, batchRows, allocator)
        : BatchSource.file(input, batchRows, allocator);
  }

  private static WingsException withDeadRoles(WingsException e, DemoCluster cluster, Path home) {
    List<String> dead = cluster.dead();
    return dead.isEmpty()
        ? e
        : new WingsException(
            ErrorKind.INTERNAL,
            "role-died",
            String.join(", ", dead)
                + " ended early, see "
                + home.resolve("logs")
                + "; "
                + e.getMessage(),
            e);
  }

  private DemoReport report(
      DemoCluster cluster,
      Load.Sent sent,
      Visibility visibility,
      Latencies puts,
      Chaos.@Nullable Outcome outcome,
      JsonNode check) {
    return new DemoReport(
        store.address(),
        store.simulateS3(),
        sent.rows(),
        sent.rowsAcknowledged(),
        check.path("visible").asLong(),
        check.path("lost").asLong(),
        check.path("doubled").asLong(),
        check.path("checksum_match").asBoolean(),
        sent.acknowledge(),
        visibility.latencies().summary(),
        puts.summary(),
        Math.round(sent.rows() / sent.seconds()),
        Math.round(sent.bytes() / sent.seconds() / 1e5) / 10.0,
        walSegments(),
        check.path("data_files").asLong(),
        check.path("snapshots").asLong(),
        outcome,
        cluster.peakRssMegabytes());
  }

  private Latencies putLatencies() {
    Latencies latencies = new Latencies();
    try (ObjectStore objects = store.open()) {
      byte[] content = new byte[1024];
      for (int i = 0; i < STORE_PUTS; i++) {
        String key = Keys.PROBE + "demo-" + ids.hex();
        long begun = time.nanos();
        objects.put(key, Body.of(content), PutCondition.ifAbsent());
        latencies.add(time.nanos() - begun);
        objects.delete(key);
      }
    }
    return latencies;
  }

  private long walSegments() {
    try (ObjectStore objects = store.open()) {
      long count = 0;
      for (Iterator<ObjectHead> all = objects.list(Keys.CATALOGS, ""); all.hasNext(); ) {
        if (all.next().key().endsWith(".wal")) {
          count++;
        }
      }
      return count;
    }
  }

  private void print(DemoReport report, Path home, boolean temporary) throws IOException {
    var out = spec.commandLine().getOut();
    if (json) {
      out.println(WingsClient.JSON.writeValueAsString(report));
      out.flush();
      return;
    }
    report.print(out);
    if (!report.good() || !temporary) {
      out.printf("  %-11s %s%n", "look at", home);
      out.flush();
    }
  }

  private void keepRunning(DemoCluster cluster, Console console) throws InterruptedException {
    console.say(ConnectText.of("grpc://" + cluster.loadBalancer(), cluster.catalogUri(), TABLE));
    console.say("Ctrl-C stops it.");
    new CountDownLatch(1).await();
  }

  private void register(DemoTenant tenant) {
    try (ObjectStore objects = store.open()) {
      ClusterFile.open(objects, time, ids);
      new Tenants(objects, time, ids)
          .add(new CatalogName(TABLE.catalog()), SecretPointer.parse("file://" + tenant.secret()));
    }
  }

  private static void deleteTree(Path root) throws IOException {
    try (Stream<Path> files = Files.walk(root)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }
}
