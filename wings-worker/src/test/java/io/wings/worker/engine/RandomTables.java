package io.wings.worker.engine;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.NullOrder;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.SortDirection;
import org.apache.iceberg.SortOrder;
import org.apache.iceberg.expressions.Expressions;
import org.apache.iceberg.expressions.Term;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;

/** Seeded schemas, partition specs, sort orders and properties. */
final class RandomTables {
  private final RandomValues values;

  RandomTables(RandomValues values) {
    this.values = values;
  }

  Schema schema() {
    return new Schema(values.fields(2 + values.random.nextInt(7), 2));
  }

  /**
   * Full names of primitive fields that transforms may take: columns and what lies below structs.
   */
  static List<String> leaves(Schema schema) {
    List<String> names = new ArrayList<>();
    leaves("", schema.columns(), names);
    return names;
  }

  private static void leaves(String prefix, List<NestedField> fields, List<String> names) {
    for (NestedField field : fields) {
      if (field.type().isStructType()) {
        leaves(prefix + field.name() + ".", field.type().asStructType().fields(), names);
      } else if (field.type().isPrimitiveType()) {
        names.add(prefix + field.name());
      }
    }
  }

  PartitionSpec spec(Schema schema) {
    PartitionSpec.Builder builder = PartitionSpec.builderFor(schema);
    List<String> sources = leaves(schema);
    int count = sources.isEmpty() || values.chance(25) ? 0 : 1 + values.random.nextInt(3);
    for (int i = 0; i < count; i++) {
      String source = sources.remove(values.random.nextInt(sources.size()));
      String name = "p" + i;
      int choice = values.random.nextInt(4);
      Type type = schema.findType(source);
      switch (transform(type, choice)) {
        case "bucket" -> builder.bucket(source, 4, name);
        case "truncate" -> builder.truncate(source, 3, name);
        case "year" -> builder.year(source, name);
        case "month" -> builder.month(source, name);
        case "day" -> builder.day(source, name);
        case "hour" -> builder.hour(source, name);
        case "void" -> builder.alwaysNull(source, name);
        default -> {
          // Of a struct with nothing else, Iceberg's reader can't tell null from a struct of null.
          if (source.contains(".")) {
            builder.alwaysNull(source, name);
          } else {
            builder.identity(source, name);
          }
        }
      }
      if (sources.isEmpty()) {
        break;
      }
    }
    return builder.build();
  }

  private String transform(Type type, int choice) {
    return switch (type.typeId()) {
      case BOOLEAN, FLOAT, DOUBLE -> choice == 0 ? "void" : "identity";
      case INTEGER, LONG, STRING, BINARY, DECIMAL ->
          List.of("identity", "bucket", "truncate", "bucket").get(choice);
      case DATE -> List.of("identity", "bucket", "month", "day").get(choice);
      case TIMESTAMP, TIMESTAMP_NANO -> List.of("bucket", "year", "day", "hour").get(choice);
      case TIME, UUID, FIXED -> choice < 2 ? "bucket" : "identity";
      case STRUCT, LIST, MAP, UNKNOWN, GEOMETRY, GEOGRAPHY, VARIANT ->
          throw new IllegalArgumentException(type.toString());
    };
  }

  SortOrder order(Schema schema) {
    SortOrder.Builder builder = SortOrder.builderFor(schema);
    List<String> sources = leaves(schema);
    int count = sources.isEmpty() || values.chance(30) ? 0 : 1 + values.random.nextInt(2);
    for (int i = 0; i < Math.min(count, sources.size()); i++) {
      String source = sources.remove(values.random.nextInt(sources.size()));
      SortDirection direction = values.pick(SortDirection.values());
      NullOrder nulls = values.pick(NullOrder.values());
      builder.sortBy(term(source, schema.findType(source)), direction, nulls);
    }
    return builder.build();
  }

  private Term term(String source, Type type) {
    int choice = values.random.nextInt(4);
    return switch (transform(type, choice)) {
      case "bucket" -> Expressions.bucket(source, 4);
      case "truncate" -> Expressions.truncate(source, 3);
      case "year" -> Expressions.year(source);
      case "month" -> Expressions.month(source);
      case "day" -> Expressions.day(source);
      case "hour" -> Expressions.hour(source);
      default -> Expressions.ref(source);
    };
  }

  Map<String, String> properties() {
    Map<String, String> properties = new HashMap<>();
    if (values.chance(40)) {
      properties.put("write.parquet.compression-codec", values.pick("zstd", "snappy", "gzip"));
    }
    if (values.chance(30)) {
      properties.put("write.target-file-size-bytes", values.pick("1", "20000"));
    }
    if (values.chance(30)) {
      properties.put(
          "write.metadata.metrics.default", values.pick("full", "counts", "none", "truncate(2)"));
    }
    if (values.chance(20)) {
      properties.put("write.object-storage.enabled", "true");
    }
    return properties;
  }

  /** A type that a column of {@code type} may be widened to, itself where there is none. */
  static Type.PrimitiveType widened(Type.PrimitiveType type) {
    return switch (type.typeId()) {
      case INTEGER -> Types.LongType.get();
      case FLOAT -> Types.DoubleType.get();
      case DECIMAL -> {
        Types.DecimalType decimal = (Types.DecimalType) type;
        yield Types.DecimalType.of(Math.min(38, decimal.precision() + 10), decimal.scale());
      }
      default -> type;
    };
  }
}
