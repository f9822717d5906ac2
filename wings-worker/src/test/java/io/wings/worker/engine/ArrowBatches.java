package io.wings.worker.engine;

import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.BitVector;
import org.apache.arrow.vector.DateDayVector;
import org.apache.arrow.vector.DecimalVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.FixedSizeBinaryVector;
import org.apache.arrow.vector.Float4Vector;
import org.apache.arrow.vector.Float8Vector;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.NullVector;
import org.apache.arrow.vector.TimeMicroVector;
import org.apache.arrow.vector.TimeStampVector;
import org.apache.arrow.vector.VarBinaryVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.complex.ListVector;
import org.apache.arrow.vector.complex.StructVector;
import org.apache.arrow.vector.types.DateUnit;
import org.apache.arrow.vector.types.FloatingPointPrecision;
import org.apache.arrow.vector.types.TimeUnit;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.apache.iceberg.Schema;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;
import org.jspecify.annotations.Nullable;

/** Batches as a client of a table with some Iceberg schema sends them, from generic records. */
final class ArrowBatches {
  private ArrowBatches() {}

  /** A source of those batches; the caller closes them. */
  static BatchSource source(List<VectorSchemaRoot> batches) {
    Iterator<VectorSchemaRoot> rest = batches.iterator();
    return () -> rest.hasNext() ? rest.next() : null;
  }

  static VectorSchemaRoot batch(Schema schema, List<Record> rows, BufferAllocator allocator) {
    List<FieldVector> vectors = new ArrayList<>();
    for (NestedField field : schema.columns()) {
      FieldVector vector = field(field).createVector(allocator);
      vector.setInitialCapacity(rows.size());
      vector.allocateNew();
      int position = vectors.size();
      for (int i = 0; i < rows.size(); i++) {
        set(vector, field.type(), i, rows.get(i).get(position));
      }
      vector.setValueCount(rows.size());
      vectors.add(vector);
    }
    VectorSchemaRoot root = new VectorSchemaRoot(vectors);
    root.setRowCount(rows.size());
    return root;
  }

  static Field field(NestedField field) {
    return field(field.name(), field.fieldId(), field.isOptional(), field.type());
  }

  private static Field field(String name, int id, boolean optional, Type type) {
    List<Field> children =
        switch (type.typeId()) {
          case STRUCT -> type.asStructType().fields().stream().map(ArrowBatches::field).toList();
          case LIST -> {
            Types.ListType list = type.asListType();
            yield List.of(
                field("item", list.elementId(), list.isElementOptional(), list.elementType()));
          }
          case MAP -> {
            Types.MapType map = type.asMapType();
            Field key = field("key", map.keyId(), false, map.keyType());
            Field value = field("value", map.valueId(), map.isValueOptional(), map.valueType());
            yield List.of(
                new Field(
                    "entries", FieldType.notNullable(new ArrowType.Struct()), List.of(key, value)));
          }
          default -> List.of();
        };
    return new Field(
        name,
        new FieldType(
            optional, arrowType(type), null, Map.of(BatchAligner.FIELD_ID, Integer.toString(id))),
        children);
  }

  static ArrowType arrowType(Type type) {
    return switch (type.typeId()) {
      case BOOLEAN -> new ArrowType.Bool();
      case INTEGER -> new ArrowType.Int(32, true);
      case LONG -> new ArrowType.Int(64, true);
      case FLOAT -> new ArrowType.FloatingPoint(FloatingPointPrecision.SINGLE);
      case DOUBLE -> new ArrowType.FloatingPoint(FloatingPointPrecision.DOUBLE);
      case DATE -> new ArrowType.Date(DateUnit.DAY);
      case TIME -> new ArrowType.Time(TimeUnit.MICROSECOND, 64);
      case TIMESTAMP ->
          new ArrowType.Timestamp(
              TimeUnit.MICROSECOND,
              ((Types.TimestampType) type).shouldAdjustToUTC() ? "UTC" : null);
      case TIMESTAMP_NANO ->
          new ArrowType.Timestamp(
              TimeUnit.NANOSECOND,
              ((Types.TimestampNanoType) type).shouldAdjustToUTC() ? "UTC" : null);
      case STRING -> new ArrowType.Utf8();
      case UUID -> new ArrowType.FixedSizeBinary(16);
      case FIXED -> new ArrowType.FixedSizeBinary(((Types.FixedType) type).length());
      case BINARY -> new ArrowType.Binary();
      case DECIMAL ->
          new ArrowType.Decimal(
              ((Types.DecimalType) type).precision(), ((Types.DecimalType) type).scale(), 128);
      case STRUCT -> new ArrowType.Struct();
      case LIST -> new ArrowType.List();
      case MAP -> new ArrowType.Map(false);
      case UNKNOWN -> new ArrowType.Null();
      case GEOMETRY, GEOGRAPHY, VARIANT -> throw new IllegalArgumentException(type.toString());
    };
  }

