package io.wings.worker.engine;

import static org.apache.iceberg.TableProperties.PARQUET_BLOOM_FILTER_COLUMN_ENABLED_PREFIX;

import io.wings.common.error.ErrorKind;
import io.wings.common.error.WingsException;
import java.util.Map;
import org.apache.iceberg.Table;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types.NestedField;

/** Who turns a table's rows into Parquet. This is the one place that decides it. */
enum Encoder {
  /** DuckDB's {@code COPY}: two to four times faster. */
  DUCKDB,
  /** Iceberg's own Parquet writer: holds every type of the format. */
  ICEBERG;

  /** The encoder for a table that {@link io.wings.catalog.table.Writable} doesn't refuse. */
  static Encoder of(Table table, FileSchema schema) {
    for (Map.Entry<String, String> property : table.properties().entrySet()) {
      if (property.getKey().startsWith(PARQUET_BLOOM_FILTER_COLUMN_ENABLED_PREFIX)
          && Boolean.parseBoolean(property.getValue())) {
        return ICEBERG;
      }
    }
    for (NestedField column : schema.columns()) {
      if (!duckdbIsExact(column.type())) {
        return ICEBERG;
      }
    }
    return DUCKDB;
  }

  static WingsException unsupported(String why) {
    return new WingsException(ErrorKind.INVALID, "table-unsupported", why);
  }

  private static boolean duckdbIsExact(Type type) {
    return switch (type.typeId()) {
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
          BINARY,
          DECIMAL ->
          true;
      // DuckDB writes byte arrays of any length; variants lose decimals and top-level nulls; the
      // others it doesn't know.
      case FIXED, VARIANT, GEOMETRY, GEOGRAPHY, UNKNOWN -> false;
      case STRUCT ->
          type.asStructType().fields().stream().allMatch(field -> duckdbIsExact(field.type()));
      case LIST -> duckdbIsExact(type.asListType().elementType());
      // DuckDB looks for repeated keys by a hash whose collisions can be made: one row of two
      // million keys takes it hours, and it can't be interrupted.
      case MAP -> false;
    };
  }
}
