package io.wings.common.wal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.wings.common.cluster.Keys;
import io.wings.common.error.WingsException;
import io.wings.common.objectstore.PutCondition;
import io.wings.common.objectstore.memory.MemoryStore;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.FixedSizeBinaryVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.apache.arrow.vector.types.pojo.Schema;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SegmentTest {
  private static final ProducerKey NAMED = ProducerKey.named("ada", "orders");
  private static final ProducerKey UNNAMED = ProducerKey.unnamed("ada", "s-1");
  private static final String PUT_ID = "0123456789abcdef0123456789abcdef";

  private final BufferAllocator allocator = new RootAllocator(64 << 20);
  private final MemoryStore store = new MemoryStore();
  private final BatchEncoder encoder = new BatchEncoder();
  private final SegmentReader reader = new SegmentReader(store);

  @AfterEach
  void releasesAllMemory() {
    allocator.close();
  }

  private static SegmentWriter writer(long number) {
    return new SegmentWriter(
        WalSamples.LANE, number, PUT_ID, "test", Instant.ofEpochMilli(1_700_000_000_123L));
  }

  private void put(SegmentWriter.Segment segment) {
    store.put(
        Keys.segment(WalSamples.LANE, segment.footer().number()),
        segment.body(),
        PutCondition.ifAbsent());
  }

  @Test
  void readsBackWhatItWrote() {
    EncodedSchema schema = encoder.encode(WalSamples.wide());
    List<String> expected;
    EncodedBatch batch;
    try (VectorSchemaRoot root = WalSamples.wide(allocator, 1000)) {
      expected = WalSamples.text(root);
      batch = encoder.encode(schema, root);
      assertEquals(expected, WalSamples.text(root), "encoding leaves the vectors as they were");
    }
    SegmentWriter writer = writer(7);
    writer.batch(NAMED, 3, 1, "kafka:3:17", Operation.INSERT, batch);
    SegmentWriter.Segment segment = writer.finish();
    put(segment);

    SegmentFooter footer = reader.footer(WalSamples.LANE, 7).orElseThrow();
    assertEquals(segment.footer(), footer);
    try (BatchCursor cursor = reader.batches(WalSamples.LANE, footer, allocator)) {
      assertTrue(cursor.next());
      assertEquals(WalSamples.wide(), cursor.root().getSchema());
      assertEquals(expected, WalSamples.text(cursor.root()));
      assertFalse(cursor.next());
    }
  }

  /** Iceberg gives the group of a map's key and value no id. */
  @Test
  void aMapsEntriesNeedNoFieldId() {
    Field key = WalSamples.field("key", ArrowType.Utf8.INSTANCE, 2, false);
    Field value = WalSamples.field("value", ArrowType.Utf8.INSTANCE, 3, true);
    Field entries =
        new Field("entries", FieldType.notNullable(ArrowType.Struct.INSTANCE), List.of(key, value));
    Schema map =
        new Schema(List.of(WalSamples.field("m", new ArrowType.Map(false), 1, true, entries)));
    EncodedBatch batch;
    try (VectorSchemaRoot root = VectorSchemaRoot.create(map, allocator)) {
      root.getVector(0).allocateNew();
      root.setRowCount(4);
      batch = encoder.encode(encoder.encode(map), root);
    }
    SegmentWriter writer = writer(3);
    writer.batch(NAMED, 3, 1, null, Operation.INSERT, batch);
    SegmentWriter.Segment segment = writer.finish();
    put(segment);
    try (BatchCursor cursor = reader.batches(WalSamples.LANE, segment.footer(), allocator)) {
      assertTrue(cursor.next());
      assertEquals(map, cursor.root().getSchema());
    }
    Schema nameless = new Schema(List.of(entries));
    assertEquals(
        "wal-schema-invalid",
        assertThrows(WingsException.class, () -> encoder.encode(nameless)).code());
  }

  @Test
  void groupsBatchesBySchemaAndKeepsTheirOrder() {
    Schema other = new Schema(List.of(WalSamples.field("n", new ArrowType.Int(32, true), 9, true)));
    EncodedBatch ints;
    try (VectorSchemaRoot root = WalSamples.ints(allocator, other, 5)) {
      ints = encoder.encode(encoder.encode(other), root);
    }
    SegmentWriter writer = writer(1);
    for (int sequence = 1; sequence <= 6; sequence++) {
      EncodedBatch batch =
          sequence % 2 == 0 ? ints : WalSamples.encoded(allocator, sequence * 100L, 3);
      writer.batch(UNNAMED, 0, sequence, null, Operation.INSERT, batch);
    }
    put(writer.finish());

    SegmentFooter footer = reader.footer(WalSamples.LANE, 1).orElseThrow();
    assertEquals(2, footer.schemas().size());
    assertEquals(
        List.of(1L, 2L, 3L, 4L, 5L, 6L),
        footer.batches().stream().map(BatchEntry::sequence).toList());
    List<Long> sequences = new ArrayList<>();
    try (BatchCursor cursor = reader.batches(WalSamples.LANE, footer, allocator)) {
      while (cursor.next()) {
        sequences.add(cursor.entry().sequence());
        assertEquals(footer.entries().get(cursor.index()), cursor.entry());
        assertEquals(cursor.entry().sequence() % 2 == 0 ? 5 : 3, cursor.root().getRowCount());
      }
    }
    assertEquals(List.of(1L, 3L, 5L, 2L, 4L, 6L), sequences);
  }

  @Test
  void holdsSegmentsWithoutBatches() {
    SegmentWriter writer = writer(2);
    writer.entry(new EpochRecord(NAMED));
    writer.entry(new RejectedEntry(NAMED, 1, 4, "null in a required column"));
    writer.entry(new RulesRecord(LaneRules.DEFAULT));
    SegmentWriter.Segment segment = writer.finish();
    put(segment);
    SegmentFooter footer = reader.footer(WalSamples.LANE, 2).orElseThrow();
    assertEquals(segment.footer(), footer);
    try (BatchCursor cursor = reader.batches(WalSamples.LANE, footer, allocator)) {
      assertFalse(cursor.next());
    }
  }

  @Test
  void answersNothingWhereNoSegmentIs() {
    assertTrue(reader.footer(WalSamples.LANE, 12).isEmpty());
  }

  @Test
  void readsFootersLongerThanTheFirstFetch() {
    SegmentWriter writer = writer(3);
    for (int i = 1; i <= 2000; i++) {
      writer.entry(new RejectedEntry(NAMED, 1, i, "x".repeat(100)));
    }
    SegmentWriter.Segment segment = writer.finish();
    put(segment);
    assertTrue(segment.body().size() > SegmentReader.TAIL_BYTES);
    assertEquals(segment.footer(), reader.footer(WalSamples.LANE, 3).orElseThrow());
  }

  @Test
  void refusesASegmentUnderAnotherNumber() {
    SegmentWriter.Segment segment = writer(4).finish();
    store.put(Keys.segment(WalSamples.LANE, 5), segment.body(), PutCondition.ifAbsent());
    WingsException e = assertThrows(WingsException.class, () -> reader.footer(WalSamples.LANE, 5));
    assertEquals("segment-corrupt", e.code());
  }

  @Test
  void refusesFieldsWithoutAnIdOfTheirOwn() {
    Schema none =
        new Schema(
            List.of(
                org.apache.arrow.vector.types.pojo.Field.nullable(
                    "a", new ArrowType.Int(32, true))));
    Schema twice =
        new Schema(
            List.of(
                WalSamples.field("a", new ArrowType.Int(32, true), 1, true),
                WalSamples.field("b", new ArrowType.Int(32, true), 1, true)));
    for (Schema schema : List.of(none, twice)) {
      WingsException e = assertThrows(WingsException.class, () -> encoder.encode(schema));
      assertEquals("wal-schema-invalid", e.code());
    }
  }

  @Test
  void refusesTypesWhoseWidthsNoVectorHas() {
    for (ArrowType type :
        List.of(
            new ArrowType.Time(org.apache.arrow.vector.types.TimeUnit.NANOSECOND, 32),
            new ArrowType.Decimal(10, 2, 256),
            new ArrowType.Int(24, true),
            new ArrowType.FixedSizeBinary(1 << 25),
            new ArrowType.Duration(org.apache.arrow.vector.types.TimeUnit.SECOND))) {
      Schema schema = new Schema(List.of(WalSamples.field("a", type, 1, true)));
      WingsException e = assertThrows(WingsException.class, () -> encoder.encode(schema));
      assertEquals("wal-schema-invalid", e.code(), type.toString());
    }
  }

  @Test
  void holdsFixedSizeValuesWiderThanArrowsOwnLayoutKnows() {
    Schema schema =
        new Schema(List.of(WalSamples.field("f", new ArrowType.FixedSizeBinary(9000), 1, true)));
    SegmentWriter writer = writer(8);
    try (VectorSchemaRoot root = VectorSchemaRoot.create(schema, allocator)) {
      FixedSizeBinaryVector vector = (FixedSizeBinaryVector) root.getVector(0);
      vector.allocateNew(2);
      vector.set(1, new byte[9000]);
      root.setRowCount(2);
      writer.batch(
          UNNAMED, 0, 1, null, Operation.INSERT, encoder.encode(encoder.encode(schema), root));
    }
    put(writer.finish());
    SegmentFooter footer = reader.footer(WalSamples.LANE, 8).orElseThrow();
    try (BatchCursor cursor = reader.batches(WalSamples.LANE, footer, allocator)) {
      assertTrue(cursor.next());
      assertEquals(9000, ((byte[]) cursor.root().getVector(0).getObject(1)).length);
    }
  }

  @Test
  void storesEmptyBatches() {
    SegmentWriter writer = writer(6);
    writer.batch(UNNAMED, 0, 1, null, Operation.INSERT, WalSamples.encoded(allocator, 1, 0));
    put(writer.finish());
    SegmentFooter footer = reader.footer(WalSamples.LANE, 6).orElseThrow();
    try (BatchCursor cursor = reader.batches(WalSamples.LANE, footer, allocator)) {
      assertTrue(cursor.next());
      assertEquals(0, cursor.root().getRowCount());
    }
  }
}
