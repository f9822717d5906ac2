package io.wings.worker.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.wings.common.error.WingsException;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.complex.StructVector;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.DictionaryEncoding;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.data.GenericRecord;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.expressions.Literal;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How columns of a batch become columns of the table. */
class ColumnMatchTest {
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

  private static Record row(Types.StructType type, @Nullable Object... values) {
    GenericRecord row = GenericRecord.create(type);
    for (int i = 0; i < values.length; i++) {
      row.set(i, values[i]);
    }
    return row;
  }

  /** Catalogs number fields breadth-first, so the ids inside depend on what stands before. */
  private static Types.StructType point(int firstId) {
    return Types.StructType.of(
        NestedField.required(firstId, "x", Types.IntegerType.get()),
        NestedField.optional(firstId + 1, "y", Types.IntegerType.get()));
  }

  private static Schema schema(NestedField... fields) {
    return new Schema(fields);
  }

  private static NestedField optional(int id, String name, org.apache.iceberg.types.Type type) {
    return NestedField.optional(id, name, type);
  }

  private static NestedField required(int id, String name, org.apache.iceberg.types.Type type) {
    return NestedField.required(id, name, type);
  }

  /** Appends one row per list of values, written with {@code schema}. */
  private AppendResult append(Table table, Schema schema, List<Record> rows) {
    try (VectorSchemaRoot batch = ArrowBatches.batch(schema, rows, harness.allocator)) {
      return harness.append(table, List.of(batch));
    }
  }

  private WingsException refused(Table table, Schema schema, Record row) {
    WingsException refused =
        assertThrows(WingsException.class, () -> append(table, schema, List.of(row)));
    assertEquals(List.of(), harness.scratchFiles());
    return refused;
  }

  private static void assertSays(WingsException error, String code, String... parts) {
    assertEquals(code, error.code());
    for (String part : parts) {
      assertTrue(error.toString().contains(part), error.toString());
    }
  }

  /** Trap 27: two columns swap their names between write and materialise. */
  @Test
  void columnsThatSwappedNamesKeepTheirValues() {
    Schema before =
        schema(optional(1, "a", Types.LongType.get()), optional(2, "b", Types.LongType.get()));
    Table table = harness.table(before);
    table.updateSchema().renameColumn("a", "tmp").renameColumn("b", "a").commit();
    table.updateSchema().renameColumn("tmp", "b").commit();
    harness.commit(table, append(table, before, List.of(row(before.asStruct(), 1L, 2L))));
    assertEquals(List.of("[b=1, a=2]"), harness.read(table));
  }

  @Test
  void aColumnAddedSinceHasItsInitialDefaultNotTheLaterWriteDefault() {
    Schema before = schema(optional(1, "a", Types.LongType.get()));
    Table table = harness.table(before);
    table
        .updateSchema()
        .addColumn("with", Types.StringType.get(), Literal.of("then"))
        .addColumn("without", Types.StringType.get())
        .addRequiredColumn("must", Types.IntegerType.get(), Literal.of(7))
        .commit();
    table.updateSchema().updateColumnDefault("with", Literal.of("now")).commit();
    table.updateSchema().updateColumnDefault("without", Literal.of("now")).commit();
    harness.commit(table, append(table, before, List.of(row(before.asStruct(), 1L))));
    assertEquals(List.of("[a=1, with=\"then\", without=null, must=7]"), harness.read(table));
  }

  @Test
  void batchesOfSeveralSchemasMeetInOneCall() {
    Schema first = schema(required(1, "a", Types.IntegerType.get()));
    Table table = harness.table(first);
    table.updateSchema().addColumn("b", Types.FloatType.get()).commit();
    Schema second = table.schema();
    table
        .updateSchema()
        .updateColumn("a", Types.LongType.get())
        .updateColumn("b", Types.DoubleType.get())
        .moveFirst("b")
        .commit();
    List<VectorSchemaRoot> batches = new ArrayList<>();
    batches.add(ArrowBatches.batch(first, List.of(row(first.asStruct(), 1)), harness.allocator));
    batches.add(
        ArrowBatches.batch(second, List.of(row(second.asStruct(), 2, 0.1f)), harness.allocator));
    batches.add(
        ArrowBatches.batch(
            table.schema(),
            List.of(row(table.schema().asStruct(), 0.1, Long.MAX_VALUE)),
            harness.allocator));
    AppendResult result = harness.append(table, batches);
    batches.forEach(VectorSchemaRoot::close);
    harness.commit(table, result);
    assertEquals(1, result.files().size());
    assertEquals(
        List.of(
            "[b=0.1, a=9223372036854775807]", "[b=" + (double) 0.1f + ", a=2]", "[b=null, a=1]"),
        harness.read(table));
  }

