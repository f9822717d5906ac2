package io.wings.worker.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.NullOrder;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.SortOrder;
import org.apache.iceberg.Table;
import org.apache.iceberg.data.GenericRecord;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Names come from outside and may be anything that Iceberg allows. */
class HostileNamesTest {
  private static final List<String> NAMES =
      List.of(
          "quote\"; DROP TABLE wings_stage; --",
          "it's",
          "semi;colon",
          "ünï çødé",
          "\uD83D\uDE00",
          "nul\0byte",
          "line\nbreak",
          "x".repeat(10_000),
          "Case",
          "case",
          "CASE",
          "É",
          "é",
          "9",
          "_x39",
          "a b",
          "a_x20b",
          "rowid",
          "filename",
          "file_row_number",
          "__duckdb_field_id",
          "wings_group",
          "WINGS_KEY_0",
          "wings_key_0",
          "wings_rows",
          "element",
          "select",
          "_row_id",
          "ends.with.dots");

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

  private static List<NestedField> fields(int firstId) {
    List<NestedField> fields = new ArrayList<>();
    for (String name : NAMES) {
      int id = firstId + fields.size();
      fields.add(
          NestedField.optional(
              id, name, id % 2 == 0 ? Types.LongType.get() : Types.StringType.get()));
    }
    return fields;
  }

  private static Record row(Types.StructType type, long number) {
    GenericRecord row = GenericRecord.create(type);
    for (int i = 0; i < type.fields().size(); i++) {
      boolean isLong = type.fields().get(i).type().equals(Types.LongType.get());
      row.set(i, isLong ? (Object) (number * 1_000 + i) : number + "/" + i);
    }
    return row;
  }

  private static List<Record> rows(Types.StructType type) {
    List<Record> rows = new ArrayList<>();
    for (long i = 0; i < 20; i++) {
      rows.add(row(type, i % 5));
    }
    return rows;
  }

  @ParameterizedTest
  @EnumSource
  void columnsMayHaveAnyName(Encoder encoder) {
    Schema schema = new Schema(fields(1));
    Table table =
        harness.table(
            schema,
            PartitionSpec.builderFor(schema)
                .bucket("quote\"; DROP TABLE wings_stage; --", 2)
                .build(),
            SortOrder.builderFor(schema)
                .sortBy(
                    org.apache.iceberg.expressions.Expressions.truncate("x".repeat(10_000), 5),
                    org.apache.iceberg.SortDirection.DESC,
                    NullOrder.NULLS_LAST)
                .asc("a b")
                .build(),
            Map.of());
    List<Record> rows = rows(table.schema().asStruct());
    try (var batch = ArrowBatches.batch(table.schema(), rows, harness.allocator)) {
      harness.commit(table, harness.append(table, List.of(batch), encoder));
    }
    assertEquals(EngineHarness.texts(rows), harness.read(table));
  }

  @ParameterizedTest
  @EnumSource
  void fieldsOfStructsMayHaveAnyName(Encoder encoder) {
    Schema schema =
        new Schema(
            NestedField.optional(1, "s", Types.StructType.of(fields(2))),
            NestedField.optional(
                100, "l", Types.ListType.ofOptional(101, Types.StructType.of(fields(102)))));
    Table table = harness.table(schema);
    Types.StructType struct = table.schema().findType("s").asStructType();
    Types.StructType element =
        table.schema().findType("l").asListType().elementType().asStructType();
    List<Record> rows = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      GenericRecord row = GenericRecord.create(table.schema());
      row.set(0, row(struct, i));
      row.set(1, rows(element));
      rows.add(row);
    }
    try (var batch = ArrowBatches.batch(table.schema(), rows, harness.allocator)) {
      harness.commit(table, harness.append(table, List.of(batch), encoder));
    }
    assertEquals(EngineHarness.texts(rows), harness.read(table));
  }

  /** Names in files are those that Iceberg's own writer gives, where those differ. */
  @Test
  void fileNamesAreIcebergsOwnUnlessTheyCollide() {
    Schema schema =
        new Schema(
            NestedField.optional(1, "a b", Types.LongType.get()),
            NestedField.optional(2, "é", Types.LongType.get()),
            NestedField.optional(3, "Case", Types.LongType.get()),
            NestedField.optional(4, "case", Types.LongType.get()));
    assertEquals(
        List.of("a_x20b", "é", "Case", "case_4"),
        FileSchema.of(schema).columns().stream().map(NestedField::name).toList());
  }

  @Test
  void quotingLeavesNothingToInject() {
    assertEquals("\"a\"\"b\"", Sql.quote("a\"b"));
    assertEquals("'a''b'", Sql.literal("a'b"));
  }
}
