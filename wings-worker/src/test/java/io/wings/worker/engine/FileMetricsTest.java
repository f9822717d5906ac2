package io.wings.worker.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.wings.common.error.WingsException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import org.apache.arrow.vector.TimeStampMilliVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.TimeUnit;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.PartitionData;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.SortOrder;
import org.apache.iceberg.Table;
import org.apache.iceberg.data.GenericRecord;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.expressions.Expressions;
import org.apache.iceberg.types.Conversions;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What readers prune by must cover every row, and be what Iceberg's own writer would say. */
class FileMetricsTest {
  /** Row groups of 64 KiB of rows in memory, the smallest. */
  private static final Map<String, String> SMALL_ROW_GROUPS =
      Map.of("write.parquet.row-group-size-bytes", "1");

  @TempDir Path directory;
  private EngineHarness harness;

  @BeforeEach
  void open() {
    harness = new EngineHarness(directory);
  }

  @AfterEach
  void close() throws IOException {
    harness.close();
  }

  private Table table(Schema schema) {
    return harness.table(
        schema, PartitionSpec.unpartitioned(), SortOrder.unsorted(), SMALL_ROW_GROUPS);
  }

  private static List<Record> rows(Schema schema, List<? extends @Nullable Object> values) {
    List<Record> rows = new ArrayList<>();
    for (Object value : values) {
      GenericRecord row = GenericRecord.create(schema);
      row.set(0, value);
      rows.add(row);
    }
    return rows;
  }

  private DataFile write(Table table, List<Record> rows, Encoder encoder) {
    try (VectorSchemaRoot batch = ArrowBatches.batch(table.schema(), rows, harness.allocator)) {
      AppendResult result = harness.append(table, List.of(batch), encoder);
      harness.commit(table, result);
      assertEquals(1, result.files().size());
      return result.files().getFirst();
    }
  }

  private static @Nullable Object lower(DataFile file, Type type) {
    return bound(file.lowerBounds(), type);
  }

  private static @Nullable Object upper(DataFile file, Type type) {
    return bound(file.upperBounds(), type);
  }

  private static @Nullable Object bound(Map<Integer, ByteBuffer> bounds, Type type) {
    ByteBuffer bound = bounds.get(1);
    return bound == null ? null : Conversions.fromByteBuffer(type, bound);
  }

  /** Trap 40: one row group has a NaN and therefore no bounds. */
  @ParameterizedTest
  @EnumSource
  void aRowGroupWithNaNHidesNoRow(Encoder encoder) {
    Schema schema = new Schema(NestedField.optional(1, "d", Types.DoubleType.get()));
    Table table = table(schema);
    List<@Nullable Object> values = new ArrayList<>();
    for (int i = 0; i < 40_000; i++) {
      values.add((double) (i % 100));
    }
    values.set(10, Double.NaN);
    values.set(11, 1_000_000.0);
    values.set(12, -1_000_000.0);
    values.set(35_000, null);
    DataFile file = write(table, rows(schema, values), encoder);
    assertEquals(-1_000_000.0, lower(file, Types.DoubleType.get()));
    assertEquals(1_000_000.0, upper(file, Types.DoubleType.get()));
    assertEquals(1, file.nanValueCounts().get(1));
    assertEquals(1, file.nullValueCounts().get(1));
    assertEquals(40_000, file.valueCounts().get(1));
    assertTrue(file.splitOffsets().size() > 3);
    for (double beyond : new double[] {-1_000_000.0, 1_000_000.0}) {
      assertEquals(
          List.of("[d=" + beyond + "]"), harness.read(table, Expressions.equal("d", beyond)));
    }
    assertEquals(List.of("[d=NaN]"), harness.read(table, Expressions.isNaN("d")));
  }

