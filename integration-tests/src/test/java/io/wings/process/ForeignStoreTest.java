package io.wings.process;

import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.wings.cli.client.TableCreation;
import io.wings.cli.client.TableName;
import io.wings.cli.client.WingsClient;
import io.wings.common.objectstore.s3.ForeignServer;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * P1 and P2 over stores that Wings didn't write, for the cluster and for the table: what was
 * acknowledged is there once, although each of its processes was killed.
 */
@Timeout(600)
@Tag("long")
class ForeignStoreTest {
  private static final int WRITERS = 4;
  private static final long MILLIS_BETWEEN = 2_000;

  @TempDir private Path directory;
  @TempDir private Path objects;

  @ParameterizedTest
  @EnumSource
  void everyAckedRowIsThereOnceAlthoughEachRoleWasKilled(ForeignServer.Kind kind) throws Exception {
    kind.assumeNamed();
    TableName table = TestCluster.table("foreign");
    try (ForeignServer server = ForeignServer.start(kind, objects);
        TestCluster cluster = new TestCluster(directory, server);
        BufferAllocator allocator = new RootAllocator();
        ExecutorService starts = Executors.newVirtualThreadPerTaskExecutor()) {
      // Side by side: each probes the store at its start, which takes some stores long.
      Future<WingsProcess> first = starts.submit(cluster::broker);
      Future<WingsProcess> second =
          starts.submit(() -> cluster.start("broker-2", "broker", "--listen", "127.0.0.1:0"));
      Future<WingsProcess> killed =
          starts.submit(() -> cluster.ingestor("ingestor-1", "--flush-interval", "100ms"));
      Future<WingsProcess> staying =
          starts.submit(() -> cluster.ingestor("ingestor-2", "--flush-interval", "100ms"));
      WingsProcess worker = starts.submit(() -> cluster.worker("worker-1")).get();
      WingsProcess broker = first.get();
      WingsProcess _ = second.get();
      WingsProcess ingestor = killed.get();
      WingsProcess other = staying.get();
      WingsProcess balancer = cluster.loadBalancer("lb", ingestor, other);
      try (WingsClient client = TestCluster.connect(balancer, allocator)) {
        JsonNode created =
            new TableCreation(table)
                .create(client, Writers.SCHEMA, null, null, Map.of("wings.commit-interval", "1s"));
        Writers writers =
            new Writers(table, () -> TestCluster.connect(balancer, allocator), allocator);
        writers.start(0, WRITERS);
        for (WingsProcess victim : List.of(ingestor, worker, broker)) {
          Thread.sleep(MILLIS_BETWEEN);
          victim.kill();
        }
        WingsProcess _ = cluster.worker("worker-2");
        Thread.sleep(MILLIS_BETWEEN);
        writers.stop();

        assertTrue(!writers.acknowledged().isEmpty());
        LogRows.assertHolds(cluster, client, table, created, writers, allocator);
        VisibleRows.assertHolds(cluster, client, table, writers);
      }
    }
  }
}
