package io.wings.worker.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.wings.common.error.WingsException;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import org.apache.arrow.vector.VarBinaryVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.complex.StructVector;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.SortOrder;
import org.apache.iceberg.Table;
import org.apache.iceberg.data.GenericRecord;
import org.apache.iceberg.data.IcebergGenerics;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.io.SeekableInputStream;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;
import org.apache.iceberg.variants.Variant;
import org.apache.iceberg.variants.VariantMetadata;
import org.apache.iceberg.variants.VariantPrimitive;
import org.apache.iceberg.variants.Variants;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Where files go, how large they are, what partition they have, what the table asked for. */
class DataFilesTest {
  private static final Schema SCHEMA =
      new Schema(
          NestedField.required(1, "id", Types.LongType.get()),
          NestedField.optional(2, "text", Types.StringType.get()));

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

  private static Record row(Schema schema, @Nullable Object... values) {
    GenericRecord row = GenericRecord.create(schema);
    for (int i = 0; i < values.length; i++) {
      row.set(i, values[i]);
    }
    return row;
  }

  private static List<Record> rows(int count) {
    List<Record> rows = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      rows.add(row(SCHEMA, (long) i, "text " + i * 7919L % 100_003));
    }
    return rows;
  }

  private AppendResult append(Table table, List<Record> rows, @Nullable Encoder encoder) {
    try (VectorSchemaRoot batch = ArrowBatches.batch(table.schema(), rows, harness.allocator)) {
      return harness.append(table, List.of(batch), encoder);
    }
  }

  /** A key with an empty level is another object to some stores, and an error to others. */
  @Test
  void aFileOfAnUnpartitionedTableLiesInItsDataFolderWithoutAnEmptyLevel() throws Exception {
    Table table =
        harness.table(
            SCHEMA,
            PartitionSpec.unpartitioned(),
            SortOrder.unsorted(),
            Map.of("write.data.path", "elsewhere/data"));
    try (VectorSchemaRoot batch = ArrowBatches.batch(SCHEMA, rows(10), harness.allocator)) {
      AppendResult result =
          harness.engine.append(
              new AppendTarget(EngineHarness.TENANT, table, "0123abcd"),
              ArrowBatches.source(List.of(batch)));
      assertEquals(
          List.of("elsewhere/data/0123abcd-00001.parquet"),
          result.files().stream().map(DataFile::location).toList());
    }
  }

  @Test
  void filesLieWhereTheTablesLocationProviderSaysAndBeginWithThePrefix() throws Exception {
    PartitionSpec spec = PartitionSpec.builderFor(SCHEMA).bucket("id", 2, "b").build();
    Table table =
        harness.table(
            SCHEMA, spec, SortOrder.unsorted(), Map.of("write.data.path", "elsewhere/data"));
    try (VectorSchemaRoot batch = ArrowBatches.batch(SCHEMA, rows(10), harness.allocator)) {
      AppendResult result =
          harness.engine.append(
              new AppendTarget(EngineHarness.TENANT, table, "0123abcd"),
              ArrowBatches.source(List.of(batch)));
      Set<String> locations = new HashSet<>();
      result.files().forEach(file -> locations.add(file.location()));
      assertEquals(2, locations.size());
      for (DataFile file : result.files()) {
        String partition = "b=" + file.partition().get(0, Integer.class);
        assertTrue(
            file.location().matches("elsewhere/data/" + partition + "/0123abcd-0000[12]\\.parquet"),
            file.location());
        assertEquals(table.io().newInputFile(file.location()).getLength(), file.fileSizeInBytes());
      }
    }
    assertThrows(
        IllegalArgumentException.class,
        () -> new AppendTarget(EngineHarness.TENANT, table, "../x"));
  }

  @ParameterizedTest
  @EnumSource
  void filesAreSplitAtTheTargetSizeInTheTablesOrder(Encoder encoder) {
    Table table =
        harness.table(
            SCHEMA,
            PartitionSpec.unpartitioned(),
            SortOrder.builderFor(SCHEMA).desc("id").build(),
            Map.of("write.target-file-size-bytes", "10000"));
    List<Record> rows = rows(30_000);
    AppendResult result = append(table, rows, encoder);
    harness.commit(table, result);
    assertTrue(result.files().size() >= 4, () -> result.files().size() + " files");
    result.files().forEach(file -> assertTrue(file.fileSizeInBytes() < 40_000));
    long below = Long.MAX_VALUE;
    for (DataFile file : result.files()) {
      long highest = longBound(file.upperBounds());
      assertTrue(highest < below, "files are not in the table's order");
      below = longBound(file.lowerBounds());
    }
    assertEquals(EngineHarness.texts(rows), harness.read(table));
  }

  private static long longBound(Map<Integer, ByteBuffer> bounds) {
    ByteBuffer bound = bounds.get(1);
    if (bound == null) {
      throw new AssertionError("no bound");
    }
    return bound.duplicate().order(java.nio.ByteOrder.LITTLE_ENDIAN).getLong(0);
  }

  @ParameterizedTest
  @CsvSource({
    "zstd, ZSTD",
    "ZSTD, ZSTD",
    "snappy, SNAPPY",
    "gzip, GZIP",
    "uncompressed, UNCOMPRESSED",
    "none, UNCOMPRESSED",
    "lz4, LZ4_RAW",
    "lz4_raw, LZ4_RAW"
  })
  void theTablesCodecIsUsed(String codec, String inFile) throws Exception {
    for (Encoder encoder : Encoder.values()) {
      Table table =
          harness.table(
              SCHEMA,
              PartitionSpec.unpartitioned(),
              SortOrder.unsorted(),
              Map.of(
                  "write.parquet.compression-codec",
                  codec,
                  "write.parquet.compression-level",
                  "1"));
      AppendResult result = append(table, rows(1_000), encoder);
      harness.commit(table, result);
      assertEquals(1_000, harness.read(table).size());
      Path copy = copy(table, result.files().getFirst());
      try (var reader =
          org.apache.parquet.hadoop.ParquetFileReader.open(
              new org.apache.parquet.io.LocalInputFile(copy))) {
        assertEquals(
            inFile,
            reader.getFooter().getBlocks().getFirst().getColumns().getFirst().getCodec().name());
      }
    }
  }

  private Path copy(Table table, DataFile file) throws IOException {
    InputFile input = table.io().newInputFile(file.location());
    Path copy = directory.resolve("copy.parquet");
    try (SeekableInputStream in = input.newStream()) {
      java.nio.file.Files.write(copy, in.readAllBytes());
    }
    return copy;
  }

  /** Each value makes a partition of its own, and comes back from it. */
  @ParameterizedTest
  @EnumSource
  void identityPartitionsTellValuesApartExactly(Encoder encoder) {
    byte[] bytes = {0, -1, 127};
    OffsetDateTime nano = OffsetDateTime.of(1969, 12, 31, 23, 59, 59, 999_999_999, ZoneOffset.UTC);
    Map<Type, List<? extends @Nullable Object>> values = new java.util.LinkedHashMap<>();
    values.put(Types.FloatType.get(), java.util.Arrays.asList(0f, -0f, Float.NaN, 1f, null));
    values.put(Types.DoubleType.get(), java.util.Arrays.asList(0d, -0d, Double.NaN, 1d, null));
    values.put(
        Types.DecimalType.of(38, 10),
        List.of(new BigDecimal("1.0000000000"), new BigDecimal("1.0000000001")));
    values.put(Types.UUIDType.get(), List.of(new UUID(0, 1), new UUID(-1, 1), new UUID(1, -1)));
    values.put(
        Types.BinaryType.get(),
        List.of(
            ByteBuffer.wrap(bytes), ByteBuffer.wrap(new byte[0]), ByteBuffer.wrap(bytes, 1, 2)));
    values.put(Types.StringType.get(), List.of("", "a", "A", "a/b=c", "\0", "é", "e\u0301"));
    values.put(
        Types.TimestampNanoType.withZone(), List.of(nano, nano.plusNanos(1), nano.plusNanos(2)));
    values.put(Types.BooleanType.get(), java.util.Arrays.asList(true, false, null));
    values.forEach(
        (type, distinct) -> {
          Schema schema = new Schema(NestedField.optional(1, "v", type));
          PartitionSpec spec = PartitionSpec.builderFor(schema).identity("v").build();
          Table table = harness.table(schema, spec, SortOrder.unsorted(), Map.of());
          List<Record> rows = new ArrayList<>();
          for (int i = 0; i < 3; i++) {
            distinct.forEach(value -> rows.add(row(schema, value)));
          }
          AppendResult result = append(table, rows, encoder);
          harness.commit(table, result);
          assertEquals(distinct.size(), result.files().size(), type.toString());
          // Iceberg's generic reader gives such a partition's column back as a number.
          if (type.typeId() != Type.TypeID.TIMESTAMP_NANO) {
            assertEquals(EngineHarness.texts(rows), harness.read(table));
          }
        });
  }

  @ParameterizedTest
  @EnumSource
  void uuidsAreSortedAsBytes(Encoder encoder) throws Exception {
    Schema schema = new Schema(NestedField.optional(1, "u", Types.UUIDType.get()));
    SortOrder order = SortOrder.builderFor(schema).asc("u").build();
    Table table = harness.table(schema, PartitionSpec.unpartitioned(), order, Map.of());
    List<UUID> sorted =
        List.of(new UUID(0, 1), new UUID(0, -1), new UUID(1, 0), new UUID(-2, 0), new UUID(-1, 5));
    List<Record> rows = new ArrayList<>();
    for (int i : new int[] {3, 0, 4, 2, 1}) {
      rows.add(row(schema, sorted.get(i)));
    }
    harness.commit(table, append(table, rows, encoder));
    List<Object> read = new ArrayList<>();
    try (CloseableIterable<Record> inOrder = IcebergGenerics.read(table).build()) {
      inOrder.forEach(row -> read.add(row.get(0)));
    }
    assertEquals(sorted, read);
  }

  /** A NaN is a NaN whatever its bits. */
  @Test
  void allNaNsShareAPartition() {
    Schema schema = new Schema(NestedField.optional(1, "v", Types.FloatType.get()));
    PartitionSpec spec = PartitionSpec.builderFor(schema).identity("v").build();
    Table table = harness.table(schema, spec, SortOrder.unsorted(), Map.of());
    List<Record> rows =
        List.of(
            row(schema, Float.intBitsToFloat(0x7fc00000)),
            row(schema, Float.intBitsToFloat(0x7fc00001)),
            row(schema, Float.intBitsToFloat(0xffc00000)));
    assertEquals(1, append(table, rows, null).files().size());
  }

  @Test
  void variantsGoThroughIcebergsOwnWriter() throws Exception {
    Schema schema = new Schema(NestedField.optional(1, "v", Types.VariantType.get()));
    Table table = harness.table(schema);
    assertEquals(Encoder.ICEBERG, Encoder.of(table, FileSchema.of(table.schema())));
    VariantMetadata metadata = Variants.metadata("k");
    var object = Variants.object(metadata);
    object.put("k", Variants.of(new BigDecimal("12345678901234567890.5")));
    VariantPrimitive<?> text = Variants.of("plain");
    Field field =
        new Field(
            "v",
            new FieldType(true, new ArrowType.Struct(), null, Map.of(BatchAligner.FIELD_ID, "1")),
            List.of(
                Field.nullable("metadata", new ArrowType.Binary()),
                Field.nullable("value", new ArrowType.Binary())));
    StructVector vector = (StructVector) field.createVector(harness.allocator);
    try (VectorSchemaRoot batch = new VectorSchemaRoot(List.of(vector))) {
      VarBinaryVector metadatas = (VarBinaryVector) vector.getChild("metadata");
      VarBinaryVector valuesOf = (VarBinaryVector) vector.getChild("value");
      vector.setIndexDefined(0);
      metadatas.setSafe(0, bytes(metadata.sizeInBytes(), out -> metadata.writeTo(out, 0)));
      valuesOf.setSafe(0, bytes(object.sizeInBytes(), out -> object.writeTo(out, 0)));
      vector.setIndexDefined(1);
      VariantMetadata none = Variants.emptyMetadata();
      metadatas.setSafe(1, bytes(none.sizeInBytes(), out -> none.writeTo(out, 0)));
      valuesOf.setSafe(1, bytes(text.sizeInBytes(), out -> text.writeTo(out, 0)));
      vector.setValueCount(3);
      batch.setRowCount(3);
      harness.commit(table, harness.append(table, List.of(batch)));
    }
    List<String> read = new ArrayList<>();
    try (CloseableIterable<Record> rows = IcebergGenerics.read(table).build()) {
      rows.forEach(
          row ->
              read.add(row.get(0) instanceof Variant variant ? Variant.toString(variant) : "null"));
    }
    assertEquals(3, read.size());
    assertTrue(read.get(0).contains("12345678901234567890.5"), read.get(0));
    assertTrue(read.get(1).contains("plain"), read.get(1));
    assertEquals("null", read.get(2));
  }

  private static byte[] bytes(int size, java.util.function.ToIntFunction<ByteBuffer> write) {
    ByteBuffer buffer = ByteBuffer.allocate(size).order(java.nio.ByteOrder.LITTLE_ENDIAN);
    assertEquals(size, write.applyAsInt(buffer));
    return buffer.array();
  }

  @Test
  void whatTheEngineCannotWriteIsRefusedByName() {
    Map<String, Schema> schemas = new TreeMap<>();
    schemas.put(
        "list",
        new Schema(
            NestedField.optional(
                1, "list", Types.ListType.ofOptional(2, Types.UnknownType.get()))));
    schemas.put("column", new Schema(NestedField.optional(1, "u", Types.UnknownType.get())));
    schemas.forEach(
        (named, schema) -> {
          Table table = harness.table(schema);
          WingsException error =
              assertThrows(WingsException.class, () -> harness.append(table, List.of()));
          assertEquals("table-unsupported", error.code());
          assertTrue(error.toString().contains(named), error.toString());
        });
    for (Map<String, String> properties :
        List.of(
            Map.of("write.parquet.compression-codec", "zpaq"),
            Map.of("write.target-file-size-bytes", "large"))) {
      Table table =
          harness.table(SCHEMA, PartitionSpec.unpartitioned(), SortOrder.unsorted(), properties);
      WingsException error =
          assertThrows(WingsException.class, () -> harness.append(table, List.of()));
      assertEquals("table-unsupported", error.code());
      properties.keySet().forEach(key -> assertTrue(error.toString().contains(key)));
    }
  }

  @Test
  void bloomFiltersThatATableAsksForAreWritten() throws Exception {
    Schema schema =
        new Schema(
            NestedField.required(1, "the id", Types.LongType.get()),
            NestedField.optional(2, "text", Types.StringType.get()));
    Table table =
        harness.table(
            schema,
            PartitionSpec.unpartitioned(),
            SortOrder.unsorted(),
            Map.of("write.parquet.bloom-filter-enabled.column.the id", "true"));
    AppendResult result = append(table, rows(1_000), null);
    try (var reader =
        org.apache.parquet.hadoop.ParquetFileReader.open(
            new org.apache.parquet.io.LocalInputFile(copy(table, result.files().getFirst())))) {
      var columns = reader.getFooter().getBlocks().getFirst().getColumns();
      assertTrue(columns.get(0).getBloomFilterOffset() > 0);
      assertFalse(columns.get(1).getBloomFilterOffset() > 0);
    }
  }

  @Test
  void noRowsMakeNoFile() {
    Table table = harness.table(SCHEMA);
    assertEquals(List.of(), append(table, List.of(), null).files());
    assertEquals(0, harness.append(table, List.of()).rows());
  }
}
