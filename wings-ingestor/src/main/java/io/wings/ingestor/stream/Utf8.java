package io.wings.ingestor.stream;

import java.nio.ByteBuffer;

/** Is it UTF-8? By RFC 3629: no overlong forms, no surrogates, nothing above U+10FFFF. */
final class Utf8 {
  private static final long HIGH_BITS = 0x8080_8080_8080_8080L;

  private Utf8() {}

  /** Whether {@code b} can't be the first byte of a character. */
  static boolean continues(byte b) {
    return (b & 0xc0) == 0x80;
  }

  static boolean isValid(ByteBuffer bytes, int start, int end) {
    int at = start;
    while (at < end) {
      if (end - at >= Long.BYTES && (bytes.getLong(at) & HIGH_BITS) == 0) {
        at += Long.BYTES;
        continue;
      }
      int length = lengthAt(bytes, at, end);
      if (length == 0) {
        return false;
      }
      at += length;
    }
    return true;
  }

  /** Bytes of the character at {@code at}, 0 if there is none. */
  private static int lengthAt(ByteBuffer bytes, int at, int end) {
    int first = bytes.get(at) & 0xff;
    if (first < 0x80) {
      return 1;
    }
    int length = first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
    if (length == 0 || length > end - at) {
      return 0;
    }
    int second = bytes.get(at + 1) & 0xff;
    int low = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
    int high = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
    if (second < low || second > high) {
      return 0;
    }
    for (int i = 2; i < length; i++) {
      if (!continues(bytes.get(at + i))) {
        return 0;
      }
    }
    return length;
  }
}
