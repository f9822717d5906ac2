package io.wings.common.wal;

import io.wings.common.cluster.LaneId;
import io.wings.common.objectstore.Body;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Builds one segment: entries in log order, their batches grouped by schema. Not safe for use by
 * several threads.
 */
@SuppressWarnings("DoNotCallSuggester")
public final class SegmentWriter {
  public SegmentWriter(LaneId lane, long number, String putId, String ingestor, Instant now) {
    throw new UnsupportedOperationException(lane + putId + ingestor + now + number);
  }

  public void batch(
      ProducerKey producer,
      long epoch,
      long sequence,
      @Nullable String token,
      Operation operation,
      EncodedBatch batch) {
    throw new UnsupportedOperationException();
  }

  /** Adds an entry without data. */
  public void entry(WalEntry entry) {
    throw new UnsupportedOperationException();
  }

  /** The state before this number; needed exactly where {@link SegmentFooter} says so. */
  public void checkpoint(Checkpoint state) {
    throw new UnsupportedOperationException();
  }

  /** Ends the segment. */
  public Segment finish() {
    throw new UnsupportedOperationException();
  }

  /** A finished segment: what to put, and what a reader will find in its footer. */
  public record Segment(SegmentFooter footer, Body body) {}
}
