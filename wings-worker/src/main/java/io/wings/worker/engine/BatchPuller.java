package io.wings.worker.engine;

import java.io.IOException;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.jspecify.annotations.Nullable;

/** The batches of a source that have rows, with one of look-ahead. */
final class BatchPuller {
  private final BatchSource source;
  private @Nullable VectorSchemaRoot next;
  private boolean ended;

  BatchPuller(BatchSource source) {
    this.source = source;
  }

  /** The next batch, which stays next; null after the last one. */
  @Nullable VectorSchemaRoot peek() throws IOException, InterruptedException {
    while (next == null && !ended) {
      if (Thread.interrupted()) {
        throw new InterruptedException();
      }
      VectorSchemaRoot batch = source.next();
      if (batch == null) {
        ended = true;
      } else if (batch.getRowCount() > 0) {
        next = batch;
      }
    }
    return next;
  }

  /** Done with the batch that {@link #peek} gave. */
  void take() {
    next = null;
  }
}
