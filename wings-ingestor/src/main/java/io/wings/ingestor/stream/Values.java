package io.wings.ingestor.stream;

import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.IntBuffer;
import java.util.concurrent.TimeUnit;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.vector.types.pojo.ArrowType;

/** Checks values against what their type says; null slots may hold anything. */
final class Values {
  private static final long MILLIS_PER_DAY = TimeUnit.DAYS.toMillis(1);

  void check(Column column, Place place) {
    switch (column.type()) {
      case ArrowType.Utf8 _ -> text(column, place);
      case ArrowType.Decimal type -> decimals(column, type, place);
      case ArrowType.Date type -> dates(column, type, place);
      case ArrowType.Time type -> times(column, type, place);
      default -> {}
    }
  }

  /**
   * The integer at {@code index} of a column of integers, dates, times or timestamps, by its own
   * width and sign; an unsigned long is returned as its bits.
   */
  static long integer(Column column, int index) {
    ArrowBuf data = column.data();
    boolean signed = !(column.type() instanceof ArrowType.Int t) || t.getIsSigned();
    return switch (Layout.of(column.type())) {
      case Layout.Fixed(int width) when width == 1 ->
          signed ? data.getByte(index) : data.getByte(index) & 0xff;
      case Layout.Fixed(int width) when width == 2 ->
          signed ? data.getShort(2L * index) : data.getShort(2L * index) & 0xffff;
      case Layout.Fixed(int width) when width == 4 ->
          signed ? data.getInt(4L * index) : Integer.toUnsignedLong(data.getInt(4L * index));
      default -> data.getLong(8L * index);
    };
  }

  private static void text(Column column, Place place) {
    IntBuffer offsets = column.offsetInts();
    ByteBuffer data = Column.bytes(column.data());
    int start = offsets.get(0);
    int end = offsets.get(column.length());
    if (Utf8.isValid(data, start, end) && splitsBetweenCharacters(offsets, column.length(), data)) {
      return;
    }
    for (int i = 0; i < column.length(); i++) {
      if (!column.isNull(i) && !Utf8.isValid(data, offsets.get(i), offsets.get(i + 1))) {
        throw place.malformed(i, "text", "UTF-8", "other bytes");
      }
    }
  }

  /** No value begins within a character, given that all bytes together are UTF-8. */
  private static boolean splitsBetweenCharacters(IntBuffer offsets, int length, ByteBuffer data) {
    int end = offsets.get(length);
    for (int i = 0; i < length; i++) {
      int at = offsets.get(i);
      if (at < end && Utf8.continues(data.get(at))) {
        return false;
      }
    }
    return true;
  }

  private static void decimals(Column column, ArrowType.Decimal type, Place place) {
    BigInteger bound = BigInteger.TEN.pow(type.getPrecision());
    if (type.getBitWidth() <= Long.SIZE || type.getPrecision() <= 18) {
      long most = bound.longValueExact() - 1;
      for (int i = 0; i < column.length(); i++) {
        if (!column.isNull(i) && !fits(column, type, i, most)) {
          throw badDecimal(column, type, i, place);
        }
      }
      return;
    }
    for (int i = 0; i < column.length(); i++) {
      if (!column.isNull(i)
          && !isLong(column, type, i)
          && Decimals.get(column, type, i).abs().compareTo(bound) >= 0) {
        throw badDecimal(column, type, i, place);
      }
    }
  }

  private static RuntimeException badDecimal(
      Column column, ArrowType.Decimal type, int i, Place place) {
    return place.malformed(
        i,
        "decimal",
        "at most " + type.getPrecision() + " digits",
        Decimals.get(column, type, i).toString());
  }

  private static boolean fits(Column column, ArrowType.Decimal type, int i, long most) {
    if (!isLong(column, type, i)) {
      return false;
    }
    long value =
        type.getBitWidth() == Integer.SIZE
            ? column.data().getInt(4L * i)
            : column.data().getLong((long) i * type.getBitWidth() / 8);
    return value >= -most && value <= most;
  }

  /** The value fits into 64 bits; then it is within any precision above 18. */
  private static boolean isLong(Column column, ArrowType.Decimal type, int i) {
    int width = type.getBitWidth() / 8;
    if (width <= Long.BYTES) {
      return true;
    }
    long at = (long) i * width;
    long sign = column.data().getLong(at) >> 63;
    for (int word = Long.BYTES; word < width; word += Long.BYTES) {
      if (column.data().getLong(at + word) != sign) {
        return false;
      }
    }
    return true;
  }

  private static void dates(Column column, ArrowType.Date type, Place place) {
    if (Layout.of(type) instanceof Layout.Fixed(int width) && width == Integer.BYTES) {
      return;
    }
    for (int i = 0; i < column.length(); i++) {
      long millis = integer(column, i);
      if (!column.isNull(i)
          && (millis % MILLIS_PER_DAY != 0
              || millis / MILLIS_PER_DAY != (int) (millis / MILLIS_PER_DAY))) {
        throw place.malformed(i, "date", "milliseconds of a whole day", Long.toString(millis));
      }
    }
  }

  private static void times(Column column, ArrowType.Time type, Place place) {
    long day =
        switch (type.getUnit()) {
          case SECOND -> TimeUnit.DAYS.toSeconds(1);
          case MILLISECOND -> MILLIS_PER_DAY;
          case MICROSECOND -> TimeUnit.DAYS.toMicros(1);
          case NANOSECOND -> TimeUnit.DAYS.toNanos(1);
        };
    for (int i = 0; i < column.length(); i++) {
      long time = integer(column, i);
      if (!column.isNull(i) && (time < 0 || time >= day)) {
        throw place.malformed(i, "time", "one within a day", Long.toString(time));
      }
    }
  }
}
