package io.wings.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.wings.cli.client.TableCreation;
import io.wings.cli.client.TableName;
import io.wings.cli.client.WingsClient;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import org.apache.arrow.flight.FlightClient;
import org.apache.arrow.flight.FlightDescriptor;
import org.apache.arrow.flight.Location;
import org.apache.arrow.flight.PutResult;
import org.apache.arrow.flight.SyncPutListener;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * P1 and P2 for a table of several lanes, spread over two ingestors; streams that wait for visible.
 */
@Timeout(180)
class LanesTest {
  private static final int LANES = 3;
  private static final int WRITERS = 9;
  private static final long SECONDS = 3;
  private static final int BATCHES = 5;

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

        assertEquals(BATCHES, visibleBatches(balancer, table, allocator));
        List<Long> now = VisibleRows.read(client, table);
        assertEquals(visible.size() + BATCHES, now.size(), "told visible, and there");
      }
    }
  }

  /** Sends batches as a stock client that asks for visible; how many it was told are. */
  @SuppressWarnings("try")
  private static long visibleBatches(
      WingsProcess balancer, TableName table, BufferAllocator allocator) throws Exception {
    Location location = new Location("grpc+tcp://" + balancer.address());
    byte[] command =
        TestCluster.request(table)
            .put("ack", "visible")
            .toString()
            .getBytes(StandardCharsets.UTF_8);
    long told = 0;
    try (FlightClient client = FlightClient.builder(allocator, location).build();
        VectorSchemaRoot root = VectorSchemaRoot.create(Writers.SCHEMA, allocator);
        SyncPutListener results = new SyncPutListener()) {
      FlightClient.ClientStreamListener put =
          client.startPut(FlightDescriptor.command(command), root, results);
      BigIntVector rows = (BigIntVector) root.getVector(0);
      for (int i = 0; i < BATCHES; i++) {
        rows.setSafe(0, WRITERS * Writers.STRIDE + i);
        root.setRowCount(1);
        put.putNext();
      }
      put.completed();
      for (PutResult result = results.read(); result != null; result = results.read()) {
        ArrowBuf metadata = result.getApplicationMetadata();
        byte[] json = new byte[(int) metadata.readableBytes()];
        metadata.getBytes(metadata.readerIndex(), json);
        result.close();
        JsonNode answer = WingsClient.json(json);
        assertEquals("visible", answer.path("status").asText(), answer.toString());
        assertTrue(answer.path("snapshot_id").isIntegralNumber(), answer.toString());
        told += answer.path("through").asLong() - answer.path("sequence").asLong() + 1;
      }
      results.getResult();
    }
    return told;
  }
}
