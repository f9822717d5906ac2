package io.wings.worker.engine;

import io.wings.common.concurrent.Threads;
import io.wings.common.error.ErrorKind;
import io.wings.common.error.WingsException;
import io.wings.common.time.Time;
import java.io.IOException;
import java.util.List;
import org.apache.arrow.memory.BufferAllocator;

/**
 * Writes rows as data files of an Iceberg table. One engine belongs to one worker thread; calls
 * must not overlap.
 */
public final class DataEngine implements AutoCloseable {
  private DataEngine() {}

  /**
   * An engine with an empty scratch directory; DuckDB starts with the first call.
   *
   * @param allocator the parent of the engine's Arrow buffers
   * @param time paces the repeated cancelling of an interrupted call
   * @param threads where DuckDB's calls and uploads run; the calls are native and long, so platform
   *     threads serve better than virtual ones, whose carriers they would hold
   */
  public static DataEngine open(
      EngineSettings settings, BufferAllocator allocator, Time time, Threads threads) {
    return new DataEngine();
  }

  /**
   * Writes all rows of {@code batches} as Parquet files, per partition and in the table's sort
   * order, and uploads them through the table's FileIO. Nothing is committed. After an error some
   * files may have been uploaded; their names begin with the target's prefix.
   *
   * <p>A column that a batch lacks takes its initial default, else null. Types may have been
   * widened since the batch was written as Iceberg allows.
   *
   * @throws WingsException {@code column-missing}, {@code column-type}, {@code column-null}, {@code
   *     column-value} (INVALID, naming the column) when a batch can't become rows of the table;
   *     {@code batch-invalid} when it is no such batch; {@code table-unsupported} when the table
   *     asks for what the engine can't write (encryption, a type); {@code engine-failed}
   *     (UNAVAILABLE) when scratch space, the store or the source fails, with the cause
   * @throws InterruptedException when the calling thread is interrupted; by then everything that
   *     the call started has stopped
   */
  public AppendResult append(AppendTarget target, BatchSource batches) throws InterruptedException {
    try {
      if (batches.next() == null) {
        return new AppendResult(List.of(), 0);
      }
    } catch (IOException e) {
      throw WingsException.unavailable("engine-failed", "the source failed", e);
    }
    throw new WingsException(ErrorKind.INTERNAL, "engine-failed", "rows can't be written yet");
  }

  /** Stops DuckDB and removes the scratch directory. */
  @Override
  public void close() {}
}
