package io.wings.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.wings.cli.client.TableCreation;
import io.wings.cli.client.TableName;
import io.wings.cli.client.WingsClient;
import io.wings.common.objectstore.ObjectStore;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * P1 and P2 with two ingestors that are given the same lane on purpose, each by a load balancer of
 * its own. {@code -Dwings.shared-lane.seconds=60} makes it longer.
 */
@Timeout(300)
class SharedLaneTest {
  private static final int WRITERS = 8;
  private static final long SECONDS = Long.getLong("wings.shared-lane.seconds", 10);

  @TempDir private Path directory;

  @Test
  void twoIngestorsOnOneLaneLeaveNoGapAndNoDuplicate() throws Exception {
    TableName table = TestCluster.table("shared");
    try (TestCluster cluster = new TestCluster(directory);
        BufferAllocator allocator = new RootAllocator()) {
      WingsProcess _ = cluster.broker();
      WingsProcess first =
          cluster.loadBalancer("lb-1", cluster.ingestor("ingestor-1", "--flush-interval", "50ms"));
      WingsProcess second =
          cluster.loadBalancer("lb-2", cluster.ingestor("ingestor-2", "--flush-interval", "50ms"));
      WingsProcess _ = cluster.worker("worker");
      try (WingsClient client = TestCluster.connect(first, allocator)) {
        JsonNode created =
            new TableCreation(table)
                .create(client, Writers.SCHEMA, null, null, Map.of("wings.commit-interval", "1s"));
        Writers one = new Writers(table, () -> TestCluster.connect(first, allocator), allocator);
        Writers two = new Writers(table, () -> TestCluster.connect(second, allocator), allocator);
        one.start(0, WRITERS);
        two.start(WRITERS, WRITERS);
        Thread.sleep(SECONDS * 1000);
        one.stop();
        two.stop();

        assertTrue(!one.acknowledged().isEmpty() && !two.acknowledged().isEmpty());
        HashSet<Long> acknowledged = new HashSet<>(one.acknowledged());
        acknowledged.addAll(two.acknowledged());
        long head = Math.max(one.highestPosition(), two.highestPosition());
        JsonNode description = client.action("describe-table", TestCluster.request(table));
        String incarnation = description.path("incarnation").asText();
        try (ObjectStore store = cluster.openStore()) {
          List<Long> log =
              LogRows.read(
                  store,
                  UUID.fromString(created.path("uuid").asText()),
                  incarnation,
                  head,
                  allocator);
          assertEquals(log.size(), new HashSet<>(log).size(), "no row is in the log twice");
          assertEquals(acknowledged, new HashSet<>(log));
        }
        JsonNode _ =
            client.action(
                "await-visible",
                TestCluster.request(table)
                    .put("incarnation", incarnation)
                    .put("lane", 0)
                    .put("position", head)
                    .put("timeout_ms", 60_000));
        List<Long> visible = VisibleRows.read(client, table);
        assertEquals(visible.size(), new HashSet<>(visible).size(), "no row is visible twice");
        assertEquals(acknowledged, new HashSet<>(visible));
      }
    }
  }
}
