package io.wings.catalog.table;

import io.wings.common.cluster.Printable;
import io.wings.common.error.ErrorKind;
import io.wings.common.error.WingsException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.arrow.vector.types.FloatingPointPrecision;
import org.apache.arrow.vector.types.TimeUnit;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.Schema;
import org.apache.iceberg.exceptions.ValidationException;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;

/** The schema of a table that is created for a stream; one instance per schema. */
final class ArrowToIceberg {
  private static final int MAX_DECIMAL_DIGITS = 38;
  private static final int UINT64_DIGITS = 20;
  private static final String EXTENSION_NAME = "ARROW:extension:name";
  private static final String UUID_EXTENSION = "arrow.uuid";

  private int lastId;

  org.apache.iceberg.Schema convert(Schema arrow) {
    if (arrow.getFields().isEmpty()) {
      throw invalid("the schema has no columns");
    }
    List<Types.NestedField> columns = fields(arrow.getFields(), "", 1);
    try {
      return new org.apache.iceberg.Schema(columns);
    } catch (IllegalArgumentException | ValidationException e) {
      throw new WingsException(
          ErrorKind.INVALID,
          "schema-invalid",
          "Iceberg refuses the schema: " + Printable.of(String.valueOf(e.getMessage())),
          e);
    }
  }

  private List<Types.NestedField> fields(List<Field> fields, String path, int depth) {
    if (depth > ArrowSchemas.MAX_DEPTH) {
      throw invalid("more than " + ArrowSchemas.MAX_DEPTH + " nested levels");
    }
    if (lastId + fields.size() > ArrowSchemas.MAX_FIELDS) {
      throw invalid("more than " + ArrowSchemas.MAX_FIELDS + " fields");
    }
    // A level's ids are drawn before those of the levels below it, as Iceberg does.
    int firstId = lastId + 1;
    lastId += fields.size();
    Set<String> names = new HashSet<>();
    List<Types.NestedField> columns = new ArrayList<>(fields.size());
    for (Field field : fields) {
      String name = field.getName();
      String where = path(path, name);
      if (name == null || name.isEmpty()) {
        throw invalid("a column under \"%s\" has no name".formatted(Printable.of(path)));
      }
      if (!names.add(name)) {
        throw invalid("column \"%s\" is there twice".formatted(Printable.of(where)));
      }
      Type type = type(field, where, depth);
      boolean optional = field.isNullable() || type.typeId() == Type.TypeID.UNKNOWN;
      columns.add(
          Types.NestedField.builder()
              .withId(firstId + columns.size())
              .isOptional(optional)
              .withName(name)
              .ofType(type)
              .build());
    }
    return columns;
  }

  private Type type(Field field, String path, int depth) {
    ArrowType type = ArrowTypes.storage(field.getType());
    return switch (type) {
      case ArrowType.Bool _ -> Types.BooleanType.get();
      case ArrowType.Int integer -> integer(integer);
      case ArrowType.FloatingPoint floating ->
          floating.getPrecision() == FloatingPointPrecision.DOUBLE
              ? Types.DoubleType.get()
              : Types.FloatType.get();
      case ArrowType.Decimal decimal -> decimal(decimal, path);
      case ArrowType.Date _ -> Types.DateType.get();
      case ArrowType.Time time when time.getUnit() != TimeUnit.NANOSECOND -> Types.TimeType.get();
      case ArrowType.Timestamp timestamp -> timestamp(timestamp);
      case ArrowType.Utf8 _, ArrowType.LargeUtf8 _, ArrowType.Utf8View _ -> Types.StringType.get();
      case ArrowType.Binary _, ArrowType.LargeBinary _, ArrowType.BinaryView _ ->
          Types.BinaryType.get();
      case ArrowType.FixedSizeBinary fixed -> fixed(fixed, field);
      case ArrowType.Null _ -> Types.UnknownType.get();
      case ArrowType.Struct _ -> Types.StructType.of(fields(field.getChildren(), path, depth + 1));
      case ArrowType.Map _ -> map(field, path, depth);
      case ArrowType.List _,
          ArrowType.LargeList _,
          ArrowType.FixedSizeList _,
          ArrowType.ListView _,
          ArrowType.LargeListView _ ->
          list(field, path, depth);
      default ->
          throw WingsException.invalid(
              "type-unsupported",
              "column \"%s\" is %s, which Iceberg has no type for; cast it"
                  .formatted(Printable.of(path), type));
    };
  }

