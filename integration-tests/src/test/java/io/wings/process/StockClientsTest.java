package io.wings.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.wings.cli.client.RoleMetrics;
import io.wings.cli.client.TableCreation;
import io.wings.cli.client.TableName;
import io.wings.cli.client.WingsClient;
import io.wings.common.objectstore.s3.S3ProxyServer;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.arrow.flight.FlightClient;
import org.apache.arrow.flight.FlightRuntimeException;
import org.apache.arrow.flight.FlightStatusCode;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.rest.RESTCatalog;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Clients of the stock library, which retry nothing, see no error of the death of an ingestor, nor
 * of its restart, nor of a load balancer that drains. Traps 35 and 45.
 */
@Timeout(1200)
@SuppressWarnings("try") // a client's close may be interrupted, as the test may
@Tag("long")
class StockClientsTest {
  private static final long STRIDE = Writers.STRIDE;
  private static final long PATIENCE_NANOS = 90_000_000_000L;
  private static final long BETWEEN_MILLIS = 30;
  private static final long OPENED_FROM = 50 * STRIDE;

  @TempDir private Path directory;

  private final Set<Long> rows = ConcurrentHashMap.newKeySet();

  /** An ingestor that is started again where it was. */
  private record Member(TestCluster cluster, String listen, List<WingsProcess> lives) {
    void begin() throws IOException {
      String name = "ingestor-" + listen.replaceAll(".*:", "") + "." + lives.size();
      lives.add(cluster.start(name, "ingestor", "--listen", listen, "--flush-interval", "200ms"));
    }

    WingsProcess now() {
      return lives.getLast();
    }
  }

  @Test
  void stockClientsSeeNoErrorFromTheDeathOfAnIngestor() throws Exception {
    TableName table = TestCluster.table("stock");
    try (S3ProxyServer server = S3ProxyServer.start();
        TestCluster cluster = new TestCluster(directory, server);
        BufferAllocator allocator = new RootAllocator()) {
      WingsProcess _ = cluster.broker();
      WingsProcess _ = cluster.worker("worker");
      WingsProcess catalog =
          cluster.start("catalog", "catalog", "--open", "--listen", "127.0.0.1:0");
      List<Member> ingestors = new ArrayList<>();
      for (int i = 0; i < 2; i++) {
        String listen = "127.0.0.1:" + TestCluster.freePort();
        ingestors.add(new Member(cluster, listen, new ArrayList<>()));
        ingestors.getLast().begin();
      }
      WingsProcess balancer =
          cluster.loadBalancer(
              "lb",
              "127.0.0.1:0",
              ingestors.stream().map(Member::listen).toList(),
              "--drain-grace",
              "2m");
      create(balancer, table, allocator);
      try (FlightClient client = StockStream.connect(balancer.address(), allocator)) {
        List<StockStream> streams = streams(client, table, allocator);
        Opener opener = new Opener(client, table, allocator);
        opener.start();
        awaitProgress(streams, opener);
        for (Member ingestor : ingestors) {
          die(ingestor, balancer, streams, opener);
        }
        for (Member ingestor : ingestors) {
          drain(ingestor, balancer, streams, opener);
        }
        opener.stop();
        RoleMetrics metrics = balancer.metrics();
        assertTrue(metrics.sum("wings_loadbalancer_deaths_total") >= streams.size());
        assertTrue(metrics.sum("wings_loadbalancer_moved_total") >= streams.size());
        drain(balancer, client, streams, allocator);
        streams.forEach(StockStream::close);
      }
      assertEquals(143, balancer.awaitExit());
      assertEquals(rows.stream().sorted().toList(), visible(cluster, catalog, table));
    }
  }

  private static void create(WingsProcess balancer, TableName table, BufferAllocator allocator) {
    try (WingsClient client = TestCluster.connect(balancer, allocator)) {
      var _ =
          new TableCreation(table)
              .create(client, Writers.SCHEMA, null, null, Map.of("wings.commit-interval", "500ms"));
    }
  }

