package io.wings.common.flight;

import java.util.Arrays;

/**
 * A cursor over the top-level fields of one serialised protobuf message; values are located, not
 * decoded. Never reads outside the array, whatever the bytes say.
 */
final class ProtobufFields {
  static final int VARINT = 0;
  static final int FIXED_64 = 1;
  static final int LENGTH_DELIMITED = 2;
  static final int FIXED_32 = 5;

  private static final int MAX_VARINT_BYTES = 10;

  private final byte[] bytes;
  private int at;
  private int fieldStart;
  private int valueStart;
  private int number;
  private int wireType;

  /** The bytes are no protobuf message; the text says why and at which byte. */
  static final class MalformedException extends Exception {
    private static final long serialVersionUID = 1L;

    MalformedException(String message) {
      super(message);
    }
  }

  ProtobufFields(byte[] bytes) {
    this.bytes = bytes;
  }

  /** Steps to the next field; false at the end of the message. */
  boolean next() throws MalformedException {
    if (at == bytes.length) {
      return false;
    }
    fieldStart = at;
    long tag = varint();
    number = (int) (tag >>> 3);
    wireType = (int) (tag & 7);
    if (tag < 0 || tag > 0xFFFF_FFFFL || number == 0) {
      throw malformed("field number out of range");
    }
    valueStart = at;
    switch (wireType) {
      case VARINT -> {
        long _ = varint();
      }
      case FIXED_64 -> skip(Long.BYTES);
      case FIXED_32 -> skip(Integer.BYTES);
      case LENGTH_DELIMITED -> {
        long length = varint();
        valueStart = at;
        skip(length);
      }
      default -> throw malformed("wire type " + wireType + " is not used by Flight");
    }
    return true;
  }

  private void skip(long length) throws MalformedException {
    if (length < 0 || length > bytes.length - at) {
      throw malformed(
          "a field of "
              + Long.toUnsignedString(length)
              + " bytes, but "
              + (bytes.length - at)
              + " are left");
    }
    at += (int) length;
  }

  private long varint() throws MalformedException {
    long value = 0;
    for (int i = 0; i < MAX_VARINT_BYTES; i++) {
      if (at == bytes.length) {
        throw malformed("the message ends inside a number");
      }
      byte b = bytes[at++];
      value |= (long) (b & 0x7F) << (7 * i);
      if (b >= 0) {
        return value;
      }
    }
    throw malformed("a number of more than " + MAX_VARINT_BYTES + " bytes");
  }

  MalformedException malformed(String what) {
    return new MalformedException(what + " (byte " + at + " of " + bytes.length + ")");
  }

  int number() {
    return number;
  }

  int wireType() {
    return wireType;
  }

  /** Where the field's tag begins. */
  int fieldStart() {
    return fieldStart;
  }

  /** Where the value begins, behind a length. */
  int valueStart() {
    return valueStart;
  }

  /** Just behind the value. */
  int valueEnd() {
    return at;
  }

  /** The tag and length that stand before {@code length} bytes of a value. */
  static byte[] lengthPrefix(int tag, int length) {
    byte[] prefix = new byte[MAX_VARINT_BYTES];
    int end = write(prefix, write(prefix, 0, tag), length);
    return Arrays.copyOf(prefix, end);
  }

  private static int write(byte[] target, int offset, int value) {
    int rest = value;
    int at = offset;
    while ((rest & ~0x7F) != 0) {
      target[at++] = (byte) ((rest & 0x7F) | 0x80);
      rest >>>= 7;
    }
    target[at++] = (byte) rest;
    return at;
  }
}
