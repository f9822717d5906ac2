package io.wings.ingestor.stream;

import static io.wings.ingestor.stream.Crafted.field;
import static io.wings.ingestor.stream.Crafted.required;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigDecimal;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.apache.arrow.vector.types.DateUnit;
import org.apache.arrow.vector.types.FloatingPointPrecision;
import org.apache.arrow.vector.types.TimeUnit;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.iceberg.Schema;
import org.apache.iceberg.expressions.Literal;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** From the stream's columns to the table's. */
class AligningTest {
  private static final ArrowType INT = new ArrowType.Int(32, true);

  private static Schema table(NestedField... columns) {
    return new Schema(columns);
  }

  private static Schema optional(Type type) {
    return table(NestedField.optional(1, "a", type));
  }

  private static List<@Nullable Object> cast(Type to, ArrowType from, Crafted batch) {
    return Decoded.values(optional(to), List.of(field("a", from)), batch.batch()).getFirst();
  }

  private static Crafted one() {
    return Crafted.rows(1).node(1, 0).none();
  }

  private static BigDecimal n(long value) {
    return new BigDecimal(value);
  }

  @Test
  void widensIntegers() {
    assertEquals(
        List.of(n(-1)),
        cast(Types.IntegerType.get(), new ArrowType.Int(8, true), one().buffer((byte) -1)));
    assertEquals(
        List.of(n(255)),
        cast(Types.LongType.get(), new ArrowType.Int(8, false), one().buffer((byte) -1)));
    assertEquals(
        List.of(n(65_535)),
        cast(
            Types.IntegerType.get(),
            new ArrowType.Int(16, false),
            one().buffer((byte) -1, (byte) -1)));
    assertEquals(
        List.of(n(4_294_967_295L)),
        cast(Types.LongType.get(), new ArrowType.Int(32, false), one().ints(-1)));
    assertEquals(
        List.of(new BigDecimal("18446744073709551615")),
        cast(Types.DecimalType.of(20, 0), new ArrowType.Int(64, false), one().longs(-1)));
    assertEquals(
        List.of(n(-1)),
        cast(Types.DecimalType.of(20, 0), new ArrowType.Int(64, true), one().longs(-1)));
  }

  @Test
  void widensFloatsAndDecimals() {
    short half = Float.floatToFloat16(1.5f);
    assertEquals(
        List.of(1.5),
        cast(
            Types.DoubleType.get(),
            new ArrowType.FloatingPoint(FloatingPointPrecision.HALF),
            one().buffer((byte) half, (byte) (half >> 8))));
    assertEquals(
        List.of(1.5),
        cast(
            Types.FloatType.get(),
            new ArrowType.FloatingPoint(FloatingPointPrecision.HALF),
            one().buffer((byte) half, (byte) (half >> 8))));
    assertEquals(
        List.of(-2.5),
        cast(
            Types.DoubleType.get(),
            new ArrowType.FloatingPoint(FloatingPointPrecision.SINGLE),
            one().ints(Float.floatToIntBits(-2.5f))));
    assertEquals(
        List.of(new BigDecimal("-0.07")),
        cast(Types.DecimalType.of(30, 2), new ArrowType.Decimal(5, 2, 32), one().ints(-7)));
    assertEquals(
        List.of(new BigDecimal("0.07")),
        cast(Types.DecimalType.of(30, 2), new ArrowType.Decimal(5, 2, 128), one().longs(7, 0)));
  }

  @Test
  void convertsUnitsOfTime() {
    assertEquals(
        List.of(n(-1)),
        cast(
            Types.DateType.get(),
            new ArrowType.Date(DateUnit.MILLISECOND),
            one().longs(-86_400_000)));
    assertEquals(
        List.of(n(5_000)),
        cast(Types.TimeType.get(), new ArrowType.Time(TimeUnit.MILLISECOND, 32), one().ints(5)));
    assertEquals(
        List.of(n(-3_000_000)),
        cast(
            Types.TimestampType.withoutZone(),
            new ArrowType.Timestamp(TimeUnit.SECOND, null),
            one().longs(-3)));
    assertEquals(
        List.of(n(3_000)),
        cast(
            Types.TimestampNanoType.withZone(),
            new ArrowType.Timestamp(TimeUnit.MICROSECOND, "Europe/Paris"),
            one().longs(3)));
  }

