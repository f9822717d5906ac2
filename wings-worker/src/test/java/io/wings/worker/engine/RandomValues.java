package io.wings.worker.engine;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import org.apache.iceberg.data.GenericRecord;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;
import org.jspecify.annotations.Nullable;

/** Seeded types and values, with a liking for the ends of their ranges. */
final class RandomValues {
  private static final OffsetDateTime EPOCH =
      OffsetDateTime.of(1970, 1, 1, 0, 0, 0, 0, ZoneOffset.UTC);
  private static final String[] TEXTS = {
    "",
    "a",
    "b",
    "é",
    "\0",
    "ünï\0nul",
    "\uD83D\uDE00",
    "\uFFFD",
    "\uE000",
    "x".repeat(300),
    "'\";--"
  };

  final Random random;
  private int lastId;

  RandomValues(long seed) {
    this.random = new Random(seed);
  }

  int nextId() {
    return ++lastId;
  }

  boolean chance(int percent) {
    return random.nextInt(100) < percent;
  }

  @SafeVarargs
  final <T> T pick(T... choices) {
    return choices[random.nextInt(choices.length)];
  }

  Type primitive() {
    return switch (random.nextInt(19)) {
      case 0 -> Types.BooleanType.get();
      case 1 -> Types.IntegerType.get();
      case 2 -> Types.LongType.get();
      case 3 -> Types.FloatType.get();
      case 4 -> Types.DoubleType.get();
      case 5 -> Types.DateType.get();
      case 6 -> Types.TimeType.get();
      case 7 -> Types.TimestampType.withoutZone();
      case 8 -> Types.TimestampType.withZone();
      case 9 -> Types.TimestampNanoType.withoutZone();
      case 10 -> Types.TimestampNanoType.withZone();
      case 11 -> Types.StringType.get();
      case 12 -> Types.UUIDType.get();
      case 13 -> Types.BinaryType.get();
      case 14 -> Types.DecimalType.of(9, pick(0, 2, 9));
      case 15 -> Types.DecimalType.of(18, pick(0, 4));
      case 16 -> Types.DecimalType.of(38, pick(0, 10));
      case 17 -> Types.StringType.get();
      default -> chance(30) ? Types.FixedType.ofLength(5) : Types.LongType.get();
    };
  }

  Type type(int depth) {
    if (depth == 0 || chance(70)) {
      return primitive();
    }
    return switch (random.nextInt(3)) {
      case 0 -> Types.StructType.of(fields(1 + random.nextInt(3), depth - 1));
      case 1 -> {
        int id = nextId();
        Type element = type(depth - 1);
        yield chance(70)
            ? Types.ListType.ofOptional(id, element)
            : Types.ListType.ofRequired(id, element);
      }
      default -> {
        int key = nextId();
        int value = nextId();
        Type keys = mapKey();
        Type values = type(depth - 1);
        yield chance(70)
            ? Types.MapType.ofOptional(key, value, keys, values)
            : Types.MapType.ofRequired(key, value, keys, values);
      }
    };
  }

  private Type mapKey() {
    Type key = primitive();
    return key.typeId() == Type.TypeID.FLOAT || key.typeId() == Type.TypeID.DOUBLE
        ? Types.StringType.get()
        : key;
  }

