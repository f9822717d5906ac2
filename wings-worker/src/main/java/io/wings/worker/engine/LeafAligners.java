package io.wings.worker.engine;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.List;
import java.util.function.Function;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.vector.BaseIntVector;
import org.apache.arrow.vector.BaseLargeVariableWidthVector;
import org.apache.arrow.vector.DateDayVector;
import org.apache.arrow.vector.DateMilliVector;
import org.apache.arrow.vector.Decimal256Vector;
import org.apache.arrow.vector.DecimalVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.FixedSizeBinaryVector;
import org.apache.arrow.vector.Float2Vector;
import org.apache.arrow.vector.Float4Vector;
import org.apache.arrow.vector.TimeMilliVector;
import org.apache.arrow.vector.TimeNanoVector;
import org.apache.arrow.vector.TimeSecVector;
import org.apache.arrow.vector.TimeStampVector;
import org.apache.arrow.vector.UInt8Vector;
import org.apache.arrow.vector.VariableWidthFieldVector;
import org.apache.arrow.vector.ipc.message.ArrowFieldNode;
import org.apache.arrow.vector.types.FloatingPointPrecision;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types.DecimalType;
import org.apache.iceberg.types.Types.FixedType;
import org.apache.iceberg.types.Types.TimestampNanoType;
import org.apache.iceberg.types.Types.TimestampType;
import org.jspecify.annotations.Nullable;

/**
 * Which Arrow types become which primitive Iceberg types, and how: what Wings makes of an Arrow
 * type when it creates a table, and what Iceberg allows a column to be widened to. Nothing that
 * loses information is allowed; a value that doesn't fit is refused.
 */
final class LeafAligners {
  private static final long MILLIS_PER_DAY = 86_400_000;
  private static final long MICROS_PER_DAY = ColumnCheck.MICROS_PER_DAY;

  private LeafAligners() {}

  /** A fixed-width value as bits. */
  @FunctionalInterface
  private interface Bits {
    /**
     * @throws ArithmeticException when the target can't hold it
     */
    long at(int slot);
  }

  /** Null when values of {@code source} can't become values of {@code target}. */
  static @Nullable ColumnAligner of(ArrowType source, Type target, String column) {
    return switch (target.typeId()) {
      case BOOLEAN -> source instanceof ArrowType.Bool ? ColumnAligner.SHARED : null;
      case INTEGER, LONG -> integers(source, target.typeId() == Type.TypeID.LONG, column);
      case FLOAT, DOUBLE -> floats(source, target.typeId() == Type.TypeID.DOUBLE, column);
      case DATE -> dates(source, column);
      case TIME -> times(source, column);
      case TIMESTAMP -> timestamps(source, ((TimestampType) target).shouldAdjustToUTC(), 1, column);
      case TIMESTAMP_NANO ->
          timestamps(source, ((TimestampNanoType) target).shouldAdjustToUTC(), 1000, column);
      case STRING -> strings(source, column);
      case BINARY, GEOMETRY, GEOGRAPHY -> binaries(source, column);
      case UUID -> fixed(source, 16);
      case FIXED -> fixed(source, ((FixedType) target).length());
      case DECIMAL -> decimals(source, (DecimalType) target, column);
      case STRUCT, LIST, MAP, VARIANT, UNKNOWN -> null;
    };
  }

  private static @Nullable ColumnAligner integers(ArrowType source, boolean wide, String column) {
    if (!(source instanceof ArrowType.Int type)) {
      return null;
    }
    int width = wide ? Long.SIZE : Integer.SIZE;
    if (type.getIsSigned() && type.getBitWidth() == width) {
      return ColumnAligner.SHARED;
    }
    boolean narrower = type.getBitWidth() < width;
    return narrower ? convert(width, column, v -> ((BaseIntVector) v)::getValueAsLong) : null;
  }

  private static @Nullable ColumnAligner floats(ArrowType source, boolean wide, String column) {
    if (!(source instanceof ArrowType.FloatingPoint type)) {
      return null;
    }
    FloatingPointPrecision target =
        wide ? FloatingPointPrecision.DOUBLE : FloatingPointPrecision.SINGLE;
    if (type.getPrecision() == target) {
      return ColumnAligner.SHARED;
    }
    return switch (type.getPrecision()) {
      case HALF ->
          wide
              ? convert(
                  Long.SIZE,
                  column,
                  v -> i -> Double.doubleToRawLongBits(((Float2Vector) v).getValueAsFloat(i)))
              : convert(
                  Integer.SIZE,
                  column,
                  v -> i -> Float.floatToRawIntBits(((Float2Vector) v).getValueAsFloat(i)));
      case SINGLE ->
          convert(
              Long.SIZE, column, v -> i -> Double.doubleToRawLongBits(((Float4Vector) v).get(i)));
      case DOUBLE -> null;
    };
  }

