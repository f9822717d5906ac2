package io.wings.worker.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.wings.common.error.WingsException;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.arrow.vector.DateMilliVector;
import org.apache.arrow.vector.Decimal256Vector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.FixedSizeBinaryVector;
import org.apache.arrow.vector.Float2Vector;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.LargeVarBinaryVector;
import org.apache.arrow.vector.LargeVarCharVector;
import org.apache.arrow.vector.SmallIntVector;
import org.apache.arrow.vector.TimeMilliVector;
import org.apache.arrow.vector.TimeNanoVector;
import org.apache.arrow.vector.TimeSecVector;
import org.apache.arrow.vector.TimeStampSecVector;
import org.apache.arrow.vector.TinyIntVector;
import org.apache.arrow.vector.UInt1Vector;
import org.apache.arrow.vector.UInt2Vector;
import org.apache.arrow.vector.UInt4Vector;
import org.apache.arrow.vector.UInt8Vector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.ViewVarBinaryVector;
import org.apache.arrow.vector.ViewVarCharVector;
import org.apache.arrow.vector.complex.FixedSizeListVector;
import org.apache.arrow.vector.complex.LargeListVector;
import org.apache.arrow.vector.complex.ListViewVector;
import org.apache.arrow.vector.types.DateUnit;
import org.apache.arrow.vector.types.FloatingPointPrecision;
import org.apache.arrow.vector.types.TimeUnit;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Every Arrow type that maps to an Iceberg type, and values that don't fit. */
class ArrowTypesTest {
  private static final FieldType INT = withId(2, new ArrowType.Int(32, true));

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

  private static FieldType withId(int id, ArrowType type) {
    return new FieldType(true, type, null, Map.of(BatchAligner.FIELD_ID, Integer.toString(id)));
  }

  private static Field field(ArrowType type, Field... children) {
    return new Field("v", withId(1, type), List.of(children));
  }

  /** Writes a column of that Arrow form into one of that Iceberg type, and reads it back. */
  private List<String> roundTrip(Field field, Type type, int rows, Consumer<FieldVector> fill) {
    Table table = harness.table(new Schema(NestedField.optional(1, "v", type)));
    FieldVector vector = field.createVector(harness.allocator);
    try (VectorSchemaRoot batch = new VectorSchemaRoot(List.of(field), List.of(vector))) {
      vector.setInitialCapacity(rows);
      vector.allocateNew();
      fill.accept(vector);
      vector.setValueCount(rows);
      batch.setRowCount(rows);
      harness.commit(table, harness.append(table, List.of(batch)));
    }
    return harness.read(table).stream().map(row -> row.substring(3, row.length() - 1)).toList();
  }

  private void refused(String code, Field field, Type type, Consumer<FieldVector> fill) {
    WingsException error =
        assertThrows(WingsException.class, () -> roundTrip(field, type, 1, fill));
    assertEquals(code, error.code());
    assertTrue(error.toString().contains("\"v\""), error::toString);
  }

  private static ArrowType integer(int bits, boolean signed) {
    return new ArrowType.Int(bits, signed);
  }

  @Test
  void smallerIntegersWiden() {
    Type intType = Types.IntegerType.get();
    Type longType = Types.LongType.get();
    assertEquals(
        List.of("-128", "null"),
        roundTrip(field(integer(8, true)), intType, 2, v -> ((TinyIntVector) v).set(0, -128)));
    assertEquals(
        List.of("-32768"),
        roundTrip(field(integer(16, true)), longType, 1, v -> ((SmallIntVector) v).set(0, -32768)));
    assertEquals(
        List.of("255"),
        roundTrip(field(integer(8, false)), intType, 1, v -> ((UInt1Vector) v).set(0, 255)));
    assertEquals(
        List.of("65535"),
        roundTrip(field(integer(16, false)), intType, 1, v -> ((UInt2Vector) v).set(0, 65535)));
    assertEquals(
        List.of("4294967295"),
        roundTrip(field(integer(32, false)), longType, 1, v -> ((UInt4Vector) v).set(0, -1)));
  }

  /** DuckDB writes HUGEINT as DOUBLE and has no unsigned Parquet type that Iceberg reads. */
  @Test
  void unsignedLongsBecomeDecimals() {
    assertEquals(
        List.of("0e0", "18446744073709551615e0", "9223372036854775808e0"),
        roundTrip(
            field(integer(64, false)),
            Types.DecimalType.of(20, 0),
            3,
            v -> {
              ((UInt8Vector) v).set(0, -1L);
              ((UInt8Vector) v).set(1, 0L);
              ((UInt8Vector) v).set(2, Long.MIN_VALUE);
            }));
    refused(
        "column-value",
        field(integer(64, false)),
        Types.DecimalType.of(19, 0),
        v -> ((UInt8Vector) v).set(0, -1L));
    refused("column-type", field(integer(64, false)), Types.LongType.get(), _ -> {});
    refused("column-type", field(integer(64, true)), Types.IntegerType.get(), _ -> {});
    refused("column-type", field(integer(32, false)), Types.IntegerType.get(), _ -> {});
  }

