package io.wings.common.wal;

import java.util.Iterator;
import java.util.List;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.vector.BufferLayout;
import org.apache.arrow.vector.TypeLayout;
import org.apache.arrow.vector.ipc.message.ArrowFieldNode;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.Schema;

/**
 * Checks that a batch's nodes and buffers are those of its schema, and that no offset points
 * outside of what it points into.
 */
final class BatchLayout {
  private static final int OFFSET_BYTES = 4;

  private final List<ArrowFieldNode> nodes;
  private final List<Long> lengths;

  /**
   * @param lengths of the decompressed buffers, in bytes
   */
  BatchLayout(List<ArrowFieldNode> nodes, List<Long> lengths) {
    this.nodes = nodes;
    this.lengths = lengths;
  }

  /**
   * Sizes, before anything is decompressed.
   *
   * @throws IllegalArgumentException when they don't fit
   */
  void check(Schema schema, long rows) {
    Iterator<ArrowFieldNode> node = nodes.iterator();
    Iterator<Long> length = lengths.iterator();
    for (Field field : schema.getFields()) {
      check(field, node, length, rows);
    }
    require(!node.hasNext() && !length.hasNext(), "nodes or buffers that no field has");
  }

  /**
   * @param rows that the field must have, or -1 when its parent's offsets decide
   */
  private static void check(
      Field field, Iterator<ArrowFieldNode> nodes, Iterator<Long> lengths, long rows) {
    require(nodes.hasNext(), "a node is missing");
    ArrowFieldNode node = nodes.next();
    long count = node.getLength();
    require(rows < 0 || count == rows, "a field of " + count + " values, expected " + rows);
    List<BufferLayout> layouts = TypeLayout.getTypeLayout(field.getType()).getBufferLayouts();
    boolean variable =
        layouts.stream().anyMatch(layout -> layout.getType() == BufferLayout.BufferType.OFFSET);
    for (BufferLayout layout : layouts) {
      require(lengths.hasNext(), "a buffer is missing");
      long length = lengths.next();
      switch (layout.getType()) {
        case VALIDITY ->
            require(
                length * 8 >= count,
                "a validity buffer of " + length + " bytes for " + count + " values");
        case OFFSET ->
            require(
                count == 0 || length >= (count + 1) * OFFSET_BYTES,
                "an offset buffer of " + length + " bytes for " + count + " values");
        case DATA ->
            require(
                variable || length * 8 >= count * bitWidth(field.getType(), layout),
                "a data buffer of " + length + " bytes for " + count + " values");
        default -> throw new IllegalArgumentException("a buffer of type " + layout.getType());
      }
    }
    for (Field child : field.getChildren()) {
      check(child, nodes, lengths, variable ? -1 : count);
    }
  }

  /** Arrow's own layout holds a width in 16 bits, which a fixed-size binary can exceed. */
  private static long bitWidth(ArrowType type, BufferLayout layout) {
    return type instanceof ArrowType.FixedSizeBinary fixed
        ? 8L * fixed.getByteWidth()
        : layout.getTypeBitWidth();
  }

  /**
   * Offsets, once they can be read: from 0 or above, never falling, within data or child.
   *
   * @throws IllegalArgumentException when they don't fit
   */
  void checkOffsets(Schema schema, List<ArrowBuf> buffers) {
    Iterator<ArrowFieldNode> node = nodes.iterator();
    Iterator<ArrowBuf> buffer = buffers.iterator();
    for (Field field : schema.getFields()) {
      checkOffsets(field, node, buffer);
    }
  }

  /**
   * @return values of the field
   */
  private static int checkOffsets(
      Field field, Iterator<ArrowFieldNode> nodes, Iterator<ArrowBuf> buffers) {
    int count = nodes.next().getLength();
    long last = -1;
    long data = 0;
    for (BufferLayout layout : TypeLayout.getTypeLayout(field.getType()).getBufferLayouts()) {
      ArrowBuf buffer = buffers.next();
      switch (layout.getType()) {
        case OFFSET -> last = lastOffset(buffer, count);
        case DATA -> data = buffer.capacity();
        default -> {}
      }
    }
    for (Field child : field.getChildren()) {
      data = checkOffsets(child, nodes, buffers);
    }
    require(last <= data, "an offset of " + last + " into " + data);
    return count;
  }

  private static long lastOffset(ArrowBuf offsets, int count) {
    if (count == 0) {
      return 0;
    }
    int previous = 0;
    for (long i = 0; i <= count; i++) {
      int offset = offsets.getInt(i * OFFSET_BYTES);
      require(offset >= previous, "offsets that fall");
      previous = offset;
    }
    return previous;
  }

  private static void require(boolean condition, String what) {
    if (!condition) {
      throw new IllegalArgumentException(what);
    }
  }
}
