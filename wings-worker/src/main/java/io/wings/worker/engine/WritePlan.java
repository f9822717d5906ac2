package io.wings.worker.engine;

import io.wings.catalog.table.Writable;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.iceberg.MetricsConfig;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Table;
import org.apache.iceberg.types.Types.NestedField;
import org.jspecify.annotations.Nullable;

/**
 * What a table asks of its files, read once per call.
 *
 * @param groupColumn the name of the extra column that says which partition a row is of
 */
record WritePlan(
    FileSchema schema,
    Encoder encoder,
    PartitionSpec spec,
    List<SortKey> sortKeys,
    int sortOrderId,
    ParquetOptions parquet,
    MetricsConfig metrics,
    String groupColumn) {
  /**
   * @param forced instead of the encoder that the table would get
   */
  static WritePlan of(Table table, EngineSettings settings, @Nullable Encoder forced) {
    Writable.require(table);
    FileSchema schema = FileSchema.of(table.schema());
    Encoder encoder = Encoder.of(table, schema);
    return new WritePlan(
        schema,
        forced == null ? encoder : forced,
        table.spec(),
        SortKey.of(table.sortOrder(), schema),
        table.sortOrder().orderId(),
        ParquetOptions.of(table.properties(), settings.memoryBytes()),
        schema.metrics(MetricsConfig.forTable(table)),
        schema.unusedName("wings_group"));
  }

  /** Whether rows must be gathered before files can be written. */
  boolean staged() {
    return spec.isPartitioned() || !sortKeys.isEmpty();
  }

  List<String> columnNames() {
    return schema.columns().stream().map(NestedField::name).toList();
  }

  /** What the rows of a run look like: the columns, the group, the computed sort keys. */
  org.apache.arrow.vector.types.pojo.Schema arrowSchema() {
    List<Field> fields = new ArrayList<>(ArrowColumns.of(schema.columns(), encoder));
    if (staged()) {
      fields.add(Field.notNullable(groupColumn, new ArrowType.Int(Integer.SIZE, true)));
      for (SortKey key : sortKeys) {
        if (key.computed()) {
          fields.add(ArrowColumns.field(key.expression(), key.type(), encoder));
        }
      }
    }
    return new org.apache.arrow.vector.types.pojo.Schema(fields);
  }

  /** The table's sort order, for {@code ORDER BY}. */
  List<String> orderBy() {
    return sortKeys.stream().flatMap(key -> key.orderBy().stream()).toList();
  }

  List<String> orderByGroupFirst() {
    List<String> all = new ArrayList<>(List.of(Sql.quote(groupColumn)));
    all.addAll(orderBy());
    return all;
  }
}
