package io.wings.ingestor.stream;

import java.nio.IntBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.jspecify.annotations.Nullable;

/** Joins columns of one type into one whose buffers are no longer than they must be. */
final class Concat {
  private final List<Column> parts;
  private final Arena arena;
  private final ArrowType type;
  private final int length;

  private Concat(List<Column> parts, Arena arena) {
    this.parts = parts;
    this.arena = arena;
    this.type = parts.getFirst().type();
    long sum = 0;
    for (Column part : parts) {
      sum += part.length();
    }
    if (sum > Integer.MAX_VALUE / 16) {
      arena.charge(Long.MAX_VALUE);
    }
    this.length = (int) sum;
  }

  /**
   * @param parts at least one
   */
  static Column of(List<Column> parts, Arena arena) {
    return new Concat(parts, arena).join();
  }

  private Column join() {
    int nulls = parts.stream().mapToInt(Column::nulls).sum();
    ArrowBuf validity = type instanceof ArrowType.Null ? null : validity(nulls);
    ArrowBuf offsets = arena.empty();
    ArrowBuf data = arena.empty();
    List<Column> children = new ArrayList<>();
    switch (Layout.of(type)) {
      case Layout.Nothing _ -> {}
      case Layout.Bits _ -> data = bits();
      case Layout.Fixed(int width) -> data = fixed(width);
      case Layout.Bytes _ -> {
        offsets = offsets();
        data = bytes(Column.ints(offsets).get(length));
      }
      case Layout.Lists _ -> {
        offsets = offsets();
        children.add(of(parts.stream().map(this::items).toList(), arena));
      }
      case Layout.Structs _ -> {
        for (int i = 0; i < parts.getFirst().children().size(); i++) {
          int child = i;
          children.add(of(parts.stream().map(p -> p.child(child)).toList(), arena));
        }
      }
      default -> throw new IllegalStateException("not plain: " + type);
    }
    return new Column(type, length, nulls, validity, offsets, data, children);
  }

  private @Nullable ArrowBuf validity(int nulls) {
    if (nulls == 0) {
      return null;
    }
    ArrowBuf bits = arena.zeroes((length + 7L) / 8);
    int at = 0;
    for (Column part : parts) {
      for (int i = 0; i < part.length(); i++, at++) {
        if (!part.isNull(i)) {
          Bitmap.set(bits, at);
        }
      }
    }
    return bits;
  }

  private ArrowBuf bits() {
    ArrowBuf bits = arena.zeroes((length + 7L) / 8);
    int at = 0;
    for (Column part : parts) {
      for (int i = 0; i < part.length(); i++, at++) {
        if (Column.bit(part.data(), i)) {
          Bitmap.set(bits, at);
        }
      }
    }
    return bits;
  }

  private ArrowBuf fixed(int width) {
    ArrowBuf to = arena.allocate((long) length * width);
    long at = 0;
    for (Column part : parts) {
      long bytes = (long) part.length() * width;
      to.setBytes(at, part.data(), 0, bytes);
      at += bytes;
    }
    return to;
  }

  private ArrowBuf offsets() {
    ArrowBuf to = arena.allocate((length + 1L) * Integer.BYTES);
    IntBuffer ends = Column.ints(to);
    ends.put(0, 0);
    int at = 0;
    long base = 0;
    for (Column part : parts) {
      IntBuffer own = part.offsetInts();
      for (int i = 0; i < part.length(); i++) {
        ends.put(++at, (int) (base + own.get(i + 1) - own.get(0)));
      }
      base += own.get(part.length()) - own.get(0);
      if (base > Integer.MAX_VALUE) {
        arena.charge(base);
      }
    }
    return to;
  }

  private ArrowBuf bytes(int total) {
    ArrowBuf to = arena.allocate(total);
    long at = 0;
    for (Column part : parts) {
      IntBuffer own = part.offsetInts();
      int start = own.get(0);
      int size = own.get(part.length()) - start;
      to.setBytes(at, part.data(), start, size);
      at += size;
    }
    return to;
  }

  /** Exactly the items that the lists of a part refer to. */
  private Column items(Column part) {
    IntBuffer own = part.offsetInts();
    int start = own.get(0);
    int size = own.get(part.length()) - start;
    Column all = part.child(0);
    if (start == 0 && size == all.length()) {
      return all;
    }
    IntBuffer picks = Column.ints(arena.allocate((long) size * Integer.BYTES));
    for (int i = 0; i < size; i++) {
      picks.put(i, start + i);
    }
    return Gather.take(all, picks, size, arena);
  }
}
