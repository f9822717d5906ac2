package io.wings.ingestor.stream;

import java.nio.ByteBuffer;
import org.apache.arrow.memory.ArrowBuf;

/** Bits, the lowest of each byte first. */
final class Bitmap {
  private Bitmap() {}

  /** How many of the first {@code length} bits are set. */
  static int count(ArrowBuf bits, int length) {
    ByteBuffer bytes = Column.bytes(bits);
    int set = 0;
    int at = 0;
    int whole = length >> 3;
    for (; at + Long.BYTES <= whole; at += Long.BYTES) {
      set += Long.bitCount(bytes.getLong(at));
    }
    for (; at < whole; at++) {
      set += Integer.bitCount(bytes.get(at) & 0xff);
    }
    int rest = length & 7;
    if (rest != 0) {
      set += Integer.bitCount(bytes.get(at) & ((1 << rest) - 1));
    }
    return set;
  }

  static void set(ArrowBuf bits, int index) {
    long at = index >> 3;
    bits.setByte(at, bits.getByte(at) | 1 << (index & 7));
  }
}
