package io.wings.worker.engine;

import java.nio.file.Path;
import java.util.List;
import org.apache.iceberg.Metrics;
import org.apache.iceberg.PartitionData;

/**
 * A finished Parquet file in scratch space.
 *
 * @param metrics as the table wants them, safe to prune by
 * @param splitOffsets where its row groups start
 */
record LocalFile(
    Path path, long bytes, PartitionData partition, Metrics metrics, List<Long> splitOffsets) {
  long rows() {
    return metrics.recordCount();
  }
}
