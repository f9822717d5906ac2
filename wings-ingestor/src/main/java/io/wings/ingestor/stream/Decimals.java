package io.wings.ingestor.stream;

import java.math.BigInteger;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.vector.types.pojo.ArrowType;

/** Unscaled decimals of 4, 8, 16 or 32 little-endian bytes. */
final class Decimals {
  private Decimals() {}

  static BigInteger get(Column column, ArrowType.Decimal type, int index) {
    int width = type.getBitWidth() / 8;
    byte[] big = new byte[width];
    long at = (long) index * width;
    for (int i = 0; i < width; i++) {
      big[width - 1 - i] = column.data().getByte(at + i);
    }
    return new BigInteger(big);
  }

  /** Writes 16 bytes: the value's low 64 bits, then its high ones. */
  static void put(ArrowBuf to, int index, long low, long high) {
    to.setLong(16L * index, low);
    to.setLong(16L * index + 8, high);
  }
}
