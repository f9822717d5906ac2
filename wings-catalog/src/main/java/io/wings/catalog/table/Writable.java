package io.wings.catalog.table;

import static org.apache.iceberg.TableProperties.ENCRYPTION_TABLE_KEY;
import static org.apache.iceberg.TableProperties.PARQUET_BLOOM_FILTER_COLUMN_FPP_PREFIX;
import static org.apache.iceberg.TableProperties.PARQUET_BLOOM_FILTER_COLUMN_NDV_PREFIX;
import static org.apache.iceberg.TableProperties.PARQUET_BLOOM_FILTER_MAX_BYTES;
import static org.apache.iceberg.TableProperties.PARQUET_COMPRESSION_LEVEL;
import static org.apache.iceberg.TableProperties.PARQUET_DICT_SIZE_BYTES;
import static org.apache.iceberg.TableProperties.PARQUET_PAGE_ROW_LIMIT;
import static org.apache.iceberg.TableProperties.PARQUET_PAGE_SIZE_BYTES;
import static org.apache.iceberg.TableProperties.PARQUET_ROW_GROUP_CHECK_MAX_RECORD_COUNT;
import static org.apache.iceberg.TableProperties.PARQUET_ROW_GROUP_CHECK_MIN_RECORD_COUNT;
import static org.apache.iceberg.TableProperties.PARQUET_ROW_GROUP_SIZE_BYTES;
import static org.apache.iceberg.TableProperties.WRITE_TARGET_FILE_SIZE_BYTES;

import io.wings.common.cluster.Printable;
import io.wings.common.error.ErrorKind;
import io.wings.common.error.WingsException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.iceberg.PartitionField;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.SortField;
import org.apache.iceberg.SortOrder;
import org.apache.iceberg.Table;
import org.apache.iceberg.encryption.PlaintextEncryptionManager;
import org.apache.iceberg.transforms.Transform;
import org.apache.iceberg.transforms.UnknownTransform;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.jspecify.annotations.Nullable;

/**
 * Whether a worker can write data files of a table at all. This is the one place that says so: a
 * table is held against it before its first acknowledgement, whoever made it, since rows that no
 * worker can write would wait in the log for ever.
 */
public final class Writable {
  /** Properties that the encoders read as whole numbers. */
  private static final Set<String> WHOLE_NUMBERS =
      Set.of(
          WRITE_TARGET_FILE_SIZE_BYTES,
          PARQUET_ROW_GROUP_SIZE_BYTES,
          PARQUET_PAGE_SIZE_BYTES,
          PARQUET_PAGE_ROW_LIMIT,
          PARQUET_DICT_SIZE_BYTES,
          PARQUET_ROW_GROUP_CHECK_MIN_RECORD_COUNT,
          PARQUET_ROW_GROUP_CHECK_MAX_RECORD_COUNT,
          PARQUET_BLOOM_FILTER_MAX_BYTES);

  private Writable() {}

  /**
   * Refuses a table that can't be written.
   *
   * @throws WingsException {@code table-unsupported}, saying why
   */
  public static void require(Table table) {
    if (!(table.encryption() instanceof PlaintextEncryptionManager)) {
      throw unsupported("the table is encrypted, expected one that isn't");
    }
    requireProperties(table.properties());
    requireColumns(table.schema());
    requirePartitions(table.spec(), table.schema());
    requireSortOrder(table.sortOrder(), table.schema());
  }

  /** What {@link #require} says of a table's properties. */
  static void requireProperties(Map<String, String> properties) {
    if (properties.containsKey(ENCRYPTION_TABLE_KEY)) {
      throw unsupported("property %s: tables aren't encrypted yet".formatted(ENCRYPTION_TABLE_KEY));
    }
    ParquetCodec codec = ParquetCodec.of(properties);
    properties.forEach(
        (key, value) -> {
          if (WHOLE_NUMBERS.contains(key)
              || key.startsWith(PARQUET_BLOOM_FILTER_COLUMN_NDV_PREFIX)
              || (key.equals(PARQUET_COMPRESSION_LEVEL) && codec == ParquetCodec.ZSTD)) {
            requireNumber(key, value, Long::parseLong, "a whole number");
          } else if (key.startsWith(PARQUET_BLOOM_FILTER_COLUMN_FPP_PREFIX)) {
            requireNumber(key, value, Double::parseDouble, "a number");
          }
        });
  }

  @FunctionalInterface
  private interface Parser {
    Number parse(String text);
  }

  private static void requireNumber(String key, String value, Parser parser, String expected) {
    try {
      Number _ = parser.parse(value.strip());
    } catch (NumberFormatException e) {
      throw unsupported(
          "property %s: expected %s, got \"%s\""
              .formatted(Printable.of(key), expected, Printable.of(value)));
    }
  }

  /**
   * What {@link #require} says of a table's columns: data files hold none of type unknown, and
   * nothing that consists of such.
   */
  public static void requireColumns(Schema schema) {
    schema.columns().forEach(column -> requireHeld(column.type(), column.name()));
    if (schema.columns().stream().allMatch(column -> isUnknown(column.type()))) {
      throw unsupported(
          "no column has a type that a file can hold, all are of type null; cast one");
    }
  }

  private static void requireHeld(Type type, String path) {
    switch (type.typeId()) {
      case STRUCT -> {
        List<Types.NestedField> fields = type.asStructType().fields();
        if (fields.stream().allMatch(field -> isUnknown(field.type()))) {
          throw notHeld(path, "a struct without a field that a file can hold");
        }
        fields.forEach(field -> requireHeld(field.type(), path + "." + field.name()));
      }
      case LIST -> requireInside(type.asListType().elementType(), path + ".element");
      case MAP -> {
        requireInside(type.asMapType().keyType(), path + ".key");
        requireInside(type.asMapType().valueType(), path + ".value");
      }
      default -> {
        // Files hold it, or leave the column out.
      }
    }
  }

  private static void requireInside(Type type, String path) {
    if (isUnknown(type)) {
      throw notHeld(path, "of type null");
    }
    requireHeld(type, path);
  }

  private static boolean isUnknown(Type type) {
    return type.typeId() == Type.TypeID.UNKNOWN;
  }

  private static WingsException notHeld(String path, String what) {
    return unsupported(
        "column \"%s\" is %s, which no data file can hold there; cast it to the type that it will have, or leave it out"
            .formatted(Printable.of(path), what));
  }

  private static void requirePartitions(PartitionSpec spec, Schema schema) {
    for (PartitionField field : spec.fields()) {
      requireTransform(
          "partition field", field.name(), field.transform(), schema.findType(field.sourceId()));
    }
  }

  private static void requireSortOrder(SortOrder order, Schema schema) {
    for (SortField field : order.fields()) {
      String name = String.valueOf(schema.findColumnName(field.sourceId()));
      requireTransform("sort field on", name, field.transform(), schema.findType(field.sourceId()));
    }
  }

  /** A source that is gone is null in every row. */
  private static void requireTransform(
      String what, String name, Transform<?, ?> transform, @Nullable Type source) {
    if (transform instanceof UnknownTransform<?, ?>
        || (source != null && !isUnknown(source) && !transform.canTransform(source))) {
      throw unsupported(
          "%s \"%s\": transform %s of type %s can't be computed"
              .formatted(what, Printable.of(name), Printable.of(transform.toString()), source));
    }
  }

  static WingsException unsupported(String why) {
    return new WingsException(ErrorKind.INVALID, "table-unsupported", why);
  }
}
