package io.wings.worker.engine;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.iceberg.NullOrder;
import org.apache.iceberg.SortDirection;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types.ListType;
import org.apache.iceberg.types.Types.MapType;
import org.apache.iceberg.types.Types.NestedField;

/** All SQL that the engine runs, and the only place that quotes a name or a text. */
final class Sql {
  /** The name under which rows are streamed in. */
  static final String ROWS = "wings_rows";

  /** The temporary tables. */
  static final String STAGE = "wings_stage";

  static final String SORTED = "wings_sorted";

  /** DuckDB's key for a nested field's own id in {@code FIELD_IDS}; no field may have that name. */
  static final String OWN_FIELD_ID = "__duckdb_field_id";

  private Sql() {}

  static String quote(String identifier) {
    return '"' + identifier.replace("\"", "\"\"") + '"';
  }

  static String literal(String text) {
    return '\'' + text.replace("'", "''") + '\'';
  }

  /**
   * The instance's limits and locks, in the order in which they must be set. Afterwards it can read
   * and write below {@code directory} and nowhere else, and no statement can change that.
   */
  static List<String> limits(EngineSettings settings, Path spill, Path directory) {
    return List.of(
        "SET memory_limit = " + literal(settings.memoryBytes() + "B"),
        "SET temp_directory = " + literal(spill.toString()),
        "SET max_temp_directory_size = " + literal(settings.diskBytes() + "B"),
        "SET threads = " + settings.threads(),
        "SET preserve_insertion_order = true",
        "SET enable_progress_bar = false",
        "SET autoinstall_known_extensions = false",
        "SET autoload_known_extensions = false",
        "SET allow_community_extensions = false",
        "SET allowed_directories = [" + literal(directory.toString()) + "]",
        "SET enable_external_access = false",
        "SET lock_configuration = true");
  }

  static String stage() {
    return "CREATE TEMP TABLE " + STAGE + " AS SELECT * FROM " + ROWS;
  }

  static String sortStage(List<String> orderBy) {
    return "CREATE TEMP TABLE "
        + SORTED
        + " AS SELECT * FROM "
        + STAGE
        + " ORDER BY "
        + String.join(", ", orderBy);
  }

  static String drop(String table) {
    return "DROP TABLE IF EXISTS " + table;
  }

  static String select(List<String> columns, String from) {
    return "SELECT "
        + String.join(", ", columns.stream().map(Sql::quote).toList())
        + " FROM "
        + from;
  }

  static String where(String select, String condition) {
    return select + " WHERE " + condition;
  }

  static String equal(String column, int value) {
    return quote(column) + " = " + value;
  }

  /** Rows of a table without deletions, by where they lie in it. */
  static String rowRange(long first, long end) {
    return "rowid >= " + first + " AND rowid < " + end;
  }

  static String orderBy(String select, List<String> orderBy) {
    return orderBy.isEmpty() ? select : select + " ORDER BY " + String.join(", ", orderBy);
  }

  /** A field below structs. */
  static String path(List<NestedField> fields) {
    String expression = quote(fields.getFirst().name());
    for (NestedField field : fields.subList(1, fields.size())) {
      expression = "struct_extract(" + expression + ", " + literal(field.name()) + ")";
    }
    return expression;
  }

  /** One sort key; Iceberg puts -0.0 before 0.0, which are equal to DuckDB. */
  static List<String> sortKey(
      String expression, Type type, SortDirection direction, NullOrder nulls) {
    String order =
        (direction == SortDirection.ASC ? " ASC" : " DESC")
            + (nulls == NullOrder.NULLS_FIRST ? " NULLS FIRST" : " NULLS LAST");
    return switch (type.typeId()) {
      case FLOAT, DOUBLE ->
          List.of(
              expression + order,
              "signbit(" + expression + ")" + (direction == SortDirection.ASC ? " DESC" : " ASC"));
      default -> List.of(expression + order);
    };
  }

  /**
   * Writes a query's rows to one Parquet file or, given a size to split at, to several in a new
   * directory; answers one row per file.
   *
   * @param fieldIds as {@link #fieldIds} makes them
   */
  static String copy(String select, Path to, String fieldIds, ParquetOptions options) {
    List<String> settings = new ArrayList<>();
    settings.add("FORMAT parquet");
    settings.add("PARQUET_VERSION " + (options.oldPages() ? "v1" : "v2"));
    settings.add("RETURN_STATS true");
    settings.add("COMPRESSION " + literal(options.codec().tableName()));
    options.level().ifPresent(level -> settings.add("COMPRESSION_LEVEL " + level));
    settings.add("ROW_GROUP_SIZE_BYTES " + options.rowGroupBytes());
    settings.add("FIELD_IDS " + fieldIds);
    options.splitBytes().ifPresent(bytes -> settings.add("FILE_SIZE_BYTES " + bytes));
    return "COPY ("
        + select
        + ") TO "
        + literal(to.toString())
        + " ("
        + String.join(", ", settings)
        + ")";
  }

  /** Which field id each column, and each field inside it, has in a file. */
  static String fieldIds(List<NestedField> fields) {
    List<String> ids = new ArrayList<>();
    fields.forEach(field -> ids.add(fieldId(field.name(), field.fieldId(), field.type())));
    return "{" + String.join(", ", ids) + "}";
  }

  private static String fieldId(String name, int id, Type type) {
    List<String> nested = new ArrayList<>();
    switch (type.typeId()) {
      case STRUCT ->
          type.asStructType()
              .fields()
              .forEach(field -> nested.add(fieldId(field.name(), field.fieldId(), field.type())));
      case LIST -> {
        ListType list = type.asListType();
        nested.add(fieldId("element", list.elementId(), list.elementType()));
      }
      case MAP -> {
        MapType map = type.asMapType();
        nested.add(fieldId("key", map.keyId(), map.keyType()));
        nested.add(fieldId("value", map.valueId(), map.valueType()));
      }
      default -> {
        return quote(name) + ": " + id;
      }
    }
    nested.addFirst(OWN_FIELD_ID + ": " + id);
    return quote(name) + ": {" + String.join(", ", nested) + "}";
  }

  /** How {@code RETURN_STATS} names a leaf column. */
  static String statsPath(List<NestedField> fields) {
    return String.join(".", fields.stream().map(field -> quote(field.name())).toList());
  }
}
