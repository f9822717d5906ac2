package io.wings.worker.engine;

import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.AbstractMap;
import java.util.AbstractMap.SimpleImmutableEntry;
import java.util.AbstractSet;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.BitVector;
import org.apache.arrow.vector.DateDayVector;
import org.apache.arrow.vector.DecimalVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.FixedSizeBinaryVector;
import org.apache.arrow.vector.Float4Vector;
import org.apache.arrow.vector.Float8Vector;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.TimeMicroVector;
import org.apache.arrow.vector.TimeStampVector;
import org.apache.arrow.vector.VarBinaryVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.complex.ListVector;
import org.apache.iceberg.StructLike;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types.ListType;
import org.apache.iceberg.types.Types.MapType;
import org.apache.iceberg.types.Types.NestedField;
import org.apache.iceberg.util.UUIDUtil;
import org.apache.iceberg.variants.Variant;
import org.apache.iceberg.variants.VariantMetadata;
import org.apache.iceberg.variants.VariantValue;
import org.jspecify.annotations.Nullable;

/**
 * Values of {@link ArrowColumns}' vectors as Iceberg's internal Java values, the ones that its
 * transforms take and its internal Parquet writer writes: days and microseconds as numbers,
 * strings, uuids, decimals, byte buffers, structs by position.
 */
final class ArrowValues {
  private static final char REPLACEMENT = '\uFFFD';

  private ArrowValues() {}

  /** Reads a vector, whatever it holds at the time. */
  @FunctionalInterface
  interface Reader {
    @Nullable Object read(int slot);
  }

  /**
   * A reader of values of {@code type}.
   *
   * @param vector in the engine's form, or as DuckDB gives it back
   */
  static Reader reader(Type type, FieldVector vector) {
    Reader present = presentReader(type, vector);
    return slot -> vector.isNull(slot) ? null : present.read(slot);
  }

  private static Reader presentReader(Type type, FieldVector vector) {
    return switch (type.typeId()) {
      case BOOLEAN -> slot -> ((BitVector) vector).get(slot) != 0;
      case INTEGER -> ((IntVector) vector)::get;
      case LONG -> ((BigIntVector) vector)::get;
      case FLOAT -> ((Float4Vector) vector)::get;
      case DOUBLE -> ((Float8Vector) vector)::get;
      case DATE -> ((DateDayVector) vector)::get;
      case TIME -> ((TimeMicroVector) vector)::get;
      case TIMESTAMP, TIMESTAMP_NANO -> ((TimeStampVector) vector)::get;
      case STRING -> slot -> text(((VarCharVector) vector).get(slot));
      case UUID -> slot -> UUIDUtil.convert(bytes(vector, slot));
      case FIXED, BINARY, GEOMETRY, GEOGRAPHY -> slot -> ByteBuffer.wrap(bytes(vector, slot));
      case DECIMAL -> ((DecimalVector) vector)::getObject;
      case STRUCT -> struct(type.asStructType().fields(), vector);
      case LIST -> list(type.asListType(), (ListVector) vector);
      case MAP -> map(type.asMapType(), (ListVector) vector);
      case VARIANT -> variant(vector);
      case UNKNOWN -> _ -> null;
    };
  }

  /** Java would put a replacement character where bytes are no text. */
  private static String text(byte[] bytes) {
    String text = new String(bytes, StandardCharsets.UTF_8);
    if (text.indexOf(REPLACEMENT) >= 0
        && !Arrays.equals(bytes, text.getBytes(StandardCharsets.UTF_8))) {
      throw ColumnError.batch("a text is not UTF-8");
    }
    return text;
  }

  private static byte[] bytes(FieldVector vector, int slot) {
    return switch (vector) {
      case FixedSizeBinaryVector fixed -> fixed.get(slot);
      case VarBinaryVector variable -> variable.get(slot);
      default -> throw new IllegalStateException("not bytes: " + vector.getField());
    };
  }

  private static Reader struct(List<NestedField> fields, FieldVector vector) {
    List<Reader> readers = readers(fields, vector.getChildrenFromFields());
    return slot -> new Row(readers, slot);
  }

  static List<Reader> readers(List<NestedField> fields, List<FieldVector> vectors) {
    List<Reader> readers = new ArrayList<>();
    for (int i = 0; i < fields.size(); i++) {
      readers.add(reader(fields.get(i).type(), vectors.get(i)));
    }
    return readers;
  }

  private static Reader list(ListType type, ListVector vector) {
    Reader elements = reader(type.elementType(), vector.getDataVector());
    return slot -> {
      List<@Nullable Object> values = new ArrayList<>();
      for (int i = vector.getElementStartIndex(slot); i < vector.getElementEndIndex(slot); i++) {
        values.add(elements.read(i));
      }
      return values;
    };
  }