  /** Trap 40, of types other than floats: Iceberg skips a row group without bounds. */
  @Test
  void aColumnWithARowGroupWithoutBoundsHasNone() throws Exception {
    Schema schema = new Schema(NestedField.optional(1, "b", Types.BinaryType.get()));
    Table table = table(schema);
    // Nothing of 256 bytes lies above so many 0xff, so DuckDB leaves the bound out.
    byte[] highest = new byte[1_000];
    java.util.Arrays.fill(highest, (byte) 0xff);
    List<@Nullable Object> values = new ArrayList<>();
    for (int i = 0; i < 40_000; i++) {
      values.add(ByteBuffer.wrap(i == 7 ? highest : new byte[] {(byte) (i % 100)}));
    }
    DataFile file = write(table, rows(schema, values), Encoder.DUCKDB);
    assertTrue(file.splitOffsets().size() > 3);
    assertNull(upper(file, Types.BinaryType.get()));
    assertEquals(
        1,
        harness
            .read(table, Expressions.greaterThan("b", ByteBuffer.wrap(new byte[] {(byte) 0xf0})))
            .size());
  }

  @ParameterizedTest
  @EnumSource
  void zerosOfBothSignsAreFound(Encoder encoder) {
    Schema schema = new Schema(NestedField.optional(1, "d", Types.DoubleType.get()));
    for (List<Double> values : List.of(List.of(-0.0, 0.0), List.of(0.0, -0.0), List.of(0.0))) {
      Table table = table(schema);
      write(table, rows(schema, values), encoder);
      assertTrue(harness.read(table, Expressions.equal("d", 0.0)).contains("[d=0.0]"));
    }
  }

  /** Trap 47: Iceberg compares uuids as signed numbers, Parquet as bytes. */
  @ParameterizedTest
  @EnumSource
  void uuidsOfBothHalvesAreFound(Encoder encoder) {
    Schema schema = new Schema(NestedField.optional(1, "u", Types.UUIDType.get()));
    List<UUID> mixed = new ArrayList<>();
    List<UUID> ordered = new ArrayList<>();
    for (int i = 0; i < 20_000; i++) {
      mixed.add(new UUID(Long.reverse(i), i % 2 == 0 ? i : -i));
      ordered.add(new UUID(0x0190_0000_0000_7000L + i, i % 2 == 0 ? i : -i));
    }
    for (List<UUID> values : List.of(mixed, ordered)) {
      Table table = table(schema);
      DataFile file = write(table, rows(schema, values), encoder);
      assertEquals(values.equals(ordered), upper(file, Types.UUIDType.get()) != null);
      for (int i : new int[] {0, 1, 2, 3, 9_999, 19_998, 19_999}) {
        assertEquals(
            List.of("[u=" + values.get(i) + "]"),
            harness.read(table, Expressions.equal("u", values.get(i))));
      }
    }
  }

  @Test
  void millisecondsBecomeExactMicrosecondsWithTheirBounds() {
    Schema schema = new Schema(NestedField.optional(1, "t", Types.TimestampType.withoutZone()));
    Table table = table(schema);
    Field field =
        new Field(
            "t",
            new FieldType(
                true,
                new ArrowType.Timestamp(TimeUnit.MILLISECOND, null),
                null,
                Map.of(BatchAligner.FIELD_ID, "1")),
            null);
    TimeStampMilliVector vector = (TimeStampMilliVector) field.createVector(harness.allocator);
    vector.allocateNew(2);
    vector.set(0, 1_790_000_000_123L);
    vector.set(1, -1L);
    vector.setValueCount(2);
    try (VectorSchemaRoot batch = new VectorSchemaRoot(List.of(vector))) {
      batch.setRowCount(2);
      AppendResult result = harness.append(table, List.of(batch));
      harness.commit(table, result);
      DataFile file = result.files().getFirst();
      assertEquals(-1_000L, lower(file, Types.TimestampType.withoutZone()));
      assertEquals(1_790_000_000_123_000L, upper(file, Types.TimestampType.withoutZone()));
    }
    assertEquals(
        List.of("[t=1969-12-31T23:59:59.999]", "[t=2026-09-21T14:13:20.123]"), harness.read(table));
  }

