package io.wings.worker.engine;

import java.math.BigInteger;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.vector.FieldVector;

/** What must hold for the values of a column before they are taken over. */
@FunctionalInterface
interface ColumnCheck {
  long MICROS_PER_DAY = 86_400_000_000L;

  /** Throws what {@link ColumnError} makes when a live slot of {@code source} breaks the rule. */
  void check(FieldVector source, Slots slots);

  /** Neither encoder would notice a null where the schema allows none. */
  static ColumnCheck noNulls(String column) {
    return (source, slots) -> {
      if (source.getNullCount() == 0) {
        return;
      }
      for (int i = 0; i < source.getValueCount(); i++) {
        if (source.isNull(i) && slots.live(i)) {
          throw ColumnError.isNull(column, i);
        }
      }
    };
  }

  /** Readers refuse a time that is not within a day. */
  static ColumnCheck timeOfDay(String column) {
    return (source, slots) -> {
      ArrowBuf data = source.getDataBuffer();
      for (int i = 0; i < source.getValueCount(); i++) {
        if (!source.isNull(i)) {
          long micros = data.getLong((long) i * Long.BYTES);
          if ((micros < 0 || micros >= MICROS_PER_DAY) && slots.live(i)) {
            throw ColumnError.value(column, i, "is not a time of day");
          }
        }
      }
    };
  }

  /** A decimal with too many digits would silently become another number. */
  static ColumnCheck decimalFits(String column, int precision) {
    BigInteger limit = BigInteger.TEN.pow(precision);
    long limitHigh = limit.shiftRight(Long.SIZE).longValueExact();
    long limitLow = limit.longValue();
    return (source, slots) -> {
      ArrowBuf data = source.getDataBuffer();
      for (int i = 0; i < source.getValueCount(); i++) {
        if (!source.isNull(i)) {
          long low = data.getLong(16L * i);
          long high = data.getLong(16L * i + Long.BYTES);
          if (high < 0) {
            low = -low;
            high = ~high + (low == 0 ? 1 : 0);
          }
          boolean fits =
              high >= 0
                  && (high < limitHigh
                      || (high == limitHigh && Long.compareUnsigned(low, limitLow) < 0));
          if (!fits && slots.live(i)) {
            throw ColumnError.value(column, i, "has more than " + precision + " digits");
          }
        }
      }
    };
  }
}