  private static Reader map(MapType type, ListVector vector) {
    List<FieldVector> entries = vector.getDataVector().getChildrenFromFields();
    Reader keys = reader(type.keyType(), entries.get(0));
    Reader values = reader(type.valueType(), entries.get(1));
    return slot -> {
      List<Map.Entry<@Nullable Object, @Nullable Object>> all = new ArrayList<>();
      for (int i = vector.getElementStartIndex(slot); i < vector.getElementEndIndex(slot); i++) {
        all.add(new SimpleImmutableEntry<>(keys.read(i), values.read(i)));
      }
      return new Entries(all);
    };
  }

  /**
   * A map that is only gone through. Its keys were told apart by then, and are put into no hash
   * table: whoever sends them could choose bytes that all have one hash.
   */
  private static final class Entries extends AbstractMap<@Nullable Object, @Nullable Object> {
    private final List<Map.Entry<@Nullable Object, @Nullable Object>> all;

    Entries(List<Map.Entry<@Nullable Object, @Nullable Object>> all) {
      this.all = all;
    }

    @Override
    public Set<Map.Entry<@Nullable Object, @Nullable Object>> entrySet() {
      return new AbstractSet<>() {
        @Override
        public Iterator<Map.Entry<@Nullable Object, @Nullable Object>> iterator() {
          return all.iterator();
        }

        @Override
        public int size() {
          return all.size();
        }
      };
    }
  }

  private static Reader variant(FieldVector vector) {
    VarBinaryVector metadatas = (VarBinaryVector) vector.getChildrenFromFields().get(0);
    VarBinaryVector values = (VarBinaryVector) vector.getChildrenFromFields().get(1);
    return slot -> {
      VariantMetadata metadata = VariantMetadata.from(littleEndian(metadatas.get(slot)));
      return Variant.of(metadata, VariantValue.from(metadata, littleEndian(values.get(slot))));
    };
  }

  private static ByteBuffer littleEndian(byte[] bytes) {
    return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }

  /** The same value, or null, in the first {@code count} slots of an empty vector. */
  static void fill(FieldVector vector, Type type, int count, @Nullable Object value) {
    vector.setInitialCapacity(count);
    vector.allocateNew();
    if (value != null) {
      Writer writer = writer(type, vector);
      for (int i = 0; i < count; i++) {
        writer.write(i, value);
      }
    }
    vector.setValueCount(count);
  }

  /** Writes a non-null value of a primitive type; the vector grows as needed. */
  @FunctionalInterface
  interface Writer {
    void write(int slot, Object value);
  }

  static Writer writer(Type type, FieldVector vector) {
    return switch (type.typeId()) {
      case BOOLEAN -> (i, v) -> ((BitVector) vector).setSafe(i, (Boolean) v ? 1 : 0);
      case INTEGER -> (i, v) -> ((IntVector) vector).setSafe(i, (Integer) v);
      case LONG -> (i, v) -> ((BigIntVector) vector).setSafe(i, (Long) v);
      case FLOAT -> (i, v) -> ((Float4Vector) vector).setSafe(i, (Float) v);
      case DOUBLE -> (i, v) -> ((Float8Vector) vector).setSafe(i, (Double) v);
      case DATE -> (i, v) -> ((DateDayVector) vector).setSafe(i, (Integer) v);
      case TIME -> (i, v) -> ((TimeMicroVector) vector).setSafe(i, (Long) v);
      case TIMESTAMP, TIMESTAMP_NANO -> (i, v) -> ((TimeStampVector) vector).setSafe(i, (Long) v);
      case STRING ->
          (i, v) ->
              ((VarCharVector) vector).setSafe(i, v.toString().getBytes(StandardCharsets.UTF_8));
      case UUID ->
          (i, v) -> ((FixedSizeBinaryVector) vector).setSafe(i, UUIDUtil.convert((UUID) v));
      case FIXED -> (i, v) -> ((FixedSizeBinaryVector) vector).setSafe(i, bytes((ByteBuffer) v));
      case BINARY, GEOMETRY, GEOGRAPHY ->
          (i, v) -> ((VarBinaryVector) vector).setSafe(i, bytes((ByteBuffer) v));
      case DECIMAL -> (i, v) -> ((DecimalVector) vector).setSafe(i, (BigDecimal) v);
      case STRUCT, LIST, MAP, VARIANT, UNKNOWN ->
          throw Encoder.unsupported("a default or key of type " + type);
    };
  }

  private static byte[] bytes(ByteBuffer value) {
    byte[] bytes = new byte[value.remaining()];
    value.duplicate().get(bytes);
    return bytes;
  }

  /** A struct, or a whole row, read where it lies; valid as long as the vectors hold it. */
  static final class Row implements StructLike {
    private final List<Reader> fields;
    private final int slot;

    Row(List<Reader> fields, int slot) {
      this.fields = fields;
      this.slot = slot;
    }

    @Override
    public int size() {
      return fields.size();
    }

    @Override
    // Iceberg's StructLike is null by convention.
    @SuppressWarnings("NullAway")
    public <T> T get(int position, Class<T> type) {
      return type.cast(fields.get(position).read(slot));
    }

    @Override
    public <T> void set(int position, T value) {
      throw new UnsupportedOperationException("a row is read where it lies");
    }
  }
}