  @Test
  void halfFloatsWiden() {
    Field half = field(new ArrowType.FloatingPoint(FloatingPointPrecision.HALF));
    Consumer<FieldVector> fill = v -> ((Float2Vector) v).setWithPossibleTruncate(0, 0.1f);
    assertEquals(List.of("0.099975586"), roundTrip(half, Types.FloatType.get(), 1, fill));
    assertEquals(List.of("0.0999755859375"), roundTrip(half, Types.DoubleType.get(), 1, fill));
    refused(
        "column-type",
        field(new ArrowType.FloatingPoint(FloatingPointPrecision.DOUBLE)),
        Types.FloatType.get(),
        _ -> {});
  }

  @Test
  void datesAndTimesOfEveryUnitAreExactOrRefused() {
    Type date = Types.DateType.get();
    Type time = Types.TimeType.get();
    Field millis = field(new ArrowType.Date(DateUnit.MILLISECOND));
    assertEquals(
        List.of("1969-12-31"),
        roundTrip(millis, date, 1, v -> ((DateMilliVector) v).set(0, -86_400_000L)));
    refused("column-value", millis, date, v -> ((DateMilliVector) v).set(0, 1L));
    assertEquals(
        List.of("23:59:59"),
        roundTrip(
            field(new ArrowType.Time(TimeUnit.SECOND, 32)),
            time,
            1,
            v -> ((TimeSecVector) v).set(0, 86_399)));
    assertEquals(
        List.of("00:00:00.007"),
        roundTrip(
            field(new ArrowType.Time(TimeUnit.MILLISECOND, 32)),
            time,
            1,
            v -> ((TimeMilliVector) v).set(0, 7)));
    Field nanos = field(new ArrowType.Time(TimeUnit.NANOSECOND, 64));
    assertEquals(
        List.of("00:00:00.000007"),
        roundTrip(nanos, time, 1, v -> ((TimeNanoVector) v).set(0, 7_000)));
    refused("column-value", nanos, time, v -> ((TimeNanoVector) v).set(0, 7_001));
    refused(
        "column-value",
        field(new ArrowType.Time(TimeUnit.SECOND, 32)),
        time,
        v -> ((TimeSecVector) v).set(0, 86_400));
    refused(
        "column-value",
        field(new ArrowType.Time(TimeUnit.MICROSECOND, 64)),
        time,
        v -> ((org.apache.arrow.vector.TimeMicroVector) v).set(0, -1L));
  }

  @Test
  void timestampsOfEveryUnitAreExactOrRefused() {
    Field seconds = field(new ArrowType.Timestamp(TimeUnit.SECOND, null));
    Consumer<FieldVector> one = v -> ((TimeStampSecVector) v).set(0, -1L);
    assertEquals(
        List.of("1969-12-31T23:59:59"),
        roundTrip(seconds, Types.TimestampType.withoutZone(), 1, one));
    assertEquals(
        List.of("1969-12-31T23:59:59"),
        roundTrip(seconds, Types.TimestampNanoType.withoutZone(), 1, one));
    refused(
        "column-value",
        seconds,
        Types.TimestampNanoType.withoutZone(),
        v -> ((TimeStampSecVector) v).set(0, Long.MAX_VALUE / 1_000_000));
    refused(
        "column-type",
        field(new ArrowType.Timestamp(TimeUnit.NANOSECOND, null)),
        Types.TimestampType.withoutZone(),
        _ -> {});
    assertEquals(
        List.of("1970-01-02T00:00"),
        roundTrip(
            field(new ArrowType.Date(DateUnit.DAY)),
            Types.TimestampType.withoutZone(),
            1,
            v -> ((org.apache.arrow.vector.DateDayVector) v).set(0, 1)));
  }

  @Test
  void largeAndViewFormsOfTextAndBytesBecomePlain() {
    String text = "a long text that no view holds inline é";
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    assertEquals(
        List.of("\"" + text + "\"", "null"),
        roundTrip(
            field(new ArrowType.LargeUtf8()),
            Types.StringType.get(),
            2,
            v -> ((LargeVarCharVector) v).setSafe(1, bytes)));
    assertEquals(
        List.of("\"" + text + "\"", "\"short\"", "null"),
        roundTrip(
            field(new ArrowType.Utf8View()),
            Types.StringType.get(),
            3,
            v -> {
              ((ViewVarCharVector) v).setSafe(0, bytes);
              ((ViewVarCharVector) v).setSafe(2, "short".getBytes(StandardCharsets.UTF_8));
            }));
    assertEquals(
        List.of("0x01ff"),
        roundTrip(
            field(new ArrowType.LargeBinary()),
            Types.BinaryType.get(),
            1,
            v -> ((LargeVarBinaryVector) v).setSafe(0, new byte[] {1, -1})));
    assertEquals(
        List.of("0x01ff"),
        roundTrip(
            field(new ArrowType.BinaryView()),
            Types.BinaryType.get(),
            1,
            v -> ((ViewVarBinaryVector) v).setSafe(0, new byte[] {1, -1})));
    assertEquals(
        List.of("0x01ff", "null"),
        roundTrip(
            field(new ArrowType.FixedSizeBinary(2)),
            Types.BinaryType.get(),
            2,
            v -> ((FixedSizeBinaryVector) v).setSafe(1, new byte[] {1, -1})));
    refused(
        "column-type",
        field(new ArrowType.FixedSizeBinary(3)),
        Types.FixedType.ofLength(4),
        _ -> {});
  }

