package io.wings.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.wings.cli.client.TableCreation;
import io.wings.cli.client.TableName;
import io.wings.cli.client.WingsClient;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** P1 and P2 for a table of several lanes, spread over two ingestors. */
@Timeout(180)
class LanesTest {
  private static final int LANES = 3;
  private static final int WRITERS = 9;
  private static final long SECONDS = 3;

  @TempDir private Path directory;

  @Test
  void rowsOfAllLanesAreVisibleOnce() throws Exception {
    TableName table = TestCluster.table("spread");
    try (TestCluster cluster = new TestCluster(directory);
        BufferAllocator allocator = new RootAllocator()) {
      WingsProcess _ = cluster.broker();
      WingsProcess balancer =
          cluster.loadBalancer(
              "lb",
              cluster.ingestor("ingestor-1", "--flush-interval", "50ms"),
              cluster.ingestor("ingestor-2", "--flush-interval", "50ms"));
      WingsProcess _ = cluster.worker("worker");
      try (WingsClient client = TestCluster.connect(balancer, allocator)) {
        JsonNode created =
            new TableCreation(table)
                .create(
                    client,
                    Writers.SCHEMA,
                    null,
                    null,
                    Map.of("wings.commit-interval", "500ms", "wings.wal.lanes", "" + LANES));
        assertEquals(LANES, created.path("lanes").asInt());
        Writers writers =
            new Writers(table, () -> TestCluster.connect(balancer, allocator), allocator);
        writers.start(0, WRITERS);
        Thread.sleep(SECONDS * 1000);
        writers.stop();
        JsonNode flushed = client.action("flush", TestCluster.request(table)).path("positions");
        assertEquals(LANES, flushed.size());
        for (JsonNode position : flushed) {
          assertTrue(position.path("number").asLong() > 0, "a lane without a row: " + flushed);
          JsonNode _ =
              client.action(
                  "await-visible",
                  TestCluster.request(table)
                      .put("incarnation", position.path("incarnation").asText())
                      .put("lane", position.path("lane").asInt())
                      .put("position", position.path("number").asLong())
                      .put("timeout_ms", 60_000));
        }
        List<Long> visible = VisibleRows.read(client, table);
        assertEquals(visible.size(), new HashSet<>(visible).size(), "no row is visible twice");
        assertEquals(writers.acknowledged(), new HashSet<>(visible));
      }
    }
  }
}
