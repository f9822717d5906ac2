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
import org.apache.iceberg.util.UUIDUtil;
import org.apache.parquet.column.statistics.Statistics;
import org.apache.parquet.hadoop.metadata.BlockMetaData;
import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData;
import org.apache.parquet.hadoop.metadata.ParquetMetadata;

/**
 * A file's metrics, from its footer, by Iceberg's own code, and then made safe: what a reader
 * prunes by must cover every row.
 *
 * <ul>
 *   <li>Iceberg skips row groups without bounds, so the bounds of the others would hide their rows:
 *       a column with such a row group has none, unless its metrics are given.
 *   <li>Some of its readers compare uuids as two signed numbers, others as bytes: bounds are kept
 *       where both orders agree on them.
 * </ul>
 */
final class FileMetrics {
  private FileMetrics() {}

  /**
   * @param known metrics of columns that the footer doesn't describe
   */
  static Metrics of(ParquetMetadata footer, List<FieldMetrics<?>> known, WritePlan plan) {
    requireNoNulls(footer, plan);
    Metrics metrics = ParquetUtil.footerMetrics(footer, known.stream(), plan.metrics());
    Set<Integer> unbounded = withoutBounds(footer);
    known.forEach(field -> unbounded.remove(field.id()));
    return safe(metrics, unbounded, plan.schema());
  }

  /** Drops bounds of those columns, and what else a reader could take wrongly. */
  static Metrics safe(Metrics metrics, Set<Integer> unbounded, FileSchema schema) {
    Map<Integer, ByteBuffer> lower = copy(metrics.lowerBounds());
    Map<Integer, ByteBuffer> upper = copy(metrics.upperBounds());
    lower.keySet().removeAll(unbounded);
    upper.keySet().removeAll(unbounded);
    TypeUtil.indexById(schema.schema().asStruct())
        .values()
        .forEach(field -> widenUuid(field, lower, upper));
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
  private static Set<Integer> withoutBounds(ParquetMetadata footer) {
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
    for (NestedField column : plan.schema().columns()) {
      if (column.isRequired() && column.type().isPrimitiveType() && nulls(footer, column) > 0) {
        throw new WingsException(
            ErrorKind.INTERNAL,
            "engine-failed",
            "nulls were written to required column " + plan.schema().printable(column.fieldId()));
      }
    }
  }

  private static long nulls(ParquetMetadata footer, NestedField column) {
    long nulls = 0;
    for (BlockMetaData block : footer.getBlocks()) {
      for (ColumnChunkMetaData chunk : block.getColumns()) {
        org.apache.parquet.schema.Type.ID id = chunk.getPrimitiveType().getId();
        if (id != null && id.intValue() == column.fieldId()) {
          nulls += Math.max(0, chunk.getStatistics().getNumNulls());
        }
      }
    }
    return nulls;
  }

  /**
   * Makes the bounds of a uuid column right in both orders. They agree on the upper halves where
   * all of a column's have the same sign, so one less and one more than those bound every value,
   * whatever its lower half.
   */
  private static void widenUuid(
      NestedField field, Map<Integer, ByteBuffer> lower, Map<Integer, ByteBuffer> upper) {
    if (field.type().typeId() != Type.TypeID.UUID) {
      return;
    }
    ByteBuffer low = lower.remove(field.fieldId());
    ByteBuffer high = upper.remove(field.fieldId());
    if (low == null || high == null) {
      return;
    }
    long from = UUIDUtil.convert(low.duplicate()).getMostSignificantBits();
    long to = UUIDUtil.convert(high.duplicate()).getMostSignificantBits();
    boolean sameSign = (from ^ to) >= 0;
    boolean atTheEnd = (from & Long.MAX_VALUE) == 0 || (to & Long.MAX_VALUE) == Long.MAX_VALUE;
    if (sameSign && !atTheEnd) {
      lower.put(field.fieldId(), UUIDUtil.convertToByteBuffer(new java.util.UUID(from - 1, 0)));
      upper.put(field.fieldId(), UUIDUtil.convertToByteBuffer(new java.util.UUID(to + 1, 0)));
    }
  }
}
