package io.wings.worker.engine;

import java.util.List;
import org.apache.iceberg.DataFile;

/**
 * What an append wrote: uploaded, not committed.
 *
 * @param files with partition, metrics, split offsets and sort order; empty when there were no rows
 * @param rows how many rows the source gave; equal to the sum of the files' record counts
 */
public record AppendResult(List<DataFile> files, long rows) {
  public AppendResult {
    files = List.copyOf(files);
  }
}
