package io.wings.process;

import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.wings.cli.client.TableCreation;
import io.wings.cli.client.TableName;
import io.wings.cli.client.WingsClient;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * P1 and P6 under a store that is slow, full or failing: back-pressure or errors, never a false
 * acknowledgement, and recovery by itself once it is well.
 */
@Tag("long")
@Timeout(180)
class SickStoreTest {
  private static final long WELL_MILLIS = 2_000;
  private static final long SICK_MILLIS = 8_000;

  @TempDir private Path directory;

  @ParameterizedTest
  @ValueSource(strings = {"slow 5000", "full", "every 3"})
  void whatWasAckedIsInTheLogExactlyOnce(String sickness) throws Exception {
    Path faults = directory.resolve("faults");
    TableName table = TestCluster.table("sick");
    try (TestCluster cluster = new TestCluster(directory);
        BufferAllocator allocator = new RootAllocator()) {
      WingsProcess _ = cluster.broker();
      WingsProcess ingestor =
          cluster.ingestor(
              "ingestor", "--flush-interval", "100ms", "--store-faults", faults.toString());
      WingsProcess balancer = cluster.loadBalancer("lb", ingestor);
      try (WingsClient client = TestCluster.connect(balancer, allocator)) {
        JsonNode created =
            new TableCreation(table).create(client, Writers.SCHEMA, null, null, Map.of());
        Writers writers =
            new Writers(table, () -> TestCluster.connect(balancer, allocator), allocator);
        writers.start(0, 4);
        Thread.sleep(WELL_MILLIS);
        sicken(faults, sickness);
        Thread.sleep(SICK_MILLIS);
        sicken(faults, "");
        int before = writers.acknowledged().size();
        Thread.sleep(WELL_MILLIS);
        writers.stop();

        assertTrue(ingestor.alive(), "the ingestor lives on: " + ingestor.log());
        assertTrue(writers.acknowledged().size() > before, "acks go on once the store is well");
        LogRows.assertHolds(cluster, client, table, created, writers, allocator);
      }
    }
  }

  private static void sicken(Path faults, String sickness) throws IOException {
    Path next = Files.writeString(faults.resolveSibling("faults.next"), sickness);
    Files.move(
        next,
        faults,
        java.nio.file.StandardCopyOption.REPLACE_EXISTING,
        java.nio.file.StandardCopyOption.ATOMIC_MOVE);
  }
}