  @Test
  void decimalsWidenWithinTheirScale() {
    Schema before = schema(optional(1, "d", Types.DecimalType.of(5, 2)));
    Table table = harness.table(before);
    table.updateSchema().updateColumn("d", Types.DecimalType.of(30, 2)).commit();
    harness.commit(
        table, append(table, before, List.of(row(before.asStruct(), new BigDecimal("-123.45")))));
    assertEquals(List.of("[d=-12345e2]"), harness.read(table));
  }

  @Test
  void aRequiredColumnReplacedByAnotherTypeIsRefusedByName() {
    Schema before =
        schema(optional(1, "k", Types.LongType.get()), required(2, "v", Types.LongType.get()));
    Table table = harness.table(before);
    table
        .updateSchema()
        .allowIncompatibleChanges()
        .deleteColumn("v")
        .addRequiredColumn("v", Types.StringType.get())
        .commit();
    assertSays(
        refused(table, before, row(before.asStruct(), 1L, 2L)),
        "column-missing",
        "\"v\"",
        "has id 2",
        "has id 3");
  }

  @Test
  void aTypeThatIsNoWideningIsRefusedByName() {
    Schema batch = schema(optional(1, "v", Types.StringType.get()));
    Table table = harness.table(schema(optional(1, "v", Types.LongType.get())));
    assertSays(
        refused(table, batch, row(batch.asStruct(), "1")), "column-type", "\"v\"", "long", "Utf8");
  }

  @Test
  void aZoneIsNeitherGivenNorTaken() {
    Schema batch = schema(optional(1, "v", Types.TimestampType.withoutZone()));
    Table table = harness.table(schema(optional(1, "v", Types.TimestampType.withZone())));
    assertSays(
        refused(table, batch, row(batch.asStruct(), java.time.LocalDateTime.of(2026, 1, 1, 0, 0))),
        "column-type",
        "\"v\"");
  }

  @Test
  void nullsInRequiredFieldsAreRefusedAtEveryLevel() {
    Schema loose =
        schema(
            optional(1, "top", Types.LongType.get()),
            optional(
                2,
                "point",
                Types.StructType.of(
                    optional(5, "x", Types.IntegerType.get()),
                    optional(6, "y", Types.IntegerType.get()))),
            optional(3, "list", Types.ListType.ofOptional(7, Types.IntegerType.get())),
            optional(
                4,
                "map",
                Types.MapType.ofOptional(8, 9, Types.StringType.get(), Types.LongType.get())));
    Schema strict =
        schema(
            required(1, "top", Types.LongType.get()),
            optional(2, "point", point(5)),
            optional(3, "list", Types.ListType.ofRequired(7, Types.IntegerType.get())),
            optional(
                4,
                "map",
                Types.MapType.ofRequired(8, 9, Types.StringType.get(), Types.LongType.get())));
    Table table = harness.table(strict);
    Types.StructType type = loose.asStruct();
    Types.StructType point = type.fields().get(1).type().asStructType();
    java.util.Map<String, @Nullable Long> nullValue = new java.util.HashMap<>();
    nullValue.put("k", null);
    assertSays(refused(table, loose, row(type, null, null, null, null)), "column-null", "\"top\"");
    assertSays(
        refused(table, loose, row(type, 1L, row(point, null, 1), null, null)),
        "column-null",
        "\"point.x\"");
    assertSays(
        refused(table, loose, row(type, 1L, null, Arrays.asList(1, null), null)),
        "column-null",
        "\"list.element\"");
    assertSays(
        refused(table, loose, row(type, 1L, null, null, nullValue)),
        "column-null",
        "\"map.value\"");
    harness.commit(
        table,
        append(
            table, loose, List.of(row(type, 1L, row(point, 5, null), List.of(), Map.of("k", 1L)))));
    assertEquals(1, harness.read(table).size());
  }

  @Test
  void whatANullParentHidesIsNotLookedAt() {
    Schema schema = schema(optional(1, "point", point(2)));
    Table table = harness.table(schema);
    try (VectorSchemaRoot batch =
        ArrowBatches.batch(
            schema,
            Arrays.asList(
                row(schema.asStruct(), (Object) null), row(schema.asStruct(), row(point(2), 1, 2))),
            harness.allocator)) {
      StructVector points = (StructVector) batch.getVector(0);
      ((IntVector) points.getChild("y")).set(0, 99);
      assertTrue(points.getChild("x").isNull(0));
      harness.commit(table, harness.append(table, List.of(batch)));
    }
    assertEquals(List.of("[point=[x=1, y=2]]", "[point=null]"), harness.read(table));
  }

