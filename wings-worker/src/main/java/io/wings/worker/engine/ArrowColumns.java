package io.wings.worker.engine;

import java.util.List;
import java.util.Map;
import org.apache.arrow.vector.complex.MapVector;
import org.apache.arrow.vector.types.DateUnit;
import org.apache.arrow.vector.types.FloatingPointPrecision;
import org.apache.arrow.vector.types.TimeUnit;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types.DecimalType;
import org.apache.iceberg.types.Types.FixedType;
import org.apache.iceberg.types.Types.ListType;
import org.apache.iceberg.types.Types.MapType;
import org.apache.iceberg.types.Types.NestedField;
import org.apache.iceberg.types.Types.TimestampNanoType;
import org.apache.iceberg.types.Types.TimestampType;

/**
 * The one Arrow form of each Iceberg type inside the engine. All batches of a call are brought into
 * it, whatever schema they were written with.
 *
 * <p>What DuckDB only carries for {@link Encoder#ICEBERG} is opaque to it: maps are lists of
 * entries, uuids bytes.
 */
final class ArrowColumns {
  static final String METADATA = "metadata";
  static final String VALUE = "value";

  private static final Map<String, String> UUID_EXTENSION =
      Map.of("ARROW:extension:name", "arrow.uuid", "ARROW:extension:metadata", "");
  private static final int UUID_BYTES = 16;

  private ArrowColumns() {}

  static List<Field> of(List<NestedField> fields, Encoder encoder) {
    return fields.stream().map(field -> field(field.name(), field.type(), encoder)).toList();
  }

  static Field field(String name, Type type, Encoder encoder) {
    return new Field(name, fieldType(type, encoder), children(type, encoder));
  }

  private static FieldType fieldType(Type type, Encoder encoder) {
    boolean extension = type.typeId() == Type.TypeID.UUID && encoder == Encoder.DUCKDB;
    return new FieldType(
        true, arrowType(type, encoder), null, extension ? UUID_EXTENSION : Map.of());
  }

  private static List<Field> children(Type type, Encoder encoder) {
    return switch (type.typeId()) {
      case STRUCT -> of(type.asStructType().fields(), encoder);
      case LIST -> {
        ListType list = type.asListType();
        yield List.of(field("element", list.elementType(), encoder));
      }
      case MAP -> {
        MapType map = type.asMapType();
        Field key = field(MapVector.KEY_NAME, map.keyType(), encoder);
        Field value = field(MapVector.VALUE_NAME, map.valueType(), encoder);
        yield List.of(required(MapVector.DATA_VECTOR_NAME, List.of(required(key), value)));
      }
      case VARIANT -> {
        FieldType binary = FieldType.nullable(new ArrowType.Binary());
        yield List.of(new Field(METADATA, binary, null), new Field(VALUE, binary, null));
      }
      case BOOLEAN,
          INTEGER,
          LONG,
          FLOAT,
          DOUBLE,
          DATE,
          TIME,
          TIMESTAMP,
          TIMESTAMP_NANO,
          STRING,
          UUID,
          FIXED,
          BINARY,
          DECIMAL,
          GEOMETRY,
          GEOGRAPHY,
          UNKNOWN ->
          List.of();
    };
  }

  private static Field required(String name, List<Field> children) {
    return new Field(name, FieldType.notNullable(new ArrowType.Struct()), children);
  }

  private static Field required(Field field) {
    FieldType type = new FieldType(false, field.getType(), null, field.getMetadata());
    return new Field(field.getName(), type, field.getChildren());
  }

  private static ArrowType arrowType(Type type, Encoder encoder) {
    return switch (type.typeId()) {
      case BOOLEAN -> new ArrowType.Bool();
      case INTEGER -> new ArrowType.Int(Integer.SIZE, true);
      case LONG -> new ArrowType.Int(Long.SIZE, true);
      case FLOAT -> new ArrowType.FloatingPoint(FloatingPointPrecision.SINGLE);
      case DOUBLE -> new ArrowType.FloatingPoint(FloatingPointPrecision.DOUBLE);
      case DATE -> new ArrowType.Date(DateUnit.DAY);
      case TIME -> new ArrowType.Time(TimeUnit.MICROSECOND, Long.SIZE);
      case TIMESTAMP -> {
        boolean zoned = ((TimestampType) type).shouldAdjustToUTC();
        yield new ArrowType.Timestamp(TimeUnit.MICROSECOND, zoned ? "UTC" : null);
      }
      case TIMESTAMP_NANO -> {
        boolean zoned = ((TimestampNanoType) type).shouldAdjustToUTC();
        yield new ArrowType.Timestamp(TimeUnit.NANOSECOND, zoned ? "UTC" : null);
      }
      case STRING -> new ArrowType.Utf8();
      case UUID -> new ArrowType.FixedSizeBinary(UUID_BYTES);
      case FIXED -> new ArrowType.FixedSizeBinary(((FixedType) type).length());
      case BINARY, GEOMETRY, GEOGRAPHY -> new ArrowType.Binary();
      case DECIMAL -> {
        DecimalType decimal = (DecimalType) type;
        yield new ArrowType.Decimal(decimal.precision(), decimal.scale(), 128);
      }
      case STRUCT, VARIANT -> new ArrowType.Struct();
      case LIST -> new ArrowType.List();
      case MAP -> encoder == Encoder.DUCKDB ? new ArrowType.Map(false) : new ArrowType.List();
      case UNKNOWN -> new ArrowType.Null();
    };
  }
}