  @Test
  void decimalsOf256BitsNarrowWhereTheyFit() {
    Field wide = field(new ArrowType.Decimal(76, 3, 256));
    BigDecimal most = new BigDecimal(BigInteger.TEN.pow(38).subtract(BigInteger.ONE), 3);
    assertEquals(
        List.of(most.unscaledValue() + "e3"),
        roundTrip(
            wide, Types.DecimalType.of(38, 3), 1, v -> ((Decimal256Vector) v).setSafe(0, most)));
    refused(
        "column-value",
        wide,
        Types.DecimalType.of(38, 3),
        v -> ((Decimal256Vector) v).setSafe(0, most.add(new BigDecimal("0.001"))));
    refused("column-type", wide, Types.DecimalType.of(38, 2), _ -> {});
  }

  @Test
  void everyFormOfListBecomesAList() {
    Type ints = Types.ListType.ofOptional(2, Types.IntegerType.get());
    Field element = new Field("item", INT, null);
    assertEquals(
        List.of("[7, null]", "[]", "null"),
        roundTrip(
            field(new ArrowType.LargeList(), element),
            ints,
            3,
            v -> {
              LargeListVector lists = (LargeListVector) v;
              lists.startNewValue(0);
              ((IntVector) lists.getDataVector()).setSafe(0, 7);
              ((IntVector) lists.getDataVector()).setNull(1);
              lists.endValue(0, 2);
              lists.startNewValue(2);
              lists.endValue(2, 0);
            }));
    assertEquals(
        List.of("[1, 2]", "[5, 6]", "null"),
        roundTrip(
            field(new ArrowType.FixedSizeList(2), element),
            ints,
            3,
            v -> {
              FixedSizeListVector lists = (FixedSizeListVector) v;
              IntVector values = (IntVector) lists.getDataVector();
              for (int i = 0; i < 6; i++) {
                values.setSafe(i, i + 1);
              }
              lists.setNotNull(0);
              lists.setNotNull(2);
            }));
    assertEquals(
        List.of("[1, 2]", "[2, 3]", "null"),
        roundTrip(
            field(new ArrowType.ListView(), element),
            ints,
            3,
            v -> {
              ListViewVector lists = (ListViewVector) v;
              IntVector values = (IntVector) lists.getDataVector();
              for (int i = 0; i < 3; i++) {
                values.setSafe(i, i + 1);
              }
              values.setValueCount(3);
              lists.setValidity(0, 1);
              lists.setOffset(0, 1);
              lists.setSize(0, 2);
              lists.setValidity(2, 1);
              lists.setOffset(2, 0);
              lists.setSize(2, 2);
            }));
  }

  /** A column of type unknown has nothing but nulls and may become any other. */
  @Test
  void nullColumnsBecomeNullsOfAnyType() {
    Field nothing = field(new ArrowType.Null());
    assertEquals(List.of("null", "null"), roundTrip(nothing, Types.StringType.get(), 2, _ -> {}));
    List<Type> nested =
        List.of(
            Types.StructType.of(NestedField.optional(2, "x", Types.LongType.get())),
            Types.ListType.ofOptional(2, Types.LongType.get()),
            Types.MapType.ofOptional(2, 3, Types.StringType.get(), Types.LongType.get()));
    for (Type type : nested) {
      assertEquals(List.of("null"), roundTrip(nothing, type, 1, _ -> {}));
    }
  }

  @Test
  void columnsOfTypeUnknownAreLeftOutOfFiles() {
    Schema schema =
        new Schema(
            NestedField.optional(1, "nothing", Types.UnknownType.get()),
            NestedField.optional(2, "v", Types.LongType.get()));
    Table table = harness.table(schema);
    List<Field> fields = new ArrayList<>();
    schema.columns().forEach(column -> fields.add(ArrowBatches.field(column)));
    try (VectorSchemaRoot batch =
        VectorSchemaRoot.create(
            new org.apache.arrow.vector.types.pojo.Schema(fields), harness.allocator)) {
      batch.allocateNew();
      batch.setRowCount(2);
      harness.commit(table, harness.append(table, List.of(batch)));
    }
    assertEquals(List.of("[nothing=null, v=null]", "[nothing=null, v=null]"), harness.read(table));
  }
}