  @Test
  void refusesTimestampsThatOverflow() {
    Field seconds = field("a", new ArrowType.Timestamp(TimeUnit.SECOND, null));
    String message =
        Decoded.refusal(
            optional(Types.TimestampType.withoutZone()),
            List.of(seconds),
            Crafted.rows(2).node(2, 0).none().longs(1, Long.MAX_VALUE / 1_000).batch());
    assertTrue(message.startsWith("value-out-of-range: column \"a\", row 1: "), message);
    assertEquals(
        Arrays.asList((Object) null),
        cast(
            Types.TimestampType.withoutZone(),
            seconds.getType(),
            Crafted.rows(1).node(1, 1).buffer((byte) 0).longs(Long.MAX_VALUE)));
  }

  @Test
  void takesFixedBytesAsBytes() {
    assertEquals(
        List.of("0102", "0304"),
        cast(
            Types.BinaryType.get(),
            new ArrowType.FixedSizeBinary(2),
            Crafted.rows(2).node(2, 0).none().buffer((byte) 1, (byte) 2, (byte) 3, (byte) 4)));
  }

  @Test
  void ordersColumnsAsTheTableHasThem() {
    Schema table =
        table(
            NestedField.optional(1, "a", Types.IntegerType.get()),
            NestedField.optional(2, "b", Types.IntegerType.get()));
    assertEquals(
        List.of(List.of(n(2)), List.of(n(1))),
        Decoded.values(
            table,
            List.of(field("b", INT), field("a", INT)),
            Crafted.rows(1).node(1, 0).none().ints(1).node(1, 0).none().ints(2).batch()));
  }

  @Test
  void fillsMissingColumnsWithNullOrTheirDefault() {
    Schema table =
        table(
            NestedField.optional(1, "a", Types.IntegerType.get()),
            NestedField.optional(2, "none", Types.ListType.ofOptional(10, Types.StringType.get())),
            filled(3, "flag", Types.BooleanType.get(), Literal.of(true)),
            filled(4, "word", Types.StringType.get(), Literal.of("wörd")),
            filled(5, "sum", Types.DecimalType.of(9, 2), Literal.of(new BigDecimal("-1.25"))),
            filled(6, "ratio", Types.DoubleType.get(), Literal.of(0.5)),
            filled(7, "count", Types.LongType.get(), Literal.of(9L)));
    assertEquals(
        List.of(
            List.of(n(1), n(2)),
            Arrays.asList(null, null),
            List.of(true, true),
            List.of("wörd", "wörd"),
            List.of(new BigDecimal("-1.25"), new BigDecimal("-1.25")),
            List.of(0.5, 0.5),
            List.of(n(9), n(9))),
        Decoded.values(
            table, List.of(field("a", INT)), Crafted.rows(2).node(2, 0).none().ints(1, 2).batch()));
  }

  private static NestedField filled(int id, String name, Type type, Literal<?> value) {
    return NestedField.required(name)
        .withId(id)
        .ofType(type)
        .withInitialDefault(value)
        .withWriteDefault(value)
        .build();
  }

  @Test
  void refusesColumnsThatTheTableHasNot() {
    String message =
        Decoded.refusal(
            optional(Types.IntegerType.get()), List.of(field("a", INT), field("extra", INT)));
    assertTrue(message.startsWith("schema-mismatch: column \"extra\""), message);
  }

  @Test
  void refusesNullsInRequiredColumns() {
    Schema table = table(NestedField.required(1, "a", Types.IntegerType.get()));
    String message =
        Decoded.refusal(
            table,
            List.of(field("a", INT)),
            Crafted.rows(2).node(2, 1).buffer((byte) 1).ints(1, 2).batch());
    assertTrue(message.startsWith("null-in-required-column: column \"a\", row 1: "), message);
  }

