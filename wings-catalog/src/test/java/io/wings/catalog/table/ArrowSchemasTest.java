package io.wings.catalog.table;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.wings.catalog.table.Alignment.Column;
import io.wings.catalog.table.Alignment.Conversion;
import io.wings.common.error.WingsException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.arrow.vector.types.DateUnit;
import org.apache.arrow.vector.types.FloatingPointPrecision;
import org.apache.arrow.vector.types.IntervalUnit;
import org.apache.arrow.vector.types.TimeUnit;
import org.apache.arrow.vector.types.UnionMode;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.DictionaryEncoding;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.apache.arrow.vector.types.pojo.Schema;
import org.apache.iceberg.expressions.Literal;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class ArrowSchemasTest {
  private static final ArrowType UTF8 = ArrowType.Utf8.INSTANCE;

  static Stream<Arguments> created() {
    return Stream.of(
        Arguments.of(ArrowType.Bool.INSTANCE, Types.BooleanType.get()),
        Arguments.of(integer(8, true), Types.IntegerType.get()),
        Arguments.of(integer(16, true), Types.IntegerType.get()),
        Arguments.of(integer(32, true), Types.IntegerType.get()),
        Arguments.of(integer(64, true), Types.LongType.get()),
        Arguments.of(integer(8, false), Types.IntegerType.get()),
        Arguments.of(integer(16, false), Types.IntegerType.get()),
        Arguments.of(integer(32, false), Types.LongType.get()),
        Arguments.of(integer(64, false), Types.DecimalType.of(20, 0)),
        Arguments.of(floating(FloatingPointPrecision.HALF), Types.FloatType.get()),
        Arguments.of(floating(FloatingPointPrecision.SINGLE), Types.FloatType.get()),
        Arguments.of(floating(FloatingPointPrecision.DOUBLE), Types.DoubleType.get()),
        Arguments.of(new ArrowType.Decimal(9, 2, 32), Types.DecimalType.of(9, 2)),
        Arguments.of(new ArrowType.Decimal(38, 38, 256), Types.DecimalType.of(38, 38)),
        Arguments.of(new ArrowType.Date(DateUnit.DAY), Types.DateType.get()),
        Arguments.of(new ArrowType.Date(DateUnit.MILLISECOND), Types.DateType.get()),
        Arguments.of(new ArrowType.Time(TimeUnit.SECOND, 32), Types.TimeType.get()),
        Arguments.of(new ArrowType.Time(TimeUnit.MICROSECOND, 64), Types.TimeType.get()),
        Arguments.of(timestamp(TimeUnit.SECOND, null), Types.TimestampType.withoutZone()),
        Arguments.of(timestamp(TimeUnit.MILLISECOND, ""), Types.TimestampType.withoutZone()),
        Arguments.of(timestamp(TimeUnit.MICROSECOND, "+01:00"), Types.TimestampType.withZone()),
        Arguments.of(timestamp(TimeUnit.NANOSECOND, null), Types.TimestampNanoType.withoutZone()),
        Arguments.of(timestamp(TimeUnit.NANOSECOND, "UTC"), Types.TimestampNanoType.withZone()),
        Arguments.of(UTF8, Types.StringType.get()),
        Arguments.of(ArrowType.LargeUtf8.INSTANCE, Types.StringType.get()),
        Arguments.of(ArrowType.Utf8View.INSTANCE, Types.StringType.get()),
        Arguments.of(ArrowType.Binary.INSTANCE, Types.BinaryType.get()),
        Arguments.of(ArrowType.LargeBinary.INSTANCE, Types.BinaryType.get()),
        Arguments.of(ArrowType.BinaryView.INSTANCE, Types.BinaryType.get()),
        Arguments.of(new ArrowType.FixedSizeBinary(7), Types.FixedType.ofLength(7)),
        Arguments.of(ArrowType.Null.INSTANCE, Types.UnknownType.get()));
  }

  @ParameterizedTest
  @MethodSource("created")
  void aTableIsMadeOfIcebergsTypes(ArrowType from, Type to) {
    org.apache.iceberg.Schema schema =
        ArrowSchemas.toIceberg(new Schema(List.of(Field.nullable("c", from))));
    assertEquals(Types.NestedField.optional(1, "c", to), schema.columns().getFirst());
  }

  /** What a table was made from can be written to it. */
  @ParameterizedTest
  @MethodSource("created")
  void whatMadeATableAlignsWithIt(ArrowType from, Type to) {
    Schema incoming = new Schema(List.of(Field.nullable("c", from)));
    Alignment alignment = ArrowSchemas.align(incoming, ArrowSchemas.toIceberg(incoming));
    Column column = alignment.columns().getFirst();
    assertTrue(column instanceof Column.Taken(_, int input, _) && input == 0);
    boolean same = from.equals(alignment.target().getFields().getFirst().getType());
    assertEquals(same, alignment.identity());
  }

  static Stream<ArrowType> refused() {
    return Stream.of(
        new ArrowType.Union(UnionMode.Dense, new int[] {0}),
        new ArrowType.Interval(IntervalUnit.DAY_TIME),
        new ArrowType.Duration(TimeUnit.SECOND),
        new ArrowType.Time(TimeUnit.NANOSECOND, 64),
        new ArrowType.Decimal(39, 0, 256),
        new ArrowType.Decimal(5, -1, 128),
        new ArrowType.Decimal(5, 6, 128));
  }

  @ParameterizedTest
  @MethodSource("refused")
  void refusesWhatIcebergCantHold(ArrowType type) {
    Field child = Field.nullable("x", integer(32, true));
    Field field = new Field("c", FieldType.nullable(type), List.of(child));
    WingsException error =
        assertThrows(
            WingsException.class, () -> ArrowSchemas.toIceberg(new Schema(List.of(field))));
    assertEquals("type-unsupported", error.code());
    assertTrue(String.valueOf(error.getMessage()).contains("\"c\""));
  }

  @Test
  void nestedTypesAreNumberedLevelByLevel() {
    Schema arrow =
        new Schema(
            List.of(
                list("tags", ArrowType.LargeList.INSTANCE, Field.notNullable("item", UTF8)),
                struct("s", Field.notNullable("a", UTF8), Field.nullable("b", UTF8)),
                map("m", Field.notNullable("k", UTF8), Field.nullable("v", integer(64, true))),
                list("pair", new ArrowType.FixedSizeList(2), Field.nullable("item", UTF8))));
    assertEquals(
        new org.apache.iceberg.Schema(
                Types.NestedField.optional(
                    1, "tags", Types.ListType.ofRequired(5, Types.StringType.get())),
                Types.NestedField.optional(
                    2,
                    "s",
                    Types.StructType.of(
                        Types.NestedField.required(6, "a", Types.StringType.get()),
                        Types.NestedField.optional(7, "b", Types.StringType.get()))),
                Types.NestedField.optional(
                    3,
                    "m",
                    Types.MapType.ofOptional(8, 9, Types.StringType.get(), Types.LongType.get())),
                Types.NestedField.optional(
                    4, "pair", Types.ListType.ofOptional(10, Types.StringType.get())))
            .asStruct(),
        ArrowSchemas.toIceberg(arrow).asStruct());
  }

  @Test
  void anArrowUuidBecomesAUuid() {
    Field marked =
        new Field(
            "u",
            new FieldType(
                true,
                new ArrowType.FixedSizeBinary(16),
                null,
                Map.of("ARROW:extension:name", "arrow.uuid")),
            List.of());
    assertEquals(
        Types.UUIDType.get(), ArrowSchemas.toIceberg(new Schema(List.of(marked))).findType("u"));
  }

  @Test
  void aDictionaryIsItsValues() {
    Field encoded =
        new Field(
            "d",
            new FieldType(true, UTF8, new DictionaryEncoding(1, false, new ArrowType.Int(8, true))),
            List.of());
    assertEquals(
        Types.StringType.get(), ArrowSchemas.toIceberg(new Schema(List.of(encoded))).findType("d"));
  }

  @Test
  void refusesColumnsThatCantBeTold() {
    assertEquals("schema-invalid", createError());
    assertEquals(
        "schema-invalid", createError(Field.nullable("a", UTF8), Field.nullable("a", UTF8)));
    assertEquals("schema-invalid", createError(Field.nullable("", UTF8)));
    assertEquals(
        "schema-invalid",
        createError(Field.nullable("a.b", UTF8), struct("a", Field.nullable("b", UTF8))));
  }

  @Test
  void refusesABombOfFields() {
    Field nested = Field.nullable("leaf", UTF8);
    for (int i = 0; i < 40; i++) {
      nested = struct("s" + i, nested);
    }
    assertEquals("schema-invalid", createError(nested));
    List<Field> wide = new ArrayList<>();
    for (int i = 0; i <= ArrowSchemas.MAX_FIELDS; i++) {
      wide.add(Field.nullable("c" + i, UTF8));
    }
    assertEquals("schema-invalid", createError(wide.toArray(Field[]::new)));
  }

  @Test
  void everyLevelCarriesItsFieldId() {
    org.apache.iceberg.Schema table =
        new org.apache.iceberg.Schema(
            Types.NestedField.required(1, "id", Types.LongType.get()),
            Types.NestedField.optional(
                2,
                "m",
                Types.MapType.ofOptional(
                    3,
                    4,
                    Types.StringType.get(),
                    Types.ListType.ofRequired(5, Types.UUIDType.get()))));
    Schema expected = ArrowSchemas.expected(table);
    Field id = expected.findField("id");
    assertFalse(id.isNullable());
    assertEquals(Map.of("PARQUET:field_id", "1"), id.getMetadata());
    Field entries = expected.findField("m").getChildren().getFirst();
    assertEquals("3", entries.getChildren().getFirst().getMetadata().get("PARQUET:field_id"));
    Field value = entries.getChildren().getLast();
    assertEquals("4", value.getMetadata().get("PARQUET:field_id"));
    Field element = value.getChildren().getFirst();
    assertEquals("5", element.getMetadata().get("PARQUET:field_id"));
    assertEquals(new ArrowType.FixedSizeBinary(16), element.getType());
  }

  @Test
  void fieldsAreMatchedByNameInTheTablesOrder() {
    org.apache.iceberg.Schema table = table(required("a"), required("b"));
    Alignment alignment =
        ArrowSchemas.align(
            new Schema(List.of(Field.notNullable("b", UTF8), Field.notNullable("a", UTF8))), table);
    assertEquals(
        List.of(1, 0),
        alignment.columns().stream().map(column -> ((Column.Taken) column).input()).toList());
    assertFalse(alignment.identity());
  }

  @Test
  void missingColumnsTakeTheirDefaultOrNull() {
    org.apache.iceberg.Schema table =
        table(
            required("a"),
            Types.NestedField.optional("b").withId(2).ofType(Types.StringType.get()).build(),
            Types.NestedField.required("c")
                .withId(3)
                .ofType(Types.IntegerType.get())
                .withInitialDefault(Literal.of(1))
                .withWriteDefault(Literal.of(42))
                .build());
    Alignment alignment =
        ArrowSchemas.align(new Schema(List.of(Field.notNullable("a", UTF8))), table);
    assertEquals(
        new Column.Filled(alignment.target().getFields().get(1), null), alignment.columns().get(1));
    assertEquals(
        new Column.Filled(alignment.target().getFields().get(2), 42), alignment.columns().get(2));
  }

  /** What pandas makes of a column without a value. */
  @Test
  void aColumnOfTypeNullFillsAnOptionalColumn() {
    org.apache.iceberg.Schema table =
        table(Types.NestedField.optional(1, "a", Types.StringType.get()));
    Field nothing = Field.nullable("a", ArrowType.Null.INSTANCE);
    Alignment alignment = ArrowSchemas.align(new Schema(List.of(nothing)), table);
    assertEquals(
        List.of(new Column.Filled(alignment.target().getFields().getFirst(), null)),
        alignment.columns());
    assertEquals("schema-mismatch", alignError(table(required("a")), nothing));
  }

  @Test
  void refusesWhatCantBeAligned() {
    org.apache.iceberg.Schema table = table(required("a"));
    assertEquals("schema-mismatch", alignError(table));
    assertEquals(
        "schema-mismatch",
        alignError(table, Field.nullable("a", UTF8), Field.nullable("extra", UTF8)));
    assertEquals(
        "schema-mismatch", alignError(table, Field.nullable("a", UTF8), Field.nullable("a", UTF8)));
    assertEquals("schema-mismatch", alignError(table, Field.nullable("A", UTF8)));
    assertEquals("schema-mismatch", alignError(table, Field.nullable("a", integer(32, true))));
  }

  @Test
  void nestedFieldsAlignAsWell() {
    org.apache.iceberg.Schema table =
        new org.apache.iceberg.Schema(
            Types.NestedField.optional(
                1,
                "s",
                Types.StructType.of(
                    Types.NestedField.optional(2, "a", Types.LongType.get()),
                    Types.NestedField.optional(
                        3, "l", Types.ListType.ofOptional(4, Types.StringType.get())))));
    Schema incoming =
        new Schema(
            List.of(
                struct(
                    "s",
                    list("l", ArrowType.ListView.INSTANCE, Field.nullable("x", UTF8)),
                    Field.nullable("a", integer(32, true)))));
    Column.Taken column = (Column.Taken) ArrowSchemas.align(incoming, table).columns().getFirst();
    Conversion.Fields fields = (Conversion.Fields) column.conversion();
    assertEquals(
        new Conversion.Cast(integer(32, true), integer(64, true)),
        ((Column.Taken) fields.columns().get(0)).conversion());
    assertEquals(
        new Conversion.Elements(new Conversion.Same()),
        ((Column.Taken) fields.columns().get(1)).conversion());
  }

  static Stream<Arguments> lossy() {
    return Stream.of(
        Arguments.of(integer(64, true), Types.IntegerType.get()),
        Arguments.of(integer(32, false), Types.IntegerType.get()),
        Arguments.of(integer(64, false), Types.LongType.get()),
        Arguments.of(integer(64, false), Types.DecimalType.of(19, 0)),
        Arguments.of(integer(32, true), Types.DoubleType.get()),
        Arguments.of(floating(FloatingPointPrecision.DOUBLE), Types.FloatType.get()),
        Arguments.of(new ArrowType.Decimal(10, 2, 128), Types.DecimalType.of(9, 2)),
        Arguments.of(new ArrowType.Decimal(9, 2, 128), Types.DecimalType.of(9, 3)),
        Arguments.of(timestamp(TimeUnit.NANOSECOND, null), Types.TimestampType.withoutZone()),
        Arguments.of(timestamp(TimeUnit.MICROSECOND, null), Types.TimestampType.withZone()),
        Arguments.of(timestamp(TimeUnit.MICROSECOND, "UTC"), Types.TimestampType.withoutZone()),
        Arguments.of(UTF8, Types.BinaryType.get()),
        Arguments.of(new ArrowType.FixedSizeBinary(8), Types.FixedType.ofLength(9)));
  }

  @ParameterizedTest
  @MethodSource("lossy")
  void nothingIsNarrowed(ArrowType from, Type to) {
    org.apache.iceberg.Schema table =
        new org.apache.iceberg.Schema(Types.NestedField.optional(1, "c", to));
    assertEquals("schema-mismatch", alignError(table, Field.nullable("c", from)));
  }

  private static String createError(Field... fields) {
    return assertThrows(
            WingsException.class, () -> ArrowSchemas.toIceberg(new Schema(List.of(fields))))
        .code();
  }

  private static String alignError(org.apache.iceberg.Schema table, Field... fields) {
    return assertThrows(
            WingsException.class, () -> ArrowSchemas.align(new Schema(List.of(fields)), table))
        .code();
  }

  private static org.apache.iceberg.Schema table(Types.NestedField... fields) {
    return new org.apache.iceberg.Schema(fields);
  }

  private static Types.NestedField required(String name) {
    return Types.NestedField.required(name.equals("a") ? 1 : 2, name, Types.StringType.get());
  }

  private static ArrowType integer(int bits, boolean signed) {
    return new ArrowType.Int(bits, signed);
  }

  private static ArrowType floating(FloatingPointPrecision precision) {
    return new ArrowType.FloatingPoint(precision);
  }

  private static ArrowType timestamp(
      TimeUnit unit, @org.jspecify.annotations.Nullable String zone) {
    return new ArrowType.Timestamp(unit, zone);
  }

  private static Field struct(String name, Field... children) {
    return new Field(name, FieldType.nullable(ArrowType.Struct.INSTANCE), List.of(children));
  }

  private static Field list(String name, ArrowType type, Field element) {
    return new Field(name, FieldType.nullable(type), List.of(element));
  }

  private static Field map(String name, Field key, Field value) {
    Field entries =
        new Field("entries", FieldType.notNullable(ArrowType.Struct.INSTANCE), List.of(key, value));
    return new Field(name, FieldType.nullable(new ArrowType.Map(false)), List.of(entries));
  }
}
