package io.wings.ingestor.stream;

import io.wings.common.error.WingsException;
import java.nio.ByteBuffer;
import java.nio.IntBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.jspecify.annotations.Nullable;

/**
 * The dictionaries of one stream as of its last message: what they hold, decoded themselves, within
 * the stream's limits. A batch is decoded as it comes, so a later replacement can't change it.
 */
final class Dictionaries implements AutoCloseable {
  private record Dictionary(Column values, Arena arena) {}

  private final Map<Long, Field> fields = new HashMap<>();
  private final Map<Long, Dictionary> dictionaries = new HashMap<>();
  private final BufferAllocator memory;
  private final BufferAllocator scratch;
  private final StreamLimits limits;

  /**
   * @param schema the stream's fields
   * @param memory where dictionaries live
   * @param scratch where one message is decoded
   */
  Dictionaries(
      List<Field> schema, BufferAllocator memory, BufferAllocator scratch, StreamLimits limits) {
    this.memory = memory;
    this.scratch = scratch;
    this.limits = limits;
    schema.forEach(field -> find(field, Place.column(field.getName())));
    if (fields.size() > limits.dictionaries()) {
      throw WingsException.invalid(
          "schema-too-large",
          "the schema has %d dictionaries, at most %d are taken"
              .formatted(fields.size(), limits.dictionaries()));
    }
  }

  private void find(Field field, Place place) {
    if (field.getDictionary() != null) {
      Field values =
          new Field(
              field.getName(),
              new FieldType(field.isNullable(), field.getType(), null),
              field.getChildren());
      Field other = fields.putIfAbsent(field.getDictionary().getId(), values);
      if (other != null && !sameShape(other, values)) {
        throw place.schema(
            "schema-malformed",
            "one type for dictionary " + field.getDictionary().getId(),
            other.getType() + " and " + values.getType());
      }
    }
    field.getChildren().forEach(child -> find(child, place.child(child.getName())));
  }

  private static boolean sameShape(Field one, Field other) {
    if (!one.getType().equals(other.getType())
        || !Objects.equals(one.getDictionary(), other.getDictionary())
        || one.getChildren().size() != other.getChildren().size()) {
      return false;
    }
    for (int i = 0; i < one.getChildren().size(); i++) {
      if (!sameShape(one.getChildren().get(i), other.getChildren().get(i))) {
        return false;
      }
    }
    return true;
  }

  /** Takes a dictionary batch: a first one, a replacement, or more values. */
  void read(Message.DictionaryMessage message, ByteBuffer body) {
    Field field = fields.get(message.id());
    if (field == null) {
      throw WingsException.invalid(
          "dictionary-unknown",
          "the stream's schema has no dictionary %d; don't send it again".formatted(message.id()));
    }
    Dictionary old = dictionaries.get(message.id());
    try (Arena arena = new Arena(scratch, limits.batchBytes())) {
      Column values =
          new ColumnReader(message.data(), body, arena, limits, this)
              .read(List.of(field))
              .getFirst();
      List<Column> parts =
          message.delta() && old != null ? List.of(old.values(), values) : List.of(values);
      keep(message.id(), parts, old);
    }
  }

  private void keep(long id, List<Column> parts, @Nullable Dictionary old) {
    long used = dictionaries.values().stream().mapToLong(d -> d.arena().charged()).sum();
    long free = limits.dictionaryBytes() - used + (old == null ? 0 : old.arena().charged());
    Arena arena = new Arena(memory, free);
    try {
      dictionaries.put(id, new Dictionary(Concat.of(parts, arena), arena));
    } catch (WingsException e) {
      arena.close();
      if (e.code().equals("batch-too-large")) {
        throw WingsException.invalid(
            "dictionaries-too-large",
            "the stream's dictionaries take more than %d bytes; send plain columns"
                .formatted(limits.dictionaryBytes()));
      }
      throw e;
    }
    if (old != null) {
      old.arena().close();
    }
  }

  /** The values that {@code codes}, integers of any kind, stand for. */
  Column decode(long id, Column codes, Arena arena, Place place) {
    Dictionary dictionary = dictionaries.get(id);
    if (dictionary == null) {
      if (codes.nulls() < codes.length()) {
        throw place.malformed("dictionary " + id, "one before the batch", "none");
      }
      return Constant.nulls(
          PlainSchema.of(Objects.requireNonNull(fields.get(id))), codes.length(), arena);
    }
    Column values = dictionary.values();
    IntBuffer indexes = Column.ints(arena.allocate((long) codes.length() * Integer.BYTES));
    boolean unsigned = codes.type() instanceof ArrowType.Int t && !t.getIsSigned();
    for (int i = 0; i < codes.length(); i++) {
      if (codes.isNull(i)) {
        indexes.put(i, Gather.NULL);
        continue;
      }
      long code = Values.integer(codes, i);
      if (code < 0 || code >= values.length()) {
        throw place.malformed(
            i,
            "dictionary index",
            "one below " + values.length(),
            unsigned ? Long.toUnsignedString(code) : Long.toString(code));
      }
      indexes.put(i, (int) code);
    }
    return Gather.take(values, indexes, codes.length(), arena);
  }

  @Override
  public void close() {
    dictionaries.values().forEach(d -> d.arena().close());
    dictionaries.clear();
  }
}
