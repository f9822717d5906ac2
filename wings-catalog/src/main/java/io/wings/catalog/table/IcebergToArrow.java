package io.wings.catalog.table;

import io.wings.common.cluster.Printable;
import io.wings.common.error.WingsException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.arrow.vector.types.DateUnit;
import org.apache.arrow.vector.types.FloatingPointPrecision;
import org.apache.arrow.vector.types.TimeUnit;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.apache.arrow.vector.types.pojo.Schema;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;

/** The Arrow schema in which a table's batches travel. */
final class IcebergToArrow {
  private static final String UTC = "UTC";

  Schema convert(org.apache.iceberg.Schema table) {
    return new Schema(fields(table.columns(), ""));
  }

  private List<Field> fields(List<Types.NestedField> columns, String path) {
    List<Field> fields = new ArrayList<>(columns.size());
    for (Types.NestedField column : columns) {
      fields.add(field(column, path));
    }
    return fields;
  }

  private Field field(Types.NestedField column, String parent) {
    String path = parent.isEmpty() ? column.name() : parent + "." + column.name();
    Map<String, String> metadata =
        Map.of(ArrowSchemas.FIELD_ID, Integer.toString(column.fieldId()));
    FieldType type = new FieldType(column.isOptional(), type(column.type(), path), null, metadata);
    return new Field(column.name(), type, children(column.type(), path));
  }

  private List<Field> children(Type type, String path) {
    return switch (type.typeId()) {
      case STRUCT -> fields(type.asStructType().fields(), path);
      case LIST -> fields(type.asListType().fields(), path);
      case MAP ->
          List.of(
              new Field(
                  "entries",
                  FieldType.notNullable(ArrowType.Struct.INSTANCE),
                  fields(type.asMapType().fields(), path)));
      default -> List.of();
    };
  }

  private static ArrowType type(Type type, String path) {
    return switch (type.typeId()) {
      case BOOLEAN -> ArrowType.Bool.INSTANCE;
      case INTEGER -> new ArrowType.Int(32, true);
      case LONG -> new ArrowType.Int(64, true);
      case FLOAT -> new ArrowType.FloatingPoint(FloatingPointPrecision.SINGLE);
      case DOUBLE -> new ArrowType.FloatingPoint(FloatingPointPrecision.DOUBLE);
      case DATE -> new ArrowType.Date(DateUnit.DAY);
      case TIME -> new ArrowType.Time(TimeUnit.MICROSECOND, 64);
      case TIMESTAMP -> timestamp(TimeUnit.MICROSECOND, adjustsToUtc(type));
      case TIMESTAMP_NANO -> timestamp(TimeUnit.NANOSECOND, adjustsToUtc(type));
      case STRING -> ArrowType.Utf8.INSTANCE;
      case BINARY -> ArrowType.Binary.INSTANCE;
      case UUID -> new ArrowType.FixedSizeBinary(16);
      case FIXED -> new ArrowType.FixedSizeBinary(((Types.FixedType) type).length());
      case DECIMAL -> {
        Types.DecimalType decimal = (Types.DecimalType) type;
        yield new ArrowType.Decimal(decimal.precision(), decimal.scale(), 128);
      }
      case STRUCT -> ArrowType.Struct.INSTANCE;
      case LIST -> ArrowType.List.INSTANCE;
      case MAP -> new ArrowType.Map(false);
      case UNKNOWN -> ArrowType.Null.INSTANCE;
      case VARIANT, GEOMETRY, GEOGRAPHY ->
          throw WingsException.invalid(
              "type-unsupported",
              "column \"%s\" of the table is %s, which can't be streamed yet"
                  .formatted(Printable.of(path), type));
    };
  }

  private static boolean adjustsToUtc(Type type) {
    return type instanceof Types.TimestampType micros
        ? micros.shouldAdjustToUTC()
        : ((Types.TimestampNanoType) type).shouldAdjustToUTC();
  }

  private static ArrowType timestamp(TimeUnit unit, boolean utc) {
    return new ArrowType.Timestamp(unit, utc ? UTC : null);
  }
}