  private static @Nullable ColumnAligner dates(ArrowType source, String column) {
    if (!(source instanceof ArrowType.Date type)) {
      return null;
    }
    return switch (type.getUnit()) {
      case DAY -> ColumnAligner.SHARED;
      case MILLISECOND ->
          convert(
              Integer.SIZE,
              column,
              v ->
                  i ->
                      Math.toIntExact(exactQuotient(((DateMilliVector) v).get(i), MILLIS_PER_DAY)));
    };
  }

  private static @Nullable ColumnAligner times(ArrowType source, String column) {
    if (!(source instanceof ArrowType.Time type)) {
      return null;
    }
    return switch (type.getUnit()) {
      case SECOND ->
          convert(Long.SIZE, column, v -> i -> day(((TimeSecVector) v).get(i) * 1_000_000L));
      case MILLISECOND ->
          convert(Long.SIZE, column, v -> i -> day(((TimeMilliVector) v).get(i) * 1_000L));
      case MICROSECOND -> ColumnAligner.checked(ColumnCheck.timeOfDay(column));
      case NANOSECOND ->
          convert(
              Long.SIZE, column, v -> i -> day(exactQuotient(((TimeNanoVector) v).get(i), 1000)));
    };
  }

  /**
   * @param unitsPerMicro 1 for a target in microseconds, 1000 for one in nanoseconds
   */
  private static @Nullable ColumnAligner timestamps(
      ArrowType source, boolean zoned, long unitsPerMicro, String column) {
    if (source instanceof ArrowType.Date date && !zoned) {
      Function<FieldVector, Bits> days =
          switch (date.getUnit()) {
            case DAY ->
                v ->
                    i ->
                        Math.multiplyExact(
                            ((DateDayVector) v).get(i), MICROS_PER_DAY * unitsPerMicro);
            case MILLISECOND ->
                v -> i -> Math.multiplyExact(((DateMilliVector) v).get(i), 1000 * unitsPerMicro);
          };
      return convert(Long.SIZE, column, days);
    }
    if (!(source instanceof ArrowType.Timestamp type) || (type.getTimezone() != null) != zoned) {
      return null;
    }
    long factor =
        switch (type.getUnit()) {
          case SECOND -> 1_000_000 * unitsPerMicro;
          case MILLISECOND -> 1_000 * unitsPerMicro;
          case MICROSECOND -> unitsPerMicro;
          case NANOSECOND -> unitsPerMicro == 1000 ? 1 : 0;
        };
    if (factor == 0) {
      return null;
    }
    return factor == 1
        ? ColumnAligner.SHARED
        : convert(
            Long.SIZE, column, v -> i -> Math.multiplyExact(((TimeStampVector) v).get(i), factor));
  }

  private static @Nullable ColumnAligner strings(ArrowType source, String column) {
    return switch (source) {
      case ArrowType.Utf8 _ -> ColumnAligner.SHARED;
      case ArrowType.LargeUtf8 _ -> narrowOffsets(column);
      case ArrowType.Utf8View _ -> fromView(column);
      default -> null;
    };
  }

  private static @Nullable ColumnAligner binaries(ArrowType source, String column) {
    return switch (source) {
      case ArrowType.Binary _ -> ColumnAligner.SHARED;
      case ArrowType.LargeBinary _ -> narrowOffsets(column);
      case ArrowType.BinaryView _ -> fromView(column);
      case ArrowType.FixedSizeBinary fixed -> fixedToBinary(fixed.getByteWidth(), column);
      default -> null;
    };
  }

  private static @Nullable ColumnAligner fixed(ArrowType source, int width) {
    return source instanceof ArrowType.FixedSizeBinary type && type.getByteWidth() == width
        ? ColumnAligner.SHARED
        : null;
  }

  private static @Nullable ColumnAligner decimals(
      ArrowType source, DecimalType target, String column) {
    if (source instanceof ArrowType.Int type && type.getBitWidth() == Long.SIZE) {
      return !type.getIsSigned() && target.scale() == 0
          ? toDecimal(target, column, v -> i -> unsigned(((UInt8Vector) v).get(i)))
          : null;
    }
    if (!(source instanceof ArrowType.Decimal type) || type.getScale() != target.scale()) {
      return null;
    }
    return switch (type.getBitWidth()) {
      case 128 -> ColumnAligner.checked(ColumnCheck.decimalFits(column, target.precision()));
      case 256 -> toDecimal(target, column, v -> ((Decimal256Vector) v)::getObject);
      default -> null;
    };
  }

  private static BigDecimal unsigned(long bits) {
    BigInteger low = BigInteger.valueOf(bits & Long.MAX_VALUE);
    return new BigDecimal(bits < 0 ? low.setBit(Long.SIZE - 1) : low);
  }