  static void set(FieldVector vector, Type type, int row, @Nullable Object value) {
    if (value == null) {
      if (!(vector instanceof NullVector)) {
        vector.setNull(row);
      }
      return;
    }
    switch (type.typeId()) {
      case BOOLEAN -> ((BitVector) vector).setSafe(row, (Boolean) value ? 1 : 0);
      case INTEGER -> ((IntVector) vector).setSafe(row, (Integer) value);
      case LONG -> ((BigIntVector) vector).setSafe(row, (Long) value);
      case FLOAT -> ((Float4Vector) vector).setSafe(row, (Float) value);
      case DOUBLE -> ((Float8Vector) vector).setSafe(row, (Double) value);
      case DATE -> ((DateDayVector) vector).setSafe(row, (int) ((LocalDate) value).toEpochDay());
      case TIME ->
          ((TimeMicroVector) vector).setSafe(row, ((LocalTime) value).toNanoOfDay() / 1000);
      case TIMESTAMP -> ((TimeStampVector) vector).setSafe(row, since(value, ChronoUnit.MICROS));
      case TIMESTAMP_NANO ->
          ((TimeStampVector) vector).setSafe(row, since(value, ChronoUnit.NANOS));
      case STRING ->
          ((VarCharVector) vector).setSafe(row, value.toString().getBytes(StandardCharsets.UTF_8));
      case UUID -> ((FixedSizeBinaryVector) vector).setSafe(row, bytes((UUID) value));
      case FIXED -> ((FixedSizeBinaryVector) vector).setSafe(row, (byte[]) value);
      case BINARY -> ((VarBinaryVector) vector).setSafe(row, bytes((ByteBuffer) value));
      case DECIMAL -> ((DecimalVector) vector).setSafe(row, (BigDecimal) value);
      case STRUCT -> setStruct((StructVector) vector, type.asStructType(), row, (Record) value);
      case LIST -> setList((ListVector) vector, type.asListType(), row, (List<?>) value);
      case MAP -> setMap((ListVector) vector, type.asMapType(), row, (Map<?, ?>) value);
      case UNKNOWN, GEOMETRY, GEOGRAPHY, VARIANT ->
          throw new IllegalArgumentException(type.toString());
    }
  }

  private static void setStruct(StructVector vector, Types.StructType type, int row, Record value) {
    vector.setIndexDefined(row);
    for (int i = 0; i < type.fields().size(); i++) {
      set(vector.getChildrenFromFields().get(i), type.fields().get(i).type(), row, value.get(i));
    }
  }

  private static void setList(ListVector vector, Types.ListType type, int row, List<?> values) {
    int start = vector.startNewValue(row);
    for (int i = 0; i < values.size(); i++) {
      set(vector.getDataVector(), type.elementType(), start + i, values.get(i));
    }
    vector.endValue(row, values.size());
  }

  private static void setMap(ListVector vector, Types.MapType type, int row, Map<?, ?> entries) {
    int start = vector.startNewValue(row);
    StructVector struct = (StructVector) vector.getDataVector();
    int i = start;
    for (Map.Entry<?, ?> entry : entries.entrySet()) {
      struct.setIndexDefined(i);
      set(struct.getChildrenFromFields().get(0), type.keyType(), i, entry.getKey());
      set(struct.getChildrenFromFields().get(1), type.valueType(), i, entry.getValue());
      i++;
    }
    vector.endValue(row, entries.size());
  }

  private static long since(Object value, ChronoUnit unit) {
    OffsetDateTime epoch = OffsetDateTime.of(1970, 1, 1, 0, 0, 0, 0, ZoneOffset.UTC);
    return value instanceof LocalDateTime local
        ? unit.between(epoch, local.atOffset(ZoneOffset.UTC))
        : unit.between(epoch, (OffsetDateTime) value);
  }

  private static byte[] bytes(UUID uuid) {
    return ByteBuffer.allocate(16)
        .putLong(uuid.getMostSignificantBits())
        .putLong(uuid.getLeastSignificantBits())
        .array();
  }

  private static byte[] bytes(ByteBuffer buffer) {
    byte[] bytes = new byte[buffer.remaining()];
    buffer.duplicate().get(bytes);
    return bytes;
  }
}
