package io.wings.ingestor.stream;

import io.wings.common.error.WingsException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.arrow.flatbuf.Decimal;
import org.apache.arrow.flatbuf.Endianness;
import org.apache.arrow.flatbuf.KeyValue;
import org.apache.arrow.flatbuf.Type;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.DictionaryEncoding;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.jspecify.annotations.Nullable;

/**
 * Converts one flatbuffer schema, refusing what Wings can't take. Tables and strings of a
 * flatbuffer may be shared or point at each other in circles, so what is counted is what is
 * visited, not what is there.
 */
final class SchemaReader {
  private final StreamLimits limits;
  private int fieldsLeft;
  private long textLeft;

  /**
   * @param headerBytes of the message; all names and metadata together can't honestly be longer
   */
  SchemaReader(StreamLimits limits, int headerBytes) {
    this.limits = limits;
    this.fieldsLeft = limits.fields();
    this.textLeft = headerBytes;
  }

  Message.SchemaMessage read(org.apache.arrow.flatbuf.Schema schema) {
    if (schema.endianness() != Endianness.Little) {
      throw WingsException.invalid(
          "schema-unsupported", "big-endian Arrow data is not taken; send little-endian");
    }
    int columns = schema.fieldsLength();
    if (columns <= 0) {
      throw WingsException.invalid(
          "schema-unsupported", "the schema has no columns; expected at least one");
    }
    takeFields(columns);
    List<Field> fields = new ArrayList<>(columns);
    for (int i = 0; i < columns; i++) {
      fields.add(field(schema.fields(i), null, 1));
    }
    refuseDuplicates(fields, null);
    return new Message.SchemaMessage(List.copyOf(fields));
  }

