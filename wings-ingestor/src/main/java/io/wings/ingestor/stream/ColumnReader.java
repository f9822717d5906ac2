package io.wings.ingestor.stream;

import io.wings.common.error.WingsException;
import java.nio.ByteBuffer;
import java.nio.IntBuffer;
import java.nio.LongBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.jspecify.annotations.Nullable;

/**
 * Reads the columns of one message: consumes nodes and buffers in the order of the fields, checks
 * them against each other, and makes them plain.
 */
final class ColumnReader {
  private static final int VIEW_BYTES = 16;

  private final Message.Batch batch;
  private final Body body;
  private final Arena arena;
  private final StreamLimits limits;
  private final Dictionaries dictionaries;
  private final Values values;
  private int nextNode;
  private int nextVariadic;

  ColumnReader(
      Message.Batch batch,
      ByteBuffer body,
      Arena arena,
      StreamLimits limits,
      Dictionaries dictionaries) {
    this.batch = batch;
    this.body = new Body(batch, body, arena);
    this.arena = arena;
    this.limits = limits;
    this.dictionaries = dictionaries;
    this.values = new Values();
  }

  /** All columns, each with as many values as the batch has rows. */
  List<Column> read(List<Field> fields) {
    List<Column> columns = new ArrayList<>(fields.size());
    for (Field field : fields) {
      columns.add(column(field, Place.column(field.getName()), batch.rows()));
    }
    if (nextNode != batch.nodes().size()
        || body.remaining() != 0
        || nextVariadic != batch.variadic().size()) {
      throw WingsException.invalid(
          "batch-malformed",
          "the batch has more nodes or buffers than its schema; don't send it again");
    }
    return columns;
  }

  /** A column of exactly {@code length} values. */
  private Column column(Field field, Place place, int length) {
    Column column = column(field, place);
    if (column.length() != length) {
      throw place.malformed("length", Integer.toString(length), Integer.toString(column.length()));
    }
    return column;
  }

  private Column column(Field field, Place place) {
    Node node = node(place);
    if (field.getDictionary() != null) {
      return encoded(field, node, place);
    }
    ArrowType type = field.getType();
    return switch (Layout.of(type)) {
      case Layout.Nothing _ -> plain(type, node, null, arena.empty(), arena.empty(), List.of());
      case Layout.Bits _ -> {
        ArrowBuf validity = validity(node, place);
        ArrowBuf data = data(body.next(place), bytesOfBits(node.length()), place);
        yield plain(type, node, validity, arena.empty(), data, List.of());
      }
      case Layout.Fixed(int width) -> {
        ArrowBuf validity = validity(node, place);
        ArrowBuf data = data(body.next(place), (long) node.length() * width, place);
        Column column = plain(type, node, validity, arena.empty(), data, List.of());
        values.check(column, place);
        yield column;
      }
      case Layout.Bytes(boolean large, boolean text) -> bytes(node, large, text, place);
      case Layout.Views(boolean text) -> views(node, text, place);
      case Layout.Lists(boolean large) -> list(field, node, large, place);
      case Layout.ListViews(boolean large) -> listView(field, node, large, place);
      case Layout.FixedLists(int size) -> fixedList(field, node, size, place);
      case Layout.Structs _ -> {
        ArrowBuf validity = validity(node, place);
        List<Column> children = new ArrayList<>();
        for (Field child : field.getChildren()) {
          children.add(column(child, place.child(child.getName()), node.length()));
        }
        yield plain(type, node, validity, arena.empty(), arena.empty(), children);
      }
      case Layout.Runs _ -> runs(field, node, place);
    };
  }

  /** A node whose counts are within limits. */
  private record Node(int length, int nulls) {}

  private Node node(Place place) {
    if (nextNode == batch.nodes().size()) {
      throw place.malformed("nodes", "one for each field", "too few");
    }
    Message.Node node = batch.nodes().get(nextNode++);
    if (node.length() < 0 || node.nulls() < 0 || node.nulls() > node.length()) {
      throw place.malformed(
          "node", "0 <= nulls <= length", node.nulls() + " nulls of " + node.length());
    }
    if (node.length() > limits.values()) {
      throw place.schema(
          "batch-too-large",
          "at most " + limits.values() + " values of a batch",
          Long.toString(node.length()));
    }
    return new Node((int) node.length(), (int) node.nulls());
  }

  private static Column plain(
      ArrowType type,
      Node node,
      @Nullable ArrowBuf validity,
      ArrowBuf offsets,
      ArrowBuf data,
      List<Column> children) {
    int nulls = type instanceof ArrowType.Null ? node.length() : node.nulls();
    return new Column(type, node.length(), nulls, validity, offsets, data, children);
  }

