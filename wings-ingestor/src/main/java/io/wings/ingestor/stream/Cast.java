package io.wings.ingestor.stream;

import io.wings.common.error.WingsException;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.vector.types.FloatingPointPrecision;
import org.apache.arrow.vector.types.pojo.ArrowType;

/** Widens the values of a primitive column; which pairs are allowed was decided by the schemas. */
final class Cast {
  private static final long MILLIS_PER_DAY = TimeUnit.DAYS.toMillis(1);

  private final Column from;
  private final ArrowType to;
  private final Arena arena;
  private final Place place;

  private Cast(Column from, ArrowType to, Arena arena, Place place) {
    this.from = from;
    this.to = to;
    this.arena = arena;
    this.place = place;
  }

  static Column of(Column from, ArrowType to, Arena arena, Place place) {
    if (from.type().equals(to)) {
      return from;
    }
    return new Cast(from, to, arena, place).widen();
  }

  private Column widen() {
    return switch (to) {
      case ArrowType.Int target -> integers(target);
      case ArrowType.FloatingPoint target -> floats(target);
      case ArrowType.Decimal _ -> decimals();
      case ArrowType.Date _ -> days();
      case ArrowType.Time target -> times(target);
      case ArrowType.Timestamp target -> timestamps(target);
      case ArrowType.Utf8 _ -> from.as(to);
      case ArrowType.Binary _ -> from.type() instanceof ArrowType.Binary ? from : fixedToBytes();
      default -> throw unknown();
    };
  }

  private IllegalStateException unknown() {
    return new IllegalStateException("no way from " + from.type() + " to " + to);
  }

  private Column with(ArrowBuf data) {
    return new Column(
        to, from.length(), from.nulls(), from.validity(), arena.empty(), data, from.children());
  }

  private Column integers(ArrowType.Int target) {
    boolean wide = target.getBitWidth() == Long.SIZE;
    ArrowBuf data = arena.allocate((long) from.length() * target.getBitWidth() / 8);
    ByteBuffer out = Column.bytes(data);
    for (int i = 0; i < from.length(); i++) {
      long value = Values.integer(from, i);
      if (wide) {
        out.putLong(i * Long.BYTES, value);
      } else {
        out.putInt(i * Integer.BYTES, (int) value);
      }
    }
    return with(data);
  }

  private Column floats(ArrowType.FloatingPoint target) {
    boolean toDouble = target.getPrecision() == FloatingPointPrecision.DOUBLE;
    boolean half =
        ((ArrowType.FloatingPoint) from.type()).getPrecision() == FloatingPointPrecision.HALF;
    ArrowBuf data = arena.allocate((long) from.length() * (toDouble ? 8 : 4));
    for (int i = 0; i < from.length(); i++) {
      float value =
          half ? Float.float16ToFloat(from.data().getShort(2L * i)) : from.data().getFloat(4L * i);
      if (toDouble) {
        data.setDouble(8L * i, value);
      } else {
        data.setFloat(4L * i, value);
      }
    }
    return with(data);
  }

  /** From decimals of any width, and from integers, to 16 bytes. */
  private Column decimals() {
    ArrowBuf data = arena.allocate(16L * from.length());
    switch (from.type()) {
      case ArrowType.Int type -> {
        boolean unsigned = !type.getIsSigned();
        for (int i = 0; i < from.length(); i++) {
          long value = Values.integer(from, i);
          Decimals.put(data, i, value, unsigned ? 0 : value >> 63);
        }
      }
      case ArrowType.Decimal type -> {
        switch (type.getBitWidth()) {
          case 128 -> {
            return from.as(to);
          }
          case 32, 64 -> {
            for (int i = 0; i < from.length(); i++) {
              long value =
                  type.getBitWidth() == 32
                      ? from.data().getInt(4L * i)
                      : from.data().getLong(8L * i);
              Decimals.put(data, i, value, value >> 63);
            }
          }
          default -> wideDecimals(type, data);
        }
      }
      default -> throw unknown();
    }
    return with(data);
  }

  private void wideDecimals(ArrowType.Decimal type, ArrowBuf data) {
    for (int i = 0; i < from.length(); i++) {
      if (from.isNull(i)) {
        Decimals.put(data, i, 0, 0);
        continue;
      }
      BigInteger value = Decimals.get(from, type, i);
      Decimals.put(data, i, value.longValue(), value.shiftRight(Long.SIZE).longValue());
    }
  }

  private Column days() {
    ArrowBuf data = arena.allocate(4L * from.length());
    for (int i = 0; i < from.length(); i++) {
      data.setInt(4L * i, (int) Math.floorDiv(from.data().getLong(8L * i), MILLIS_PER_DAY));
    }
    return with(data);
  }

  private Column times(ArrowType.Time target) {
    long factor = perSecond(target.getUnit()) / perSecond(((ArrowType.Time) from.type()).getUnit());
    ArrowBuf data = arena.allocate(8L * from.length());
    for (int i = 0; i < from.length(); i++) {
      data.setLong(8L * i, Values.integer(from, i) * factor);
    }
    return with(data);
  }

  private Column timestamps(ArrowType.Timestamp target) {
    ArrowType.Timestamp source = (ArrowType.Timestamp) from.type();
    if (source.getUnit() == target.getUnit()) {
      return from.as(to);
    }
    long factor = perSecond(target.getUnit()) / perSecond(source.getUnit());
    long most = Long.MAX_VALUE / factor;
    ArrowBuf data = arena.allocate(8L * from.length());
    for (int i = 0; i < from.length(); i++) {
      long value = from.data().getLong(8L * i);
      if (value > most || value < -most) {
        if (!from.isNull(i)) {
          throw outOfRange(i, target, value);
        }
        value = 0;
      }
      data.setLong(8L * i, value * factor);
    }
    return with(data);
  }

  private WingsException outOfRange(int i, ArrowType.Timestamp target, long value) {
    return place.value(
        i,
        "value-out-of-range",
        "a timestamp that " + target.getUnit() + "s of 64 bits can hold",
        value + " " + ((ArrowType.Timestamp) from.type()).getUnit() + "s");
  }

  private static long perSecond(org.apache.arrow.vector.types.TimeUnit unit) {
    return switch (unit) {
      case SECOND -> 1;
      case MILLISECOND -> 1_000;
      case MICROSECOND -> 1_000_000;
      case NANOSECOND -> 1_000_000_000;
    };
  }

  private Column fixedToBytes() {
    if (!(from.type() instanceof ArrowType.FixedSizeBinary type)) {
      throw unknown();
    }
    ArrowBuf offsets = arena.allocate((from.length() + 1L) * Integer.BYTES);
    for (int i = 0; i <= from.length(); i++) {
      offsets.setInt(4L * i, i * type.getByteWidth());
    }
    return new Column(
        to, from.length(), from.nulls(), from.validity(), offsets, from.data(), from.children());
  }
}
