package io.wings.worker.engine;

import java.io.IOException;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.jspecify.annotations.Nullable;

/**
 * A sequence of Arrow batches, pulled one at a time by the engine, from a thread of the engine's
 * but never from two at once.
 */
@FunctionalInterface
public interface BatchSource {
  /**
   * The next batch, or null after the last one.
   *
   * <p>Every field, at every level, carries its Iceberg field id as Arrow metadata {@code
   * PARQUET:field_id}; schemas may differ from batch to batch; dictionaries are decoded. The batch
   * stays the source's and must stay as it is until the next call, or until the engine's call
   * returns; buffers that the engine still needs then it retains, so that they must not be written
   * again, only released. They come from an allocator with the same root as the engine's.
   *
   * @throws IOException ends the engine's call; it is the cause of what the engine throws
   * @throws InterruptedException when the engine's call was cancelled
   */
  @Nullable VectorSchemaRoot next() throws IOException, InterruptedException;
}
