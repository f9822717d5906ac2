package io.wings.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import com.fasterxml.jackson.databind.JsonNode;
import io.wings.cli.client.TableCreation;
import io.wings.cli.client.TableName;
import io.wings.cli.client.WingsClient;
import io.wings.common.objectstore.s3.S3ProxyServer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** P1 and P2 during an upgrade: each process is told to stop, ends well, and another takes over. */
@Tag("long")
@Timeout(600)
class RollingRestartTest {
  private static final int WRITERS = 4;

  /** A stream's life of some seconds: a load balancer that stops waits for as long. */
  private static final long BATCHES_OF_A_STREAM = 200;

  private static final long BETWEEN_MILLIS = 1_500;

  private static final int AFTER_SIGTERM = 143;

  @TempDir private Path directory;
  private TestCluster cluster;
  private BufferAllocator allocator;

  /** Where new streams go, as a Service does: to a load balancer that is ready. */
  private final AtomicReference<String> service = new AtomicReference<>();

  private WingsClient connect() {
    return WingsClient.connect("grpc://" + service.get(), null, allocator);
  }

  private void stop(WingsProcess process) throws IOException, InterruptedException {
    process.terminate();
    assertEquals(AFTER_SIGTERM, process.awaitExit());
    Thread.sleep(BETWEEN_MILLIS);
  }

  /** What runs beside the load balancers, each with its role and its own arguments. */
  private List<List<String>> others(List<String> ingestors) {
    List<List<String>> others = new ArrayList<>();
    ingestors.forEach(address -> others.add(List.of("ingestor", "--listen", address)));
    for (int i = 1; i <= 2; i++) {
      others.add(List.of("broker", "--listen", "127.0.0.1:0"));
      others.add(List.of("worker", "--scratch", directory.resolve("scratch-" + i).toString()));
    }
    return others;
  }

  private WingsProcess start(List<String> role, String life) throws IOException {
    String name = role.getFirst() + "-" + life;
    String[] arguments = role.subList(1, role.size()).toArray(String[]::new);
    return cluster.start(name, role.getFirst(), arguments);
  }

  @Test
  void noClientSeesAnErrorAndNoRowIsLostOrDoubled() throws Exception {
    TableName table = TestCluster.table("upgraded");
    List<String> ingestors =
        List.of("127.0.0.1:" + TestCluster.freePort(), "127.0.0.1:" + TestCluster.freePort());
    try (S3ProxyServer server = S3ProxyServer.start();
        TestCluster started = new TestCluster(directory, server);
        BufferAllocator buffers = new RootAllocator()) {
      cluster = started;
      allocator = buffers;
      List<List<String>> roles = others(ingestors);
      List<WingsProcess> processes = new ArrayList<>();
      for (int i = 0; i < roles.size(); i++) {
        processes.add(start(roles.get(i), i + ".1"));
      }
      WingsProcess old = cluster.loadBalancer("load-balancer-1", "127.0.0.1:0", ingestors);
      service.set(old.address());
      try (WingsClient client = connect()) {
        JsonNode _ =
            new TableCreation(table)
                .create(client, Writers.SCHEMA, null, null, Map.of("wings.commit-interval", "1s"));
      }
      Writers writers = new Writers(table, this::connect, buffers, BATCHES_OF_A_STREAM);
      writers.start(0, WRITERS);
      for (int i = 0; i < roles.size(); i++) {
        stop(processes.get(i));
        processes.set(i, start(roles.get(i), i + ".2"));
      }
      WingsProcess young = cluster.loadBalancer("load-balancer-2", "127.0.0.1:0", ingestors);
      service.set(young.address());
      stop(old);
      writers.stop();

      assertEquals(List.of(), List.copyOf(writers.errors()));
      assertFalse(writers.acknowledged().isEmpty());
      try (WingsClient client = connect()) {
        VisibleRows.assertHolds(cluster, client, table, writers);
      }
    }
  }
}