  @ParameterizedTest
  @EnumSource
  void longTextHasTruncatedBoundsThatCoverIt(Encoder encoder) {
    Schema schema = new Schema(NestedField.optional(1, "s", Types.StringType.get()));
    Table table = table(schema);
    String beyond = "\uDBFF\uDFFF".repeat(400);
    DataFile file = write(table, rows(schema, List.of("z".repeat(5_000), beyond)), encoder);
    Object lower = lower(file, Types.StringType.get());
    assertTrue(lower == null || "zzzzzzzzzzzzzzzz".contentEquals((CharSequence) lower));
    assertEquals(1, harness.read(table, Expressions.equal("s", beyond)).size());
    assertEquals(1, harness.read(table, Expressions.lessThan("s", "zzzzzzzzzzzzzzzzzz{")).size());
  }

  /** DuckDB writes nulls into a required column; the count of nulls is what stops it. */
  @Test
  void nullsThatReachedARequiredColumnAreRefused() throws Exception {
    Schema schema = new Schema(NestedField.required(1, "v", Types.LongType.get()));
    EngineSettings settings = new EngineSettings(directory, 64L << 20, 64L << 20, 1, 1);
    WritePlan plan = WritePlan.of(harness.table(schema), settings, null);
    Path files = Files.createDirectories(directory.resolve("own"));
    try (DuckSession session = DuckSession.open(settings, files, files.resolve("spill"))) {
      DuckParquet parquet = new DuckParquet(session, plan, files);
      PartitionData partition = new PartitionData(plan.spec().partitionType());
      String select = "SELECT CASE WHEN i <> 3 THEN i END AS v FROM range(10) t(i)";
      WingsException error =
          assertThrows(WingsException.class, () -> parquet.copy(select, partition, plan.parquet()));
      assertTrue(error.toString().contains("\"v\""), error.toString());
      List<LocalFile> good =
          parquet.copy("SELECT i AS v FROM range(10) t(i)", partition, plan.parquet());
      assertEquals(10, good.getFirst().rows());
    }
  }

  @Test
  void modesThatTheTableSetsForColumnsAreKept() {
    Schema schema =
        new Schema(
            NestedField.optional(1, "a b", Types.StringType.get()),
            NestedField.optional(2, "c", Types.StringType.get()),
            NestedField.optional(3, "d", Types.StringType.get()),
            NestedField.optional(4, "f", Types.DoubleType.get()));
    Map<String, String> modes =
        Map.of(
            "write.metadata.metrics.default",
            "none",
            "write.metadata.metrics.column.a b",
            "full",
            "write.metadata.metrics.column.c",
            "counts",
            "write.metadata.metrics.column.f",
            "counts");
    Map<Encoder, DataFile> files = new TreeMap<>();
    for (Encoder encoder : Encoder.values()) {
      Table table =
          harness.table(schema, PartitionSpec.unpartitioned(), SortOrder.unsorted(), modes);
      GenericRecord row = GenericRecord.create(schema);
      row.set(0, "x".repeat(100));
      row.set(1, "y");
      row.set(2, "z");
      row.set(3, 1.5);
      files.put(encoder, write(table, List.of(row), encoder));
    }
    files
        .values()
        .forEach(
            file -> {
              assertEquals(Set.of(1), file.lowerBounds().keySet());
              assertEquals("x".repeat(100), text(file.lowerBounds().get(1)));
              assertEquals(Set.of(1, 2, 4), file.valueCounts().keySet());
              assertEquals(Set.of(1, 2, 4), file.columnSizes().keySet());
              assertEquals(0, file.nanValueCounts().get(4));
            });
  }

  private static String text(@Nullable ByteBuffer bound) {
    assertNotNull(bound);
    return Conversions.fromByteBuffer(Types.StringType.get(), bound).toString();
  }

