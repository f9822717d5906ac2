package io.wings.cli.admin;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.wings.common.wal.BatchEntry;
import io.wings.common.wal.Block;
import io.wings.common.wal.EpochRecord;
import io.wings.common.wal.Operation;
import io.wings.common.wal.ProducerKey;
import io.wings.common.wal.RejectedEntry;
import io.wings.common.wal.SegmentFooter;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.VarBinaryVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.junit.jupiter.api.Test;

class SegmentJsonTest {
  private static final ProducerKey PRODUCER = ProducerKey.named("etl", "loader");

  @Test
  void tellsTheFooterAndEachEntryByKind() {
    SegmentFooter footer =
        new SegmentFooter(
            new UUID(1, 2),
            "0".repeat(32),
            0,
            7,
            "1".repeat(32),
            "ingestor-1",
            Instant.parse("2026-01-02T03:04:05Z"),
            List.of(),
            List.of(
                new EpochRecord(PRODUCER),
                new BatchEntry(
                    PRODUCER, 7, 1, "rows:5", Operation.INSERT, 5, 40, 0, new Block(8, 16, 99)),
                new RejectedEntry(PRODUCER, 7, 2, "bad")),
            null);
    List<ObjectNode> lines = SegmentJson.lines(footer);
    assertEquals(
        List.of("footer", "epoch", "batch", "rejected"),
        lines.stream().map(line -> line.path("kind").asText()).toList());
    assertEquals(7, lines.getFirst().path("number").asInt());
    assertEquals(5, lines.getFirst().path("rows").asInt());
    assertEquals("loader", lines.get(2).path("producer").path("name").asText());
    assertEquals("rows:5", lines.get(2).path("token").asText());
    assertEquals("bad", lines.get(3).path("reason").asText());
  }

  @Test
  void tellsRowsByColumn() {
    try (BufferAllocator allocator = new RootAllocator();
        BigIntVector id = new BigIntVector("id", allocator);
        VarCharVector city = new VarCharVector("city", allocator);
        VarBinaryVector raw = new VarBinaryVector("raw", allocator)) {
      id.setSafe(0, 5);
      city.setSafe(0, new byte[] {'a'});
      raw.setSafe(0, new byte[] {1, 2});
      id.setValueCount(2);
      city.setValueCount(2);
      raw.setValueCount(2);
      try (VectorSchemaRoot root = VectorSchemaRoot.of(id, city, raw)) {
        assertEquals(
            List.of(
                "{\"kind\":\"row\",\"values\":{\"id\":5,\"city\":\"a\",\"raw\":\"AQI=\"}}",
                "{\"kind\":\"row\",\"values\":{\"id\":null,\"city\":null,\"raw\":null}}"),
            SegmentJson.rows(root).map(ObjectNode::toString).toList());
      }
    }
  }
}
