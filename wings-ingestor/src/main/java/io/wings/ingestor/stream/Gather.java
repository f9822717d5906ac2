package io.wings.ingestor.stream;

import java.nio.ByteBuffer;
import java.nio.IntBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.jspecify.annotations.Nullable;

/** Makes new columns by picking values of others. */
final class Gather {
  /** An index that picks no value: null. */
  static final int NULL = -1;

  private Gather() {}

  /**
   * The values of {@code from} at the first {@code count} of {@code indexes}, in that order.
   *
   * @param indexes each within the column, or {@link #NULL}
   */
  static Column take(Column from, IntBuffer indexes, int count, Arena arena) {
    ArrowType type = from.type();
    if (type instanceof ArrowType.Null) {
      return new Column(type, count, count, null, arena.empty(), arena.empty(), List.of());
    }
    ArrowBuf bits = validity(from, indexes, count, arena);
    int nulls = bits == null ? 0 : count - Bitmap.count(bits, count);
    ArrowBuf validity = nulls == 0 ? null : bits;
    ArrowBuf offsets = arena.empty();
    ArrowBuf data = arena.empty();
    List<Column> children = new ArrayList<>();
    switch (Layout.of(type)) {
      case Layout.Bits _ -> data = bits(from, indexes, count, arena);
      case Layout.Fixed(int width) -> data = fixed(from, indexes, count, width, arena);
      case Layout.Bytes _ -> {
        offsets = offsets(from, indexes, count, arena);
        data = bytes(from, indexes, count, offsets, arena);
      }
      case Layout.Lists _ -> {
        offsets = offsets(from, indexes, count, arena);
        children.add(items(from, indexes, count, offsets, arena));
      }
      case Layout.Structs _ ->
          from.children().forEach(c -> children.add(take(c, indexes, count, arena)));
      default -> throw new IllegalStateException("not plain: " + type);
    }
    return new Column(type, count, nulls, validity, offsets, data, children);
  }

  private static @Nullable ArrowBuf validity(
      Column from, IntBuffer indexes, int count, Arena arena) {
    ArrowBuf bits = arena.zeroes((count + 7L) / 8);
    boolean any = false;
    for (int i = 0; i < count; i++) {
      int index = indexes.get(i);
      if (index == NULL || from.isNull(index)) {
        any = true;
      } else {
        Bitmap.set(bits, i);
      }
    }
    return any ? bits : null;
  }

  private static ArrowBuf bits(Column from, IntBuffer indexes, int count, Arena arena) {
    ArrowBuf to = arena.zeroes((count + 7L) / 8);
    for (int i = 0; i < count; i++) {
      int index = indexes.get(i);
      if (index != NULL && Column.bit(from.data(), index)) {
        Bitmap.set(to, i);
      }
    }
    return to;
  }

  private static ArrowBuf fixed(Column from, IntBuffer indexes, int count, int width, Arena arena) {
    ArrowBuf to = arena.zeroes((long) count * width);
    ByteBuffer source = Column.bytes(from.data());
    ByteBuffer target = Column.bytes(to);
    for (int i = 0; i < count; i++) {
      int index = indexes.get(i);
      if (index == NULL) {
        continue;
      }
      switch (width) {
        case 4 -> target.putInt(i * 4, source.getInt(index * 4));
        case 8 -> target.putLong(i * 8, source.getLong(index * 8));
        default -> target.put(i * width, source, index * width, width);
      }
    }
    return to;
  }

  private static int size(Column from, IntBuffer offsets, int index) {
    return index == NULL || from.isNull(index) ? 0 : offsets.get(index + 1) - offsets.get(index);
  }

  private static ArrowBuf offsets(Column from, IntBuffer indexes, int count, Arena arena) {
    ArrowBuf to = arena.allocate((count + 1L) * Integer.BYTES);
    IntBuffer ends = Column.ints(to);
    IntBuffer sources = from.offsetInts();
    long total = 0;
    ends.put(0, 0);
    for (int i = 0; i < count; i++) {
      total += size(from, sources, indexes.get(i));
      if (total > Integer.MAX_VALUE) {
        arena.charge(total);
      }
      ends.put(i + 1, (int) total);
    }
    return to;
  }

  private static ArrowBuf bytes(
      Column from, IntBuffer indexes, int count, ArrowBuf offsets, Arena arena) {
    IntBuffer ends = Column.ints(offsets);
    IntBuffer sources = from.offsetInts();
    ArrowBuf to = arena.allocate(ends.get(count));
    ByteBuffer source = Column.bytes(from.data());
    ByteBuffer target = Column.bytes(to);
    for (int i = 0; i < count; i++) {
      int size = ends.get(i + 1) - ends.get(i);
      if (size > 0) {
        target.put(ends.get(i), source, sources.get(indexes.get(i)), size);
      }
    }
    return to;
  }

  private static Column items(
      Column from, IntBuffer indexes, int count, ArrowBuf offsets, Arena arena) {
    IntBuffer ends = Column.ints(offsets);
    IntBuffer sources = from.offsetInts();
    int total = ends.get(count);
    IntBuffer picks = Column.ints(arena.allocate((long) total * Integer.BYTES));
    int at = 0;
    for (int i = 0; i < count; i++) {
      int size = ends.get(i + 1) - ends.get(i);
      for (int k = 0; k < size; k++) {
        picks.put(at++, sources.get(indexes.get(i)) + k);
      }
    }
    return take(from.child(0), picks, total, arena);
  }
}