  List<NestedField> fields(int count, int depth) {
    List<NestedField> fields = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      int id = nextId();
      Type type = type(depth);
      String name = pick("f", "col \"x\"", "ä;--", "Name", "name", "filename", "9") + id;
      fields.add(
          chance(75) ? NestedField.optional(id, name, type) : NestedField.required(id, name, type));
    }
    return fields;
  }

  Record row(Types.StructType struct) {
    GenericRecord row = GenericRecord.create(struct);
    List<NestedField> fields = struct.fields();
    for (int i = 0; i < fields.size(); i++) {
      row.set(i, value(fields.get(i)));
    }
    return row;
  }

  private @Nullable Object value(NestedField field) {
    return field.isOptional() && chance(15) ? null : value(field.type());
  }

  /** Not the lowest numbers: Iceberg's truncate overflows there, and its own pruning hides them. */
  Object value(Type type) {
    return switch (type.typeId()) {
      case BOOLEAN -> random.nextBoolean();
      case INTEGER ->
          pick(
              0,
              -1,
              7,
              Integer.MIN_VALUE + 3,
              Integer.MAX_VALUE,
              random.nextInt(),
              random.nextInt(9));
      case LONG -> pick(0L, -1L, Long.MIN_VALUE + 3, Long.MAX_VALUE, random.nextLong(), 5L);
      case FLOAT ->
          pick(
              0f,
              -0f,
              1.5f,
              Float.NaN,
              Float.MIN_VALUE,
              Float.MAX_VALUE,
              Float.NEGATIVE_INFINITY,
              Float.POSITIVE_INFINITY,
              random.nextFloat(),
              (float) random.nextGaussian());
      case DOUBLE ->
          pick(
              0d,
              -0d,
              1.5d,
              Double.NaN,
              Double.MIN_VALUE,
              Double.MAX_VALUE,
              Double.NEGATIVE_INFINITY,
              Double.POSITIVE_INFINITY,
              random.nextDouble(),
              random.nextGaussian());
      case DATE ->
          LocalDate.ofEpochDay(pick(0, -1, 20_000, -719_162, 2_932_896, random.nextInt(40_000)));
      case TIME -> LocalTime.ofNanoOfDay(pick(0L, 86_399_999_999L, micros(86_400)) * 1000);
      case TIMESTAMP -> {
        long micros = pick(0L, -1L, micros(2_000_000_000), -micros(2_000_000_000), 3_600_000_000L);
        OffsetDateTime time = EPOCH.plus(micros, ChronoUnit.MICROS);
        yield ((Types.TimestampType) type).shouldAdjustToUTC() ? time : time.toLocalDateTime();
      }
      case TIMESTAMP_NANO -> {
        long nanos =
            pick(0L, -1L, 1L, micros(2_000_000_000) * 1000 + 7, -micros(2_000_000_000) * 1000 - 1);
        OffsetDateTime time = EPOCH.plusNanos(nanos);
        LocalDateTime local = time.toLocalDateTime();
        yield ((Types.TimestampNanoType) type).shouldAdjustToUTC() ? time : local;
      }
      case STRING -> pick(TEXTS) + (chance(50) ? random.nextInt(20) : "");
      case UUID -> new UUID(pick(random.nextLong(), 0L, -1L), pick(random.nextLong(), 0L, -1L));
      case FIXED -> bytes(((Types.FixedType) type).length());
      case BINARY -> ByteBuffer.wrap(bytes(pick(0, 1, 3, 20, 300)));
      case DECIMAL -> decimal((Types.DecimalType) type);
      case STRUCT -> row(type.asStructType());
      case LIST -> list(type.asListType());
      case MAP -> map(type.asMapType());
      case UNKNOWN, GEOMETRY, GEOGRAPHY, VARIANT ->
          throw new IllegalArgumentException(type.toString());
    };
  }

  private long micros(int seconds) {
    return random.nextInt(seconds) * 1_000_000L + random.nextInt(1_000_000);
  }

  private byte[] bytes(int length) {
    byte[] bytes = new byte[length];
    random.nextBytes(bytes);
    if (chance(20)) {
      java.util.Arrays.fill(bytes, (byte) 0xff);
    }
    return bytes;
  }

  private BigDecimal decimal(Types.DecimalType type) {
    BigInteger limit = BigInteger.TEN.pow(type.precision());
    BigInteger unscaled =
        pick(
            BigInteger.ZERO,
            BigInteger.ONE.negate(),
            limit.subtract(BigInteger.ONE),
            limit.subtract(BigInteger.ONE).negate(),
            new BigInteger(limit.bitLength() - 1, random),
            new BigInteger(limit.bitLength() - 1, random).negate());
    return new BigDecimal(unscaled, type.scale());
  }

  private List<@Nullable Object> list(Types.ListType type) {
    List<@Nullable Object> values = new ArrayList<>();
    int count = random.nextInt(4);
    for (int i = 0; i < count; i++) {
      values.add(value(type.fields().getFirst()));
    }
    return values;
  }

  private Map<Object, @Nullable Object> map(Types.MapType type) {
    Map<Object, @Nullable Object> entries = new LinkedHashMap<>();
    int count = random.nextInt(4);
    for (int i = 0; i < count; i++) {
      entries.put(value(type.keyType()), value(type.fields().get(1)));
    }
    return entries;
  }
}