  @Test
  void aNullStructAnswersForItsRequiredFields() {
    Schema table =
        optional(Types.StructType.of(NestedField.required(2, "x", Types.IntegerType.get())));
    Field struct = field("a", ArrowType.Struct.INSTANCE, field("x", INT));
    assertEquals(
        List.of(Arrays.asList(Map.of("x", n(1)), null)),
        Decoded.values(
            table,
            List.of(struct),
            Crafted.rows(2)
                .node(2, 1)
                .buffer((byte) 1)
                .node(2, 1)
                .buffer((byte) 1)
                .ints(1, 2)
                .batch()));
    String message =
        Decoded.refusal(
            table,
            List.of(struct),
            Crafted.rows(2)
                .node(2, 1)
                .buffer((byte) 2)
                .node(2, 1)
                .buffer((byte) 1)
                .ints(1, 2)
                .batch());
    assertTrue(message.startsWith("null-in-required-column: column \"a.x\", row 1: "), message);
  }

  @Test
  void refusesNullItemsWhereTheTableTakesNone() {
    Schema table = optional(Types.ListType.ofRequired(2, Types.IntegerType.get()));
    Field list = field("a", ArrowType.List.INSTANCE, field("item", INT));
    String message =
        Decoded.refusal(
            table,
            List.of(list),
            Crafted.rows(2)
                .node(2, 0)
                .none()
                .ints(0, 1, 3)
                .node(3, 1)
                .buffer((byte) 3)
                .ints(1, 2, 3)
                .batch());
    assertTrue(
        message.startsWith("null-in-required-column: column \"a.element\", row 1: "), message);
    // Items that no list holds, or only a null one, are of no account.
    assertEquals(
        List.of(Arrays.asList(List.of(n(1)), null)),
        Decoded.values(
            table,
            List.of(list),
            Crafted.rows(2)
                .node(2, 1)
                .buffer((byte) 1)
                .ints(0, 1, 2)
                .node(3, 2)
                .buffer((byte) 1)
                .ints(1, 2, 3)
                .batch()));
  }

  @Test
  void refusesNullKeys() {
    Field map =
        field(
            "a",
            new ArrowType.Map(false),
            required("entries", ArrowType.Struct.INSTANCE, field("k", INT), field("v", INT)));
    String message =
        Decoded.refusal(
            null,
            List.of(map),
            Crafted.rows(1)
                .node(1, 0)
                .none()
                .ints(0, 1)
                .node(1, 0)
                .none()
                .node(1, 1)
                .buffer((byte) 0)
                .ints(1)
                .node(1, 0)
                .none()
                .ints(2)
                .batch());
    assertTrue(message.startsWith("null-in-required-column: column \"a."), message);
  }

  @Test
  void alignsFieldsWithinLists() {
    Schema table =
        optional(
            Types.ListType.ofOptional(
                2,
                Types.StructType.of(
                    NestedField.optional(3, "new", Types.StringType.get()),
                    NestedField.optional(4, "x", Types.LongType.get()))));
    Field list =
        field(
            "a",
            ArrowType.LargeList.INSTANCE,
            field("item", ArrowType.Struct.INSTANCE, field("x", INT)));
    java.util.LinkedHashMap<String, @Nullable Object> item = new java.util.LinkedHashMap<>();
    item.put("new", null);
    item.put("x", n(7));
    assertEquals(
        List.of(List.of(List.of(item))),
        Decoded.values(
            table,
            List.of(list),
            Crafted.rows(1)
                .node(1, 0)
                .none()
                .longs(0, 1)
                .node(1, 0)
                .none()
                .node(1, 0)
                .none()
                .ints(7)
                .batch()));
  }

  @Test
  void takesColumnsOfTypeNull() {
    assertEquals(
        List.of(Arrays.asList(null, null)),
        Decoded.values(field("a", ArrowType.Null.INSTANCE), Crafted.rows(2).node(2, 2).batch()));
  }
}