  @Test
  void aDecimalWithTooManyDigitsIsRefusedNotCut() {
    Schema wide = schema(optional(1, "d", Types.DecimalType.of(38, 2)));
    Table table = harness.table(schema(optional(1, "d", Types.DecimalType.of(5, 2))));
    assertSays(
        refused(table, wide, row(wide.asStruct(), new BigDecimal("1000.00"))),
        "column-value",
        "\"d\"",
        "5 digits");
    assertSays(
        refused(table, wide, row(wide.asStruct(), new BigDecimal("-1000.00"))), "column-value");
    harness.commit(
        table, append(table, wide, List.of(row(wide.asStruct(), new BigDecimal("-999.99")))));
    assertEquals(List.of("[d=-99999e2]"), harness.read(table));
  }

  @Test
  void aFieldWithoutIdOrWithADictionaryIsRefused() {
    Table table = harness.table(schema(optional(1, "v", Types.IntegerType.get())));
    Field noId = new Field("v", FieldType.nullable(new ArrowType.Int(32, true)), null);
    Field dictionary =
        new Field(
            "v",
            new FieldType(
                true,
                new ArrowType.Int(32, true),
                new DictionaryEncoding(1, false, null),
                Map.of(BatchAligner.FIELD_ID, "1")),
            null);
    for (Field field : List.of(noId, dictionary)) {
      try (VectorSchemaRoot batch =
          VectorSchemaRoot.create(
              new org.apache.arrow.vector.types.pojo.Schema(List.of(field)), harness.allocator)) {
        batch.allocateNew();
        batch.setRowCount(1);
        WingsException error =
            assertThrows(WingsException.class, () -> harness.append(table, List.of(batch)));
        assertEquals("batch-invalid", error.code());
      }
    }
  }

  /** Trap 27, inside of lists and maps: they are the table's by their ids as well. */
  @Test
  void elementsKeysAndValuesOfOtherIdsAreRefused() {
    Table lists =
        harness.table(schema(optional(1, "c", Types.ListType.ofOptional(2, Types.LongType.get()))));
    Schema elements = schema(optional(1, "c", Types.ListType.ofOptional(9, Types.LongType.get())));
    assertSays(
        refused(lists, elements, row(elements.asStruct(), List.of(1L))),
        "batch-invalid",
        "inside column",
        "has id 9 where the table has id 2");
    Table maps =
        harness.table(
            schema(
                optional(
                    1,
                    "c",
                    Types.MapType.ofOptional(2, 3, Types.StringType.get(), Types.LongType.get()))));
    for (int[] ids : new int[][] {{9, 3}, {2, 9}}) {
      Schema entries =
          schema(
              optional(
                  1,
                  "c",
                  Types.MapType.ofOptional(
                      ids[0], ids[1], Types.StringType.get(), Types.LongType.get())));
      assertSays(
          refused(maps, entries, row(entries.asStruct(), Map.of("a", 1L))),
          "batch-invalid",
          "has id 9 where the table has id");
    }
  }

  @Test
  void ofARepeatedMapKeyTheLastCountsForBothEncoders() {
    Schema lists =
        schema(
            optional(
                1,
                "m",
                Types.MapType.ofOptional(2, 3, Types.StringType.get(), Types.LongType.get())));
    for (Encoder encoder : Encoder.values()) {
      Table table = harness.table(lists);
      try (VectorSchemaRoot batch =
          ArrowBatches.batch(
              lists,
              List.of(
                  row(lists.asStruct(), Map.of("a", 1L)),
                  row(lists.asStruct(), entries("a", 1L, "b", 2L, "c", 3L)),
                  row(lists.asStruct(), Map.of("z", 9L))),
              harness.allocator)) {
        var maps = (org.apache.arrow.vector.complex.MapVector) batch.getVector(0);
        var keys =
            (org.apache.arrow.vector.VarCharVector)
                maps.getDataVector().getChildrenFromFields().getFirst();
        keys.setSafe(3, "a".getBytes(java.nio.charset.StandardCharsets.UTF_8));
        keys.setSafe(4, "z".getBytes(java.nio.charset.StandardCharsets.UTF_8));
        harness.commit(table, harness.append(table, List.of(batch), encoder));
      }
      assertEquals(
          List.of("[m={\"a\"=1}]", "[m={\"a\"=3, \"b\"=2}]", "[m={\"z\"=9}]"), harness.read(table));
    }
  }

  private static Map<String, Long> entries(
      String k1, Long v1, String k2, Long v2, String k3, Long v3) {
    Map<String, Long> entries = new java.util.LinkedHashMap<>();
    entries.put(k1, v1);
    entries.put(k2, v2);
    entries.put(k3, v3);
    return entries;
  }
}
