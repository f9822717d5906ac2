package io.wings.common.wal;

import io.wings.common.cluster.LaneId;
import io.wings.common.objectstore.ObjectStore;
import java.util.Optional;
import org.apache.arrow.memory.BufferAllocator;

/**
 * Reads segments: the footer alone, by a ranged GET of the object's end, and then only the ranges
 * that are needed. Bytes that don't fit the format are a {@link
 * io.wings.common.error.WingsException} of kind CORRUPT ({@code segment-corrupt}, {@code
 * segment-version-unknown}), whatever they are; decoding allocates no more than the object's size
 * and its batches' declared raw sizes, which are checked first.
 */
@SuppressWarnings("DoNotCallSuggester")
public final class SegmentReader {
  private final ObjectStore store;

  public SegmentReader(ObjectStore store) {
    this.store = store;
  }

  /** The footer of segment {@code number}, or empty when there is no such object. */
  public Optional<SegmentFooter> footer(LaneId lane, long number) {
    throw new UnsupportedOperationException(lane.toString() + number + store);
  }

  /**
   * The batches of a segment in the order of their place in the object: all of one schema, then all
   * of the next.
   *
   * @param allocator where decoded batches live; give it a limit
   */
  public BatchCursor batches(LaneId lane, SegmentFooter footer, BufferAllocator allocator) {
    throw new UnsupportedOperationException(lane.toString() + footer + allocator);
  }
}
