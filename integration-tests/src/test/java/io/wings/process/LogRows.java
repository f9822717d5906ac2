package io.wings.process;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import io.wings.cli.client.TableName;
import io.wings.cli.client.WingsClient;
import io.wings.common.cluster.CatalogName;
import io.wings.common.cluster.LaneId;
import io.wings.common.cluster.TableId;
import io.wings.common.objectstore.ObjectStore;
import io.wings.common.wal.BatchCursor;
import io.wings.common.wal.SegmentFooter;
import io.wings.common.wal.SegmentReader;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.BigIntVector;

/** Rows of {@link Writers} as the WAL has them. */
final class LogRows {
  private LogRows() {}

  /**
   * All rows of lane 0, in log order; fails on a gap below {@code head}.
   *
   * @param head the highest position that was acknowledged
   */
  static List<Long> read(
      ObjectStore store, UUID table, String incarnation, long head, BufferAllocator allocator) {
    LaneId lane =
        new LaneId(new TableId(new CatalogName(TestCluster.CATALOG), table), incarnation, 0);
    SegmentReader reader = new SegmentReader(store);
    List<Long> rows = new ArrayList<>();
    for (long number = 1; ; number++) {
      Optional<SegmentFooter> footer = reader.footer(lane, number);
      if (footer.isEmpty()) {
        if (number <= head) {
          throw new AssertionError("no segment " + number + " although " + head + " was acked");
        }
        return rows;
      }
      try (BatchCursor batches = reader.batches(lane, footer.get(), allocator)) {
        while (batches.next()) {
          BigIntVector column = (BigIntVector) batches.root().getVector("row");
          for (int i = 0; i < batches.root().getRowCount(); i++) {
            rows.add(column.get(i));
          }
        }
      }
    }
  }

  /** Fails unless the log has the acknowledged rows of {@code writers} once each, and no other. */
  static void assertHolds(
      TestCluster cluster,
      WingsClient client,
      TableName table,
      JsonNode created,
      Writers writers,
      BufferAllocator allocator) {
    JsonNode description = client.action("describe-table", TestCluster.request(table));
    try (ObjectStore store = cluster.openStore()) {
      List<Long> rows =
          read(
              store,
              UUID.fromString(created.path("uuid").asText()),
              description.path("incarnation").asText(),
              writers.highestPosition(),
              allocator);
      assertEquals(rows.size(), new HashSet<>(rows).size(), "no row is in the log twice");
      assertEquals(writers.acknowledged(), new HashSet<>(rows));
    }
  }
}
