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
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;
import org.junit.jupiter.api.io.TempDir;

/**
 * P1 and P2 over a store that Wings didn't write, for the cluster and for the table: what was
 * acknowledged is there once, although each of its processes was killed.
 */
@Timeout(600)
@Tag("long")
@EnabledIfEnvironmentVariable(
    named = "WINGS_VERSITYGW",
    matches = ".+",
    disabledReason = "it names no binary of Versity S3 Gateway; .ci/run builds one")
class ForeignStoreTest {
  private static final int WRITERS = 4;
  private static final long MILLIS_BETWEEN = 2_000;

  @TempDir private Path directory;
  @TempDir private Path objects;

  @Test
  void everyAckedRowIsThereOnceAlthoughEachRoleWasKilled() throws Exception {
    TableName table = TestCluster.table("foreign");
    try (ForeignServer server = ForeignServer.start(ForeignServer.Kind.VERSITYGW, objects);
        TestCluster cluster = new TestCluster(directory, server);
        BufferAllocator allocator = new RootAllocator()) {
      WingsProcess broker = cluster.broker();
      WingsProcess _ = cluster.start("broker-2", "broker", "--listen", "127.0.0.1:0");
      WingsProcess ingestor = cluster.ingestor("ingestor-1", "--flush-interval", "100ms");
      WingsProcess other = cluster.ingestor("ingestor-2", "--flush-interval", "100ms");
      WingsProcess worker = cluster.worker("worker-1");
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
