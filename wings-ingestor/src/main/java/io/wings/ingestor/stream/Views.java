package io.wings.ingestor.stream;

import java.nio.ByteBuffer;
import java.nio.IntBuffer;
import java.util.List;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.jspecify.annotations.Nullable;

/** Text or bytes by views: checked, then copied into one buffer. */
final class Views {
  private static final int VIEW_BYTES = 16;
  private static final int INLINE = 12;

  private final ByteBuffer views;
  private final List<ByteBuffer> buffers;
  private final int length;
  private final @Nullable ArrowBuf validity;
  private final Place place;

  /**
   * @param views {@code length} of them, little-endian
   */
  Views(
      ByteBuffer views,
      List<ByteBuffer> buffers,
      int length,
      @Nullable ArrowBuf validity,
      Place place) {
    this.views = views;
    this.buffers = buffers;
    this.length = length;
    this.validity = validity;
    this.place = place;
  }

  Column plain(ArrowType type, int nulls, Arena arena) {
    ArrowBuf offsets = arena.allocate((length + 1L) * Integer.BYTES);
    IntBuffer ends = Column.ints(offsets);
    long total = 0;
    ends.put(0, 0);
    for (int i = 0; i < length; i++) {
      total += checkedSize(i);
      if (total > Integer.MAX_VALUE) {
        arena.charge(total);
      }
      ends.put(i + 1, (int) total);
    }
    ArrowBuf data = arena.allocate(total);
    ByteBuffer to = Column.bytes(data);
    for (int i = 0; i < length; i++) {
      int start = ends.get(i);
      int size = ends.get(i + 1) - start;
      if (size > INLINE) {
        ByteBuffer from = buffers.get(views.getInt(i * VIEW_BYTES + 8));
        to.put(start, from, views.getInt(i * VIEW_BYTES + 12), size);
      } else if (size > 0) {
        to.put(start, views, i * VIEW_BYTES + 4, size);
      }
    }
    return new Column(type, length, nulls, validity, offsets, data, List.of());
  }

  private int checkedSize(int i) {
    if (validity != null && !Column.bit(validity, i)) {
      return 0;
    }
    int at = i * VIEW_BYTES;
    int size = views.getInt(at);
    if (size < 0) {
      throw place.malformed(i, "view", "a length", Integer.toString(size));
    }
    if (size <= INLINE) {
      return size;
    }
    int index = views.getInt(at + 8);
    int offset = views.getInt(at + 12);
    if (index < 0 || index >= buffers.size()) {
      throw place.malformed(
          i, "view", "one of " + buffers.size() + " buffers", Integer.toString(index));
    }
    ByteBuffer buffer = buffers.get(index);
    if (offset < 0 || size > buffer.capacity() || offset > buffer.capacity() - size) {
      throw place.malformed(
          i,
          "view",
          "a range within the " + buffer.capacity() + " bytes of buffer " + index,
          size + " bytes at " + offset);
    }
    if (views.getInt(at + 4) != buffer.getInt(offset)) {
      throw place.malformed(i, "view", "the prefix of its bytes", "another");
    }
    return size;
  }
}