  private static ColumnAligner toDecimal(
      DecimalType type, String column, Function<FieldVector, Function<Integer, BigDecimal>> read) {
    return (source, slots, target) -> {
      DecimalVector decimals = (DecimalVector) target;
      int count = source.getValueCount();
      decimals.allocateNew(count);
      Function<Integer, BigDecimal> values = read.apply(source);
      for (int i = 0; i < count; i++) {
        if (!source.isNull(i)) {
          BigDecimal value = values.apply(i);
          if (value.precision() <= type.precision()) {
            decimals.set(i, value);
          } else if (slots.live(i)) {
            throw ColumnError.value(column, i, "has more than " + type.precision() + " digits");
          }
        }
      }
      decimals.setValueCount(count);
    };
  }

  private static ColumnAligner convert(
      int width, String column, Function<FieldVector, Bits> reader) {
    return (source, slots, target) -> {
      int count = source.getValueCount();
      int nulls = source.getNullCount();
      Bits bits = reader.apply(source);
      try (ArrowBuf data = target.getAllocator().buffer((long) count * (width / Byte.SIZE))) {
        for (int i = 0; i < count; i++) {
          long value = nulls > 0 && source.isNull(i) ? 0 : read(bits, i, slots, column);
          if (width == Integer.SIZE) {
            data.setInt((long) i * Integer.BYTES, (int) value);
          } else {
            data.setLong((long) i * Long.BYTES, value);
          }
        }
        data.writerIndex((long) count * (width / Byte.SIZE));
        target.loadFieldBuffers(
            new ArrowFieldNode(count, nulls), List.of(source.getValidityBuffer(), data));
      }
    };
  }

  private static long read(Bits bits, int slot, Slots slots, String column) {
    try {
      return bits.at(slot);
    } catch (ArithmeticException e) {
      if (slots.live(slot)) {
        throw ColumnError.value(column, slot, "doesn't fit the table's type exactly");
      }
      return 0;
    }
  }

  private static long exactQuotient(long value, long divisor) {
    if (value % divisor != 0) {
      throw new ArithmeticException();
    }
    return value / divisor;
  }

  private static long day(long micros) {
    if (micros < 0 || micros >= MICROS_PER_DAY) {
      throw new ArithmeticException();
    }
    return micros;
  }

  private static ColumnAligner narrowOffsets(String column) {
    return (source, slots, target) -> {
      int count = source.getValueCount();
      ArrowBuf wide = ((BaseLargeVariableWidthVector) source).getOffsetBuffer();
      try (ArrowBuf offsets = target.getAllocator().buffer((count + 1L) * Integer.BYTES)) {
        for (int i = 0; i <= count; i++) {
          long offset = wide.capacity() == 0 ? 0 : wide.getLong((long) i * Long.BYTES);
          if (offset > Integer.MAX_VALUE) {
            throw ColumnError.batch("column " + column + " has more than 2 GiB in one batch");
          }
          offsets.setInt((long) i * Integer.BYTES, (int) offset);
        }
        load(source, source.getDataBuffer(), offsets, target);
      }
    };
  }

  private static ColumnAligner fixedToBinary(int width, String column) {
    return (source, slots, target) -> {
      int count = source.getValueCount();
      if ((long) count * width > Integer.MAX_VALUE) {
        throw ColumnError.batch("column " + column + " has more than 2 GiB in one batch");
      }
      try (ArrowBuf offsets = target.getAllocator().buffer((count + 1L) * Integer.BYTES)) {
        for (int i = 0; i <= count; i++) {
          offsets.setInt((long) i * Integer.BYTES, i * width);
        }
        load(source, ((FixedSizeBinaryVector) source).getDataBuffer(), offsets, target);
      }
    };
  }

  private static void load(
      FieldVector source, ArrowBuf data, ArrowBuf offsets, FieldVector target) {
    int count = source.getValueCount();
    offsets.writerIndex((count + 1L) * Integer.BYTES);
    target.loadFieldBuffers(
        new ArrowFieldNode(count, source.getNullCount()),
        List.of(source.getValidityBuffer(), offsets, data));
  }

  private static ColumnAligner fromView(String column) {
    return (source, slots, target) -> {
      VariableWidthFieldVector views = (VariableWidthFieldVector) source;
      VariableWidthFieldVector values = (VariableWidthFieldVector) target;
      int count = source.getValueCount();
      long bytes = 0;
      for (int i = 0; i < count; i++) {
        bytes += views.isNull(i) ? 0 : views.getValueLength(i);
      }
      if (bytes > Integer.MAX_VALUE) {
        throw ColumnError.batch("column " + column + " has more than 2 GiB in one batch");
      }
      values.allocateNew(bytes, count);
      for (int i = 0; i < count; i++) {
        if (!views.isNull(i)) {
          values.setSafe(i, views.get(i));
        }
      }
      values.setValueCount(count);
    };
  }
}