  private static Type integer(ArrowType.Int type) {
    int bits = type.getBitWidth();
    if (type.getIsSigned()) {
      return bits == 64 ? Types.LongType.get() : Types.IntegerType.get();
    }
    return switch (bits) {
      case 64 -> Types.DecimalType.of(UINT64_DIGITS, 0);
      case 32 -> Types.LongType.get();
      default -> Types.IntegerType.get();
    };
  }

  private static Type decimal(ArrowType.Decimal type, String path) {
    boolean fits =
        type.getPrecision() >= 1
            && type.getPrecision() <= MAX_DECIMAL_DIGITS
            && type.getScale() >= 0
            && type.getScale() <= type.getPrecision();
    if (!fits) {
      throw WingsException.invalid(
          "type-unsupported",
          "column \"%s\" is decimal(%d, %d), expected 1 to %d digits and a scale from 0 to these"
              .formatted(
                  Printable.of(path), type.getPrecision(), type.getScale(), MAX_DECIMAL_DIGITS));
    }
    return Types.DecimalType.of(type.getPrecision(), type.getScale());
  }

  private static Type timestamp(ArrowType.Timestamp type) {
    boolean zoned = type.getTimezone() != null && !type.getTimezone().isEmpty();
    if (type.getUnit() == TimeUnit.NANOSECOND) {
      return zoned ? Types.TimestampNanoType.withZone() : Types.TimestampNanoType.withoutZone();
    }
    return zoned ? Types.TimestampType.withZone() : Types.TimestampType.withoutZone();
  }

  private static Type fixed(ArrowType.FixedSizeBinary type, Field field) {
    boolean uuid =
        ArrowTypes.extension(field.getType()).equals(UUID_EXTENSION)
            || UUID_EXTENSION.equals(field.getMetadata().get(EXTENSION_NAME));
    return uuid && type.getByteWidth() == 16
        ? Types.UUIDType.get()
        : Types.FixedType.ofLength(type.getByteWidth());
  }

  private Type list(Field field, String path, int depth) {
    if (field.getChildren().size() != 1) {
      throw invalid("list \"%s\" has no element type".formatted(Printable.of(path)));
    }
    Field child = field.getChildren().getFirst();
    int id = nested(depth);
    Type element = type(child, path(path, "element"), depth + 1);
    return child.isNullable() || element.typeId() == Type.TypeID.UNKNOWN
        ? Types.ListType.ofOptional(id, element)
        : Types.ListType.ofRequired(id, element);
  }

  private Type map(Field field, String path, int depth) {
    if (field.getChildren().size() != 1
        || field.getChildren().getFirst().getChildren().size() != 2) {
      throw invalid("map \"%s\" has no key and value types".formatted(Printable.of(path)));
    }
    List<Field> entry = field.getChildren().getFirst().getChildren();
    int keyId = nested(depth);
    int valueId = nested(depth);
    Type key = type(entry.getFirst(), path(path, "key"), depth + 1);
    Type value = type(entry.getLast(), path(path, "value"), depth + 1);
    if (key.typeId() == Type.TypeID.UNKNOWN) {
      throw invalid("map \"%s\" has keys of type null".formatted(Printable.of(path)));
    }
    return entry.getLast().isNullable() || value.typeId() == Type.TypeID.UNKNOWN
        ? Types.MapType.ofOptional(keyId, valueId, key, value)
        : Types.MapType.ofRequired(keyId, valueId, key, value);
  }

  private int nested(int depth) {
    if (depth >= ArrowSchemas.MAX_DEPTH) {
      throw invalid("more than " + ArrowSchemas.MAX_DEPTH + " nested levels");
    }
    if (lastId >= ArrowSchemas.MAX_FIELDS) {
      throw invalid("more than " + ArrowSchemas.MAX_FIELDS + " fields");
    }
    return ++lastId;
  }

  private static String path(String parent, String name) {
    return parent.isEmpty() ? name : parent + "." + name;
  }

  private static WingsException invalid(String detail) {
    return WingsException.invalid("schema-invalid", detail);
  }
}