  private @Nullable ArrowBuf validity(Node node, Place place) {
    ArrowBuf bits = body.next(place);
    if (bits.capacity() == 0) {
      if (node.nulls() != 0) {
        throw place.malformed("null count", "0 without a validity buffer", "" + node.nulls());
      }
      return null;
    }
    ArrowBuf exact = data(bits, bytesOfBits(node.length()), place);
    int nulls = node.length() - Bitmap.count(exact, node.length());
    if (nulls != node.nulls()) {
      throw place.malformed("null count", nulls + " as in the validity buffer", "" + node.nulls());
    }
    return nulls == 0 ? null : exact;
  }

  private static long bytesOfBits(int bits) {
    return (bits + 7L) / 8;
  }

  private static ArrowBuf data(ArrowBuf buffer, long bytes, Place place) {
    if (buffer.capacity() < bytes) {
      throw place.malformed(
          "buffer", "at least " + bytes + " bytes", Long.toString(buffer.capacity()));
    }
    return buffer.slice(0, bytes);
  }

  /** Offsets of 4 bytes, monotone from a first that isn't negative. */
  private ArrowBuf offsets(int length, boolean large, Place place) {
    ArrowBuf buffer = body.next(place);
    if (length == 0 && buffer.capacity() == 0) {
      return arena.zeroes(Integer.BYTES);
    }
    int width = large ? Long.BYTES : Integer.BYTES;
    ArrowBuf exact = data(buffer, (length + 1L) * width, place);
    return large ? narrowOffsets(exact, length, place) : checkOffsets(exact, length, place);
  }

  private static ArrowBuf checkOffsets(ArrowBuf offsets, int length, Place place) {
    IntBuffer ints = Column.ints(offsets);
    int last = 0;
    for (int i = 0; i <= length; i++) {
      int offset = ints.get(i);
      if (offset < last) {
        throw badOffset(Math.max(i - 1, 0), last, offset, place);
      }
      last = offset;
    }
    return offsets;
  }

  private ArrowBuf narrowOffsets(ArrowBuf offsets, int length, Place place) {
    LongBuffer longs = Column.bytes(offsets).asLongBuffer();
    ArrowBuf narrow = arena.allocate((length + 1L) * Integer.BYTES);
    IntBuffer ints = Column.ints(narrow);
    long last = 0;
    for (int i = 0; i <= length; i++) {
      long offset = longs.get(i);
      if (offset < last || offset > Integer.MAX_VALUE) {
        throw badOffset(Math.max(i - 1, 0), last, offset, place);
      }
      ints.put(i, (int) offset);
      last = offset;
    }
    return narrow;
  }

  private static WingsException badOffset(int index, long last, long offset, Place place) {
    return place.malformed(
        index, "offset", "one of at least " + last + " within its data", Long.toString(offset));
  }

  private Column bytes(Node node, boolean large, boolean text, Place place) {
    ArrowBuf validity = validity(node, place);
    ArrowBuf offsets = offsets(node.length(), large, place);
    int end = Column.ints(offsets).get(node.length());
    ArrowBuf data = data(body.next(place), end, place);
    Column column = plain(bytesType(text), node, validity, offsets, data, List.of());
    values.check(column, place);
    return column;
  }

  private static ArrowType bytesType(boolean text) {
    return text ? ArrowType.Utf8.INSTANCE : ArrowType.Binary.INSTANCE;
  }

  private Column views(Node node, boolean text, Place place) {
    ArrowBuf validity = validity(node, place);
    ArrowBuf views = data(body.next(place), (long) node.length() * VIEW_BYTES, place);
    if (nextVariadic == batch.variadic().size()) {
      throw place.malformed("variadic buffer counts", "one for each view column", "too few");
    }
    long count = batch.variadic().get(nextVariadic++);
    if (count < 0 || count > body.remaining()) {
      throw place.malformed(
          "variadic buffers", "at most " + body.remaining(), Long.toString(count));
    }
    List<ByteBuffer> buffers = new ArrayList<>((int) count);
    for (int i = 0; i < count; i++) {
      buffers.add(Column.bytes(body.next(place)));
    }
    Views reader = new Views(Column.bytes(views), buffers, node.length(), validity, place);
    Column column = reader.plain(bytesType(text), node.nulls(), arena);
    values.check(column, place);
    return column;
  }

  private Column list(Field field, Node node, boolean large, Place place) {
    ArrowBuf validity = validity(node, place);
    ArrowBuf offsets = offsets(node.length(), large, place);
    IntBuffer ints = Column.ints(offsets);
    Field item = field.getChildren().getFirst();
    Column child =
        column(item, place.child(item.getName(), at -> Offsets.owner(ints, node.length(), at)));
    if (ints.get(node.length()) > child.length()) {
      throw badOffset(
          Math.max(node.length() - 1, 0), child.length(), ints.get(node.length()), place);
    }
    return plain(listType(field), node, validity, offsets, arena.empty(), List.of(child));
  }

  private static ArrowType listType(Field field) {
    return field.getType() instanceof ArrowType.Map map ? map : ArrowType.List.INSTANCE;
  }