  /** Random rows of all types that both encoders hold; sizes are the encoders' own. */
  @Test
  void bothEncodersSayTheSameOfTheSameRows() {
    for (long seed = 1; seed <= 12; seed++) {
      RandomValues values = new RandomValues(seed);
      Schema schema = new RandomTables(values).schema();
      Table table =
          harness.table(schema, PartitionSpec.unpartitioned(), SortOrder.unsorted(), Map.of());
      FileSchema fileSchema = FileSchema.of(table.schema());
      if (Encoder.of(table, fileSchema) != Encoder.DUCKDB) {
        continue;
      }
      List<Record> rows = new ArrayList<>();
      for (int i = 0; i < 200; i++) {
        rows.add(values.row(table.schema().asStruct()));
      }
      DataFile duckdb = write(table, rows, Encoder.DUCKDB);
      Table twin =
          harness.table(schema, PartitionSpec.unpartitioned(), SortOrder.unsorted(), Map.of());
      DataFile iceberg = write(twin, rows, Encoder.ICEBERG);
      assertEquals(harness.read(twin), harness.read(table));
      assertEquals(iceberg.recordCount(), duckdb.recordCount());
      assertEquals(iceberg.valueCounts().keySet(), duckdb.valueCounts().keySet());
      assertEquals(iceberg.columnSizes().keySet(), duckdb.columnSizes().keySet());
      for (String leaf : RandomTables.leaves(table.schema())) {
        NestedField field = table.schema().findField(leaf);
        assertSame(field, iceberg, duckdb, leaf.contains("."), "seed " + seed);
      }
    }
  }

  private static void assertSame(
      NestedField field, DataFile iceberg, DataFile duckdb, boolean nested, String where) {
    int id = field.fieldId();
    String what = where + ": " + field;
    Type.TypeID type = field.type().typeId();
    boolean floating = type == Type.TypeID.FLOAT || type == Type.TypeID.DOUBLE;
    // Iceberg's writer counts a float below a null struct not at all, other types as null.
    if (!(floating && nested)) {
      assertEquals(iceberg.valueCounts().get(id), duckdb.valueCounts().get(id), what);
      assertEquals(iceberg.nullValueCounts().get(id), duckdb.nullValueCounts().get(id), what);
    }
    assertEquals(iceberg.nanValueCounts().get(id), duckdb.nanValueCounts().get(id), what);
    for (List<Map<Integer, ByteBuffer>> bounds :
        List.of(
            List.of(iceberg.lowerBounds(), duckdb.lowerBounds()),
            List.of(iceberg.upperBounds(), duckdb.upperBounds()))) {
      ByteBuffer expected = bounds.get(0).get(id);
      ByteBuffer got = bounds.get(1).get(id);
      if (expected != null && got != null) {
        Object want = Conversions.fromByteBuffer(field.type(), expected);
        Object have = Conversions.fromByteBuffer(field.type(), got);
        boolean zero =
            floating && ((Number) want).doubleValue() == 0 && ((Number) have).doubleValue() == 0;
        assertTrue(zero || want.equals(have), () -> what + ": " + want + ", " + have);
      } else {
        // DuckDB leaves out an upper bound of more than 256 bytes that can't be cut short.
        assertTrue(got == null, what);
        assertTrue(expected == null || type == Type.TypeID.BINARY, what);
      }
    }
  }

  @Test
  void splitOffsetsAreWhereRowGroupsStart() {
    Schema schema = new Schema(NestedField.optional(1, "v", Types.LongType.get()));
    List<@Nullable Object> values = new ArrayList<>();
    for (long i = 0; i < 30_000; i++) {
      values.add(i);
    }
    DataFile file = write(table(schema), rows(schema, values), Encoder.DUCKDB);
    assertTrue(new TreeSet<>(file.splitOffsets()).size() > 2);
    assertEquals(4L, file.splitOffsets().getFirst());
    assertFalse(file.splitOffsets().getLast() >= file.fileSizeInBytes());
  }
}