  private Field field(
      org.apache.arrow.flatbuf.@Nullable Field field, @Nullable Place parent, int depth) {
    if (field == null) {
      throw MessageReader.malformed("a field", "none");
    }
    String name = text(field.nameAsByteBuffer());
    Place place = parent == null ? Place.column(name) : parent.child(name);
    if (depth > limits.depth()) {
      throw place.schema("schema-too-deep", "at most " + limits.depth() + " levels", "more");
    }
    ArrowType type = type(field, place);
    DictionaryEncoding dictionary = dictionary(field, place);
    int count = field.childrenLength();
    takeFields(count);
    List<Field> children = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      children.add(field(field.children(i), place, depth + 1));
    }
    checkChildren(type, children, place);
    return new Field(
        name, new FieldType(field.nullable(), type, dictionary, metadata(field)), children);
  }

  private void takeFields(int count) {
    if (count < 0) {
      throw MessageReader.malformed("a number of fields", Integer.toString(count));
    }
    if (count > fieldsLeft) {
      throw WingsException.invalid(
          "schema-too-large",
          "the schema has more than %d fields, nested ones included".formatted(limits.fields()));
    }
    fieldsLeft -= count;
  }

  private Map<String, String> metadata(org.apache.arrow.flatbuf.Field field) {
    int count = field.customMetadataLength();
    if (count < 0 || count > textLeft) {
      throw MessageReader.malformed("a number of metadata entries", Integer.toString(count));
    }
    Map<String, String> metadata = HashMap.newHashMap(count);
    for (int i = 0; i < count; i++) {
      KeyValue entry = field.customMetadata(i);
      metadata.put(text(entry.keyAsByteBuffer()), text(entry.valueAsByteBuffer()));
    }
    return metadata;
  }

  private String text(@Nullable ByteBuffer utf8) {
    if (utf8 == null) {
      return "";
    }
    textLeft -= utf8.remaining();
    if (textLeft < 0) {
      throw MessageReader.malformed("names and metadata that fit into the message", "more");
    }
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(utf8).toString();
    } catch (CharacterCodingException e) {
      throw WingsException.invalid(
          "schema-unsupported", "a name or metadata entry of the schema is not UTF-8");
    }
  }

  private static @Nullable DictionaryEncoding dictionary(
      org.apache.arrow.flatbuf.Field field, Place place) {
    var encoding = field.dictionary();
    if (encoding == null) {
      return null;
    }
    var index = encoding.indexType();
    ArrowType.Int type =
        index == null
            ? new ArrowType.Int(32, true)
            : new ArrowType.Int(index.bitWidth(), index.isSigned());
    checkType(type, place);
    return new DictionaryEncoding(encoding.id(), encoding.isOrdered(), type);
  }

  private static ArrowType type(org.apache.arrow.flatbuf.Field field, Place place) {
    ArrowType type =
        switch (field.typeType()) {
          case Type.Union, Type.Interval, Type.Duration ->
              throw place.schema(
                  "type-unsupported",
                  "a type that Iceberg has",
                  Type.name(field.typeType()) + "; convert the column first");
          case Type.Decimal -> {
            Decimal decimal = (Decimal) field.type(new Decimal());
            if (decimal == null) {
              throw MessageReader.malformed("a decimal type", "none");
            }
            yield new ArrowType.Decimal(decimal.precision(), decimal.scale(), decimal.bitWidth());
          }
          default -> ArrowType.getTypeForField(field);
        };
    checkType(type, place);
    return type;
  }

  private static void checkType(ArrowType type, Place place) {
    boolean known =
        switch (type) {
          case ArrowType.Int t ->
              switch (t.getBitWidth()) {
                case 8, 16, 32, 64 -> true;
                default -> false;
              };
          case ArrowType.FloatingPoint t -> t.getPrecision() != null;
          case ArrowType.Decimal t ->
              switch (t.getBitWidth()) {
                case 32 -> t.getPrecision() >= 1 && t.getPrecision() <= 9;
                case 64 -> t.getPrecision() >= 1 && t.getPrecision() <= 18;
                case 128 -> t.getPrecision() >= 1 && t.getPrecision() <= 38;
                case 256 -> t.getPrecision() >= 1 && t.getPrecision() <= 76;
                default -> false;
              };
          case ArrowType.Time t ->
              switch (t.getUnit()) {
                case SECOND, MILLISECOND -> t.getBitWidth() == 32;
                case MICROSECOND, NANOSECOND -> t.getBitWidth() == 64;
              };
          case ArrowType.Date t -> t.getUnit() != null;
          case ArrowType.Timestamp t -> t.getUnit() != null;
          case ArrowType.FixedSizeBinary t -> t.getByteWidth() > 0;
          case ArrowType.FixedSizeList t -> t.getListSize() >= 0;
          default -> true;
        };
    if (!known) {
      throw place.schema("type-unsupported", "a type of the Arrow format", type.toString());
    }
  }

  private static void checkChildren(ArrowType type, List<Field> children, Place place) {
    switch (type) {
      case ArrowType.Struct _ -> {
        if (children.isEmpty()) {
          throw place.schema("type-unsupported", "a struct with fields", "one without");
        }
        refuseDuplicates(children, place);
      }
      case ArrowType.List _,
          ArrowType.LargeList _,
          ArrowType.ListView _,
          ArrowType.LargeListView _,
          ArrowType.FixedSizeList _ ->
          checkCount(children, 1, type, place);
      case ArrowType.Map _ -> {
        checkCount(children, 1, type, place);
        Field entries = children.getFirst();
        if (!(entries.getType() instanceof ArrowType.Struct)
            || entries.getDictionary() != null
            || entries.getChildren().size() != 2) {
          throw place.schema(
              "schema-malformed", "a map of entries with a key and a value", entries.toString());
        }
      }
      case ArrowType.RunEndEncoded _ -> {
        checkCount(children, 2, type, place);
        Field ends = children.getFirst();
        if (!(ends.getType() instanceof ArrowType.Int index
            && index.getIsSigned()
            && index.getBitWidth() > 8
            && ends.getDictionary() == null)) {
          throw place.schema("schema-malformed", "run ends of int16, 32 or 64", ends.toString());
        }
      }
      default -> checkCount(children, 0, type, place);
    }
  }

  private static void checkCount(List<Field> children, int expected, ArrowType type, Place place) {
    if (children.size() != expected) {
      throw place.schema(
          "schema-malformed", expected + " children of " + type, Integer.toString(children.size()));
    }
  }

  private static void refuseDuplicates(List<Field> fields, @Nullable Place parent) {
    Set<String> seen = HashSet.newHashSet(fields.size());
    for (Field field : fields) {
      if (!seen.add(field.getName())) {
        Place place =
            parent == null ? Place.column(field.getName()) : parent.child(field.getName());
        throw place.schema("column-duplicate", "each name once", "it twice");
      }
    }
  }
}