  private static List<StockStream> streams(
      FlightClient client, TableName table, BufferAllocator allocator) {
    List<StockStream> streams = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      streams.add(StockStream.unnamed(client, allocator, table, streams.size() * STRIDE));
      streams.add(
          StockStream.named(client, allocator, table, "loader-" + i, streams.size() * STRIDE));
    }
    streams.add(StockStream.visible(client, allocator, table, streams.size() * STRIDE));
    streams.forEach(StockStream::start);
    return streams;
  }

  /** SIGKILL, and another life; every stream has got on without it meanwhile. */
  private static void die(
      Member ingestor, WingsProcess balancer, List<StockStream> streams, Opener opener)
      throws Exception {
    ingestor.now().kill();
    awaitProgress(streams, opener);
    begin(ingestor, balancer);
  }

  /** SIGTERM, which ends it in order, and another life. */
  private static void drain(
      Member ingestor, WingsProcess balancer, List<StockStream> streams, Opener opener)
      throws Exception {
    ingestor.now().terminate();
    assertEquals(143, ingestor.now().awaitExit());
    awaitProgress(streams, opener);
    begin(ingestor, balancer);
  }

  private static void begin(Member ingestor, WingsProcess balancer) throws Exception {
    ingestor.begin();
    await(
        "both ingestors take streams",
        () -> balancer.metrics().sum("wings_loadbalancer_ingestor_healthy") == 2);
  }

  /** Everything that was sent until now is answered, and something was opened since. */
  private static void awaitProgress(List<StockStream> streams, Opener opener) throws Exception {
    Map<StockStream, Long> marks = new HashMap<>();
    streams.forEach(stream -> marks.put(stream, stream.sent()));
    long opened = opener.done.get();
    await(
        "every stream gets on",
        () -> {
          streams.forEach(StockStream::requireOpen);
          opener.requireWell();
          return opener.done.get() > opened + 2
              && streams.stream().allMatch(stream -> stream.answered() > marks.get(stream));
        });
  }

  private static void await(String what, Callable<Boolean> condition) throws Exception {
    long deadline = System.nanoTime() + PATIENCE_NANOS;
    while (!condition.call()) {
      assertTrue(System.nanoTime() < deadline, "not in time: " + what);
      Thread.sleep(20);
    }
  }

  /** SIGTERM to the load balancer: streams go on, and nobody opens another one. */
  private void drain(
      WingsProcess balancer,
      FlightClient connected,
      List<StockStream> streams,
      BufferAllocator allocator)
      throws Exception {
    balancer.terminate();
    await("its port is closed", () -> refusesConnections(balancer.address()));
    try (FlightClient late = StockStream.connect(balancer.address(), allocator)) {
      assertUnavailable(late);
    }
    // GOAWAY: a connection that is there is good for what it carries, and for nothing new.
    assertUnavailable(connected);
    Map<StockStream, Long> marks = new HashMap<>();
    streams.forEach(stream -> marks.put(stream, stream.sent()));
    await(
        "every stream gets on",
        () -> {
          streams.forEach(StockStream::requireOpen);
          return streams.stream().allMatch(stream -> stream.answered() > marks.get(stream));
        });
    assertTrue(balancer.alive());
    for (StockStream stream : streams) {
      stream.finish(rows);
    }
  }

  private static void assertUnavailable(FlightClient client) {
    FlightRuntimeException refused =
        assertThrows(FlightRuntimeException.class, () -> client.listActions().forEach(_ -> {}));
    assertEquals(FlightStatusCode.UNAVAILABLE, refused.status().code());
  }

  private static boolean refusesConnections(String address) throws IOException {
    String port = address.replaceAll(".*:", "");
    try (Socket _ = new Socket(InetAddress.getLoopbackAddress(), Integer.parseInt(port))) {
      return false;
    } catch (ConnectException e) {
      return true;
    }
  }

  /** Opens short streams, one after the other, so that some open in the instant of a death. */
  private final class Opener {
    private final FlightClient client;
    private final TableName table;
    private final BufferAllocator allocator;
    private final List<Thread> threads = new ArrayList<>();
    private final List<Throwable> failures = Collections.synchronizedList(new ArrayList<>());
    private final AtomicBoolean stopped = new AtomicBoolean();
    private final AtomicLong begun = new AtomicLong();
    final AtomicLong done = new AtomicLong();

    Opener(FlightClient client, TableName table, BufferAllocator allocator) {
      this.client = client;
      this.table = table;
      this.allocator = allocator;
    }

    void start() {
      threads.add(Thread.ofVirtual().start(() -> open(false)));
      threads.add(Thread.ofVirtual().start(() -> open(true)));
    }

    private void open(boolean named) {
      try {
        while (!stopped.get()) {
          long number = begun.incrementAndGet();
          long row = OPENED_FROM + number * 1_000;
          try (StockStream stream =
              named
                  ? StockStream.named(client, allocator, table, "opened-" + number, row)
                  : StockStream.unnamed(client, allocator, table, row)) {
            stream.writeOne();
            stream.finish(rows);
          }
          done.incrementAndGet();
          Thread.sleep(BETWEEN_MILLIS);
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      } catch (RuntimeException | AssertionError e) {
        failures.add(e);
      }
    }

    void stop() throws InterruptedException {
      stopped.set(true);
      for (Thread thread : threads) {
        thread.join();
      }
      requireWell();
    }

    void requireWell() {
      if (!failures.isEmpty()) {
        throw new AssertionError("a stream couldn't open", failures.getFirst());
      }
    }
  }

  /** What Iceberg's own reader finds by the REST catalog, once it is as much as was sent. */
  private List<Long> visible(TestCluster cluster, WingsProcess catalog, TableName name)
      throws Exception {
    Map<String, String> properties = new HashMap<>(cluster.properties());
    properties.remove("type");
    properties.put("uri", "http://" + catalog.address());
    properties.put("warehouse", TestCluster.CATALOG);
    properties.put("io-impl", "org.apache.iceberg.aws.s3.S3FileIO");
    properties.put("rest-metrics-reporting-enabled", "false");
    try (RESTCatalog client = new RESTCatalog()) {
      client.initialize("stock", properties);
      Table table = client.loadTable(TableIdentifier.of("test", name.table()));
      List<Long> found = new ArrayList<>();
      await(
          "all is visible",
          () -> {
            table.refresh();
            found.clear();
            found.addAll(VisibleRows.read(table));
            return found.size() >= rows.size();
          });
      Collections.sort(found);
      return found;
    }
  }
}
