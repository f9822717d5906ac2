package io.wings.ingestor.stream;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.IntBuffer;
import java.util.List;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.jspecify.annotations.Nullable;

/**
 * Plain values of one field, checked. The buffers belong to an {@link Arena}.
 *
 * <p>By type: null and struct have no buffers beside validity; fixed widths and bits have data;
 * text and bytes have offsets of 4 bytes and data; lists and maps have offsets of 4 bytes and one
 * child. No other layout occurs.
 *
 * @param nulls exact
 * @param validity a bit for each value; absent when there are no nulls
 * @param offsets empty where the type has none, else length + 1 values, monotone, within the child
 *     or data
 * @param data empty where the type has none
 */
record Column(
    ArrowType type,
    int length,
    int nulls,
    @Nullable ArrowBuf validity,
    ArrowBuf offsets,
    ArrowBuf data,
    List<Column> children) {

  boolean isNull(int index) {
    return type instanceof ArrowType.Null || (validity != null && !bit(validity, index));
  }

  static boolean bit(ArrowBuf bits, int index) {
    return (bits.getByte(index >> 3) >> (index & 7) & 1) != 0;
  }

  IntBuffer offsetInts() {
    return ints(offsets);
  }

  Column child(int index) {
    return children.get(index);
  }

  static ByteBuffer bytes(ArrowBuf buffer) {
    if (buffer.capacity() == 0) {
      return ByteBuffer.allocate(0);
    }
    return buffer.nioBuffer(0, Math.toIntExact(buffer.capacity())).order(ByteOrder.LITTLE_ENDIAN);
  }

  static IntBuffer ints(ArrowBuf buffer) {
    return bytes(buffer).asIntBuffer();
  }

  /** The same values under another type of the same layout. */
  Column as(ArrowType other) {
    return new Column(other, length, nulls, validity, offsets, data, children);
  }
}