  private Column fixedList(Field field, Node node, int size, Place place) {
    ArrowBuf validity = validity(node, place);
    Field item = field.getChildren().getFirst();
    Column child =
        column(
            item,
            place.child(
                item.getName(),
                at -> size == 0 ? 0 : Math.clamp(at / size, 0, Math.max(node.length() - 1, 0))));
    long needed = (long) node.length() * size;
    if (needed > child.length()) {
      throw place.malformed("items", Long.toString(needed), Integer.toString(child.length()));
    }
    ArrowBuf offsets = arena.allocate((node.length() + 1L) * Integer.BYTES);
    IntBuffer ints = Column.ints(offsets);
    for (int i = 0; i <= node.length(); i++) {
      ints.put(i, i * size);
    }
    return plain(ArrowType.List.INSTANCE, node, validity, offsets, arena.empty(), List.of(child));
  }

  private Column listView(Field field, Node node, boolean large, Place place) {
    ArrowBuf validity = validity(node, place);
    int width = large ? Long.BYTES : Integer.BYTES;
    ArrowBuf starts = data(body.next(place), (long) node.length() * width, place);
    ArrowBuf sizes = data(body.next(place), (long) node.length() * width, place);
    Field item = field.getChildren().getFirst();
    // Ranges may overlap and come in any order, so no index of the child has one owner: row 0.
    Column child = column(item, place.child(item.getName(), _ -> 0));
    ArrowBuf offsets = arena.allocate((node.length() + 1L) * Integer.BYTES);
    IntBuffer ints = Column.ints(offsets);
    long total = 0;
    ints.put(0, 0);
    for (int i = 0; i < node.length(); i++) {
      if (validity == null || Column.bit(validity, i)) {
        long start = large ? starts.getLong(8L * i) : starts.getInt(4L * i);
        long size = large ? sizes.getLong(8L * i) : sizes.getInt(4L * i);
        if (start < 0 || size < 0 || size > child.length() || start > child.length() - size) {
          throw place.malformed(
              i, "range", "one within " + child.length() + " items", size + " at " + start);
        }
        total += size;
      }
      if (total > limits.values()) {
        throw place.schema(
            "batch-too-large", "at most " + limits.values() + " items of a batch", "more");
      }
      ints.put(i + 1, (int) total);
    }
    ArrowBuf picks = arena.allocate(total * Integer.BYTES);
    IntBuffer indexes = Column.ints(picks);
    int at = 0;
    for (int i = 0; i < node.length(); i++) {
      int size = ints.get(i + 1) - ints.get(i);
      long start = size == 0 ? 0 : large ? starts.getLong(8L * i) : starts.getInt(4L * i);
      for (int k = 0; k < size; k++) {
        indexes.put(at++, (int) start + k);
      }
    }
    Column items = Gather.take(child, indexes, (int) total, arena);
    return plain(ArrowType.List.INSTANCE, node, validity, offsets, arena.empty(), List.of(items));
  }

  private Column runs(Field field, Node node, Place place) {
    Field endsField = field.getChildren().get(0);
    Field valuesField = field.getChildren().get(1);
    Column ends = column(endsField, place.child(endsField.getName(), _ -> 0));
    IntBuffer endInts = runEnds(ends, node.length(), place);
    Column runs =
        column(
            valuesField,
            place.child(
                valuesField.getName(),
                at ->
                    at <= 0
                        ? 0
                        : Math.min(
                            endInts.get(Math.min(at, ends.length()) - 1), node.length() - 1)),
            ends.length());
    ArrowBuf picks = arena.allocate((long) node.length() * Integer.BYTES);
    IntBuffer indexes = Column.ints(picks);
    int row = 0;
    for (int run = 0; row < node.length(); run++) {
      int end = Math.min(endInts.get(run), node.length());
      while (row < end) {
        indexes.put(row++, run);
      }
    }
    return Gather.take(runs, indexes, node.length(), arena);
  }

  /** The ends as ints, strictly increasing from at least 1; the last reaches {@code length}. */
  private IntBuffer runEnds(Column ends, int length, Place place) {
    if (ends.nulls() != 0) {
      throw place.malformed("run ends", "no nulls", ends.nulls() + " nulls");
    }
    IntBuffer ints = Column.ints(arena.allocate((long) ends.length() * Integer.BYTES));
    long last = 0;
    for (int i = 0; i < ends.length(); i++) {
      long end = Values.integer(ends, i);
      if (end <= last || end > Integer.MAX_VALUE) {
        throw place.malformed("run end " + i, "more than " + last, Long.toString(end));
      }
      ints.put(i, (int) end);
      last = end;
    }
    if (last < length) {
      throw place.malformed("run ends", "to reach " + length, Long.toString(last));
    }
    return ints;
  }

  private Column encoded(Field field, Node node, Place place) {
    ArrowType.Int type = field.getDictionary().getIndexType();
    ArrowBuf validity = validity(node, place);
    int width = type.getBitWidth() / 8;
    ArrowBuf data = data(body.next(place), (long) node.length() * width, place);
    Column codes = plain(type, node, validity, arena.empty(), data, List.of());
    return dictionaries.decode(field.getDictionary().getId(), codes, arena, place);
  }
}
