package io.wings.worker.engine;

import static org.apache.iceberg.MetricsModes.None;
import static org.apache.iceberg.TableProperties.DEFAULT_WRITE_METRICS_MODE;
import static org.apache.iceberg.TableProperties.METRICS_MODE_COLUMN_CONF_PREFIX;

import io.wings.common.cluster.Printable;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.apache.iceberg.MetricsConfig;
import org.apache.iceberg.MetricsModes.MetricsMode;
import org.apache.iceberg.Schema;
import org.apache.iceberg.avro.AvroSchemaUtil;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.TypeUtil;
import org.apache.iceberg.types.Types.ListType;
import org.apache.iceberg.types.Types.MapType;
import org.apache.iceberg.types.Types.NestedField;
import org.apache.iceberg.types.Types.StructType;

/**
 * A table's schema as its data files, and everything on the way to them, spell it: the same field
 * ids, with the names that Iceberg's own Parquet writer would use (letters, digits and
 * underscores), made unique regardless of case by appending the field id; fields of type unknown,
 * which files don't hold, are left out, and {@link io.wings.catalog.table.Writable} refuses tables
 * where they would leave nothing.
 *
 * <p>So no name from outside reaches SQL, and a hostile one costs nothing: readers match by id.
 */
final class FileSchema {
  private final Schema table;
  private final Schema schema;

  private FileSchema(Schema table, Schema schema) {
    this.table = table;
    this.schema = schema;
  }

  static FileSchema of(Schema table) {
    return new FileSchema(table, new Schema(rename(table.columns())));
  }

  /** The renamed schema. */
  Schema schema() {
    return schema;
  }

  List<NestedField> columns() {
    return schema.columns();
  }

  /** The table's own name of a field, full and safe to print. */
  String printable(int fieldId) {
    String name = table.findColumnName(fieldId);
    return name == null ? "field " + fieldId : "\"" + Printable.of(name) + "\"";
  }

  /** The table's own name of a field, without those that it lies in. */
  String ownName(int fieldId) {
    return table.findField(fieldId).name();
  }

  /** A column name like {@code name} that no column has. */
  String unusedName(String name) {
    String unused = name;
    while (schema.caseInsensitiveFindField(unused) != null) {
      unused = unused + "_";
    }
    return unused;
  }

  /** What metrics to keep of each column of a file, as the table's properties and order say. */
  MetricsConfig metrics(MetricsConfig ofTable) {
    Map<String, String> properties = new HashMap<>();
    properties.put(DEFAULT_WRITE_METRICS_MODE, None.get().toString());
    for (int id : TypeUtil.getProjectedIds(schema)) {
      MetricsMode mode = ofTable.columnMode(table.findColumnName(id));
      if (!mode.equals(None.get())) {
        properties.put(
            METRICS_MODE_COLUMN_CONF_PREFIX + schema.findColumnName(id), mode.toString());
      }
    }
    return MetricsConfig.from(properties, schema, null);
  }

  /** Properties whose key ends with a column's name, under the name that files give it. */
  Map<String, String> properties(Map<String, String> ofTable, String keyPrefix) {
    Map<String, String> renamed = new HashMap<>();
    ofTable.forEach(
        (key, value) -> {
          NestedField field =
              key.startsWith(keyPrefix) ? table.findField(key.substring(keyPrefix.length())) : null;
          String name = field == null ? null : schema.findColumnName(field.fieldId());
          if (name != null) {
            renamed.put(keyPrefix + name, value);
          }
        });
    return renamed;
  }

  private static List<NestedField> rename(List<NestedField> fields) {
    List<NestedField> renamed = new ArrayList<>();
    Set<String> taken = new HashSet<>(Set.of(Sql.OWN_FIELD_ID));
    for (NestedField field : fields) {
      if (field.type().typeId() != Type.TypeID.UNKNOWN) {
        Type type = rename(field.type());
        String name = uniqueName(field, taken);
        renamed.add(NestedField.from(field).withName(name).ofType(type).build());
      }
    }
    return renamed;
  }

  private static String uniqueName(NestedField field, Set<String> taken) {
    String name = field.name().isEmpty() ? "_" : AvroSchemaUtil.makeCompatibleName(field.name());
    while (!taken.add(name.toLowerCase(Locale.ROOT))) {
      name = name + "_" + field.fieldId();
    }
    return name;
  }

  private static Type rename(Type type) {
    return switch (type.typeId()) {
      case STRUCT -> StructType.of(rename(type.asStructType().fields()));
      case LIST -> {
        ListType list = type.asListType();
        Type element = rename(list.elementType());
        yield list.isElementOptional()
            ? ListType.ofOptional(list.elementId(), element)
            : ListType.ofRequired(list.elementId(), element);
      }
      case MAP -> {
        MapType map = type.asMapType();
        Type key = rename(map.keyType());
        Type value = rename(map.valueType());
        yield map.isValueOptional()
            ? MapType.ofOptional(map.keyId(), map.valueId(), key, value)
            : MapType.ofRequired(map.keyId(), map.valueId(), key, value);
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
          VARIANT,
          UNKNOWN ->
          type;
    };
  }
}
