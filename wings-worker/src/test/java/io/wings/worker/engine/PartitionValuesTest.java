package io.wings.worker.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.wings.common.error.ErrorKind;
import io.wings.common.error.WingsException;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.SortOrder;
import org.apache.iceberg.Table;
import org.apache.iceberg.data.GenericRecord;
import org.apache.iceberg.data.IcebergGenerics;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.expressions.Expressions;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What was acknowledged lands, whatever its partition's values and sort keys are. */
class PartitionValuesTest {
  private static final Schema SCHEMA =
      new Schema(
          NestedField.optional(1, "text", Types.StringType.get()),
          NestedField.optional(2, "bytes", Types.BinaryType.get()),
          NestedField.optional(3, "amount", Types.DecimalType.of(9, 2)));

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

  private static Record row(
      @Nullable String text, byte @Nullable [] bytes, @Nullable String amount) {
    GenericRecord row = GenericRecord.create(SCHEMA);
    row.setField("text", text);
    row.setField("bytes", bytes == null ? null : ByteBuffer.wrap(bytes));
    row.setField("amount", amount == null ? null : new BigDecimal(amount));
    return row;
  }

  /** The longest key that S3 takes, and the longest name of a folder. */
  private static void assertStorable(AppendResult result) {
    for (DataFile file : result.files()) {
      assertTrue(file.location().getBytes(StandardCharsets.UTF_8).length <= 1_024);
      assertTrue(Arrays.stream(file.location().split("/")).allMatch(name -> name.length() <= 255));
      assertTrue(file.location().contains("pass-"), file.location());
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "true"})
  void textThatIsTooLongForAPathLandsInItsPartition(String objectStorage) {
    for (String unit : List.of("\u5b57", "a", "/", "%")) {
      String text = unit.repeat(2_000);
      PartitionSpec spec = PartitionSpec.builderFor(SCHEMA).identity("text").build();
      Table table =
          harness.table(
              SCHEMA,
              spec,
              SortOrder.unsorted(),
              objectStorage.isEmpty()
                  ? Map.of()
                  : Map.of("write.object-storage.enabled", objectStorage));
      List<Record> rows = List.of(row(text, null, null), row(text + "b", null, null));
      AppendResult result = harness.write(table, rows);
      assertEquals(2, result.files().size());
      assertStorable(result);
      assertEquals(
          EngineHarness.texts(rows.subList(0, 1)),
          harness.read(table, Expressions.equal("text", text)));
      assertEquals(EngineHarness.texts(rows), harness.read(table));
    }
  }

  @Test
  void longBytesAndManyShortFieldsLandInTheirPartitions() {
    PartitionSpec.Builder spec = PartitionSpec.builderFor(SCHEMA).truncate("bytes", 700);
    for (int i = 1; i <= 30; i++) {
      spec.truncate("text", 20 + i, "part_" + i);
    }
    Table table = harness.table(SCHEMA, spec.build(), SortOrder.unsorted(), Map.of());
    List<Record> rows =
        List.of(
            row("x".repeat(60), new byte[1_000], null),
            row("x".repeat(60), null, null),
            row("short", new byte[3], null));
    AppendResult result = harness.write(table, rows);
    assertStorable(result);
    assertEquals(EngineHarness.texts(rows), harness.read(table));
  }

  @Test
  void aShortValueIsInThePathAsEver() {
    PartitionSpec spec = PartitionSpec.builderFor(SCHEMA).identity("text").build();
    Table table = harness.table(SCHEMA, spec, SortOrder.unsorted(), Map.of());
    AppendResult result = harness.write(table, List.of(row("x y", null, null)));
    assertTrue(result.files().getFirst().location().contains("/data/text=x+y/pass-"));
  }

  @ParameterizedTest
  @EnumSource
  void aSortKeyThatItsTypeCannotHoldSortsWhereItBelongs(Encoder encoder) throws Exception {
    SortOrder order = SortOrder.builderFor(SCHEMA).asc(Expressions.truncate("amount", 100)).build();
    Table table = harness.table(SCHEMA, PartitionSpec.unpartitioned(), order, Map.of());
    List<String> sorted = List.of("-9999999.99", "-9999999.00", "-9999998.00", "0.00");
    try (VectorSchemaRoot batch =
        ArrowBatches.batch(
            SCHEMA,
            sorted.reversed().stream().map(amount -> row(null, null, amount)).toList(),
            harness.allocator)) {
      harness.commit(table, harness.append(table, List.of(batch), encoder));
    }
    try (CloseableIterable<Record> rows = IcebergGenerics.read(table).build()) {
      List<String> read = new ArrayList<>();
      rows.forEach(row -> read.add(String.valueOf(row.getField("amount"))));
      assertEquals(sorted, read);
    }
  }

  /** Of a row that was acknowledged under another spec: the table stops, and says what to do. */
  @Test
  void aPartitionThatItsTypeCannotHoldIsToldByColumnAndTheNextSpecTakesTheRow() {
    PartitionSpec spec = PartitionSpec.builderFor(SCHEMA).truncate("amount", 100).build();
    Table table = harness.table(SCHEMA, spec, SortOrder.unsorted(), Map.of());
    List<Record> rows = List.of(row(null, null, "0.50"), row(null, null, "-9999999.99"));
    WingsException error = assertThrows(WingsException.class, () -> harness.write(table, rows));
    assertEquals("partition-value-invalid", error.code());
    assertEquals(ErrorKind.INVALID, error.kind());
    assertTrue(error.detail().contains("column \"amount\""), error.detail());
    assertTrue(!error.detail().contains("9999999"), error.detail());
    table.updateSpec().removeField("amount_trunc").commit();
    harness.write(table, rows);
    assertEquals(EngineHarness.texts(rows), harness.read(table));
  }
}
