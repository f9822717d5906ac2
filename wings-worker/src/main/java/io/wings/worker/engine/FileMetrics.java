package io.wings.worker.engine;

import io.wings.common.error.ErrorKind;
import io.wings.common.error.WingsException;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.iceberg.FieldMetrics;
import org.apache.iceberg.Metrics;
import org.apache.iceberg.parquet.ParquetUtil;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.TypeUtil;
import org.apache.iceberg.types.Types.NestedField;
import org.apache.parquet.column.statistics.Statistics;
import org.apache.parquet.hadoop.metadata.BlockMetaData;
import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData;
import org.apache.parquet.hadoop.metadata.ParquetMetadata;

/**
 * A file's metrics, from its footer, by Iceberg's own code, and then made safe: what a reader
 * prunes by must cover every row. Iceberg skips row groups that have no bounds, so the bounds of
 * the others would hide their rows: a column with such a row group has none, unless its metrics are
 * given.
 */
final class FileMetrics {
  private FileMetrics() {}

  /**
   * @param known metrics of columns that the footer doesn't describe
   */
  static Metrics of(ParquetMetadata footer, List<FieldMetrics<?>> known, WritePlan plan) {
    requireNoNulls(footer, plan);
    Metrics metrics = ParquetUtil.footerMetrics(footer, known.stream(), plan.metrics());
    Set<Integer> unbounded = untold(footer);
    known.forEach(field -> unbounded.remove(field.id()));
    return withoutBounds(metrics, unbounded);
  }

  private static Metrics withoutBounds(Metrics metrics, Set<Integer> columns) {
    Map<Integer, ByteBuffer> lower = copy(metrics.lowerBounds());
    Map<Integer, ByteBuffer> upper = copy(metrics.upperBounds());
    lower.keySet().removeAll(columns);
    upper.keySet().removeAll(columns);
    return withBounds(metrics, lower, upper);
  }

  /** What Iceberg's own writer says of a file, with bounds of uuids that hold in every order. */
  static Metrics withUuidBounds(Metrics metrics, FileSchema schema) {
    Map<Integer, ByteBuffer> lower = copy(metrics.lowerBounds());
    Map<Integer, ByteBuffer> upper = copy(metrics.upperBounds());
    for (NestedField field : TypeUtil.indexById(schema.schema().asStruct()).values()) {
      ByteBuffer min = lower.get(field.fieldId());
      ByteBuffer max = upper.get(field.fieldId());
      if (field.type().typeId() == Type.TypeID.UUID) {
        UuidBounds bounds = min == null || max == null ? null : UuidBounds.of(min, max);
        lower.remove(field.fieldId());
        upper.remove(field.fieldId());
        if (bounds != null) {
          lower.put(field.fieldId(), bounds.lower());
          upper.put(field.fieldId(), bounds.upper());
        }
      }
    }
    return withBounds(metrics, lower, upper);
  }

  private static Metrics withBounds(
      Metrics metrics, Map<Integer, ByteBuffer> lower, Map<Integer, ByteBuffer> upper) {
    return new Metrics(
        metrics.recordCount(),
        metrics.columnSizes(),
        metrics.valueCounts(),
        metrics.nullValueCounts(),
        metrics.nanValueCounts(),
        lower,
        upper);
  }

  private static Map<Integer, ByteBuffer> copy(Map<Integer, ByteBuffer> bounds) {
    return bounds == null ? new HashMap<>() : new HashMap<>(bounds);
  }

  /** Columns with a row group that has values but says nothing about them. */
  private static Set<Integer> untold(ParquetMetadata footer) {
    Set<Integer> ids = new HashSet<>();
    for (BlockMetaData block : footer.getBlocks()) {
      for (ColumnChunkMetaData column : block.getColumns()) {
        Statistics<?> statistics = column.getStatistics();
        boolean told =
            statistics != null
                && !statistics.isEmpty()
                && (statistics.hasNonNullValue()
                    || statistics.getNumNulls() == column.getValueCount());
        org.apache.parquet.schema.Type.ID id = column.getPrimitiveType().getId();
        if (!told && id != null) {
          ids.add(id.intValue());
        }
      }
    }
    return ids;
  }

  /** DuckDB writes nulls into required columns without a word. */
  private static void requireNoNulls(ParquetMetadata footer, WritePlan plan) {
    Map<Integer, Long> nulls = nulls(footer);
    for (NestedField column : plan.schema().columns()) {
      if (column.isRequired()
          && column.type().isPrimitiveType()
          && nulls.getOrDefault(column.fieldId(), 0L) > 0) {
        throw new WingsException(
            ErrorKind.INTERNAL,
            "engine-failed",
            "nulls were written to required column " + plan.schema().printable(column.fieldId()));
      }
    }
  }

  private static Map<Integer, Long> nulls(ParquetMetadata footer) {
    Map<Integer, Long> nulls = new HashMap<>();
    for (BlockMetaData block : footer.getBlocks()) {
      for (ColumnChunkMetaData chunk : block.getColumns()) {
        org.apache.parquet.schema.Type.ID id = chunk.getPrimitiveType().getId();
        if (id != null) {
          nulls.merge(id.intValue(), Math.max(0, chunk.getStatistics().getNumNulls()), Long::sum);
        }
      }
    }
    return nulls;
  }
}
