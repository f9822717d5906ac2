package io.wings.common.wal;

import io.wings.common.cluster.Keys;
import io.wings.common.cluster.LaneId;
import io.wings.common.objectstore.ObjectStore;
import io.wings.common.objectstore.StoredObject;
import java.nio.ByteBuffer;
import java.util.Optional;
import org.apache.arrow.memory.BufferAllocator;

/**
 * Reads segments: the footer alone, by a ranged GET of the object's end, and then only the ranges
 * that are needed. Bytes that don't fit the format are a {@link
 * io.wings.common.error.WingsException} of kind CORRUPT ({@code segment-corrupt}, {@code
 * segment-version-unknown}), whatever they are; decoding allocates no more than the object's size
 * and its batches' declared raw sizes (each rounded up to the allocator's own sizes), which are
 * checked first.
 */
public final class SegmentReader {
  /** How much of an object's end is read at first; a longer footer takes a second GET. */
  static final int TAIL_BYTES = 64 << 10;

  private final ObjectStore store;

  public SegmentReader(ObjectStore store) {
    this.store = store;
  }

  /**
   * The footer of segment {@code number}, or empty when there is no such object.
   *
   * @throws io.wings.common.objectstore.StoreException when the store can't be read; not retried
   */
  public Optional<SegmentFooter> footer(LaneId lane, long number) {
    String key = Keys.segment(lane, number);
    Optional<StoredObject> tail = store.getRange(key, -1, TAIL_BYTES);
    if (tail.isEmpty()) {
      return Optional.empty();
    }
    long size = tail.get().head().size();
    int length = WalFormat.footerLength(key, tail.get().bytes(), size);
    int needed = length + WalFormat.TRAILER_BYTES;
    if (size == tail.get().bytes().length) {
      WalFormat.checkHeader(key, tail.get().bytes());
    }
    if (needed > tail.get().bytes().length) {
      tail = store.getRange(key, -1, needed);
      if (tail.isEmpty()) {
        return Optional.empty();
      }
      if (tail.get().head().size() != size || tail.get().bytes().length < needed) {
        throw WalFormat.corrupt(key, "it changed while it was read");
      }
    }
    ByteBuffer bytes = WalFormat.footer(key, tail.get().bytes(), length);
    SegmentFooter footer = FooterCodec.decode(key, bytes, size - needed);
    if (!footer.isOf(lane) || footer.number() != number) {
      throw WalFormat.corrupt(
          key,
          "it says that it is number %d of %s/%s/%02d"
              .formatted(footer.number(), footer.table(), footer.incarnation(), footer.lane()));
    }
    return Optional.of(footer);
  }

  /**
   * The batches of a segment in the order of their place in the object: all of one schema, then all
   * of the next.
   *
   * @param allocator where decoded batches live; give it a limit
   */
  public BatchCursor batches(LaneId lane, SegmentFooter footer, BufferAllocator allocator) {
    return new StoredBatches(store, Keys.segment(lane, footer.number()), footer, allocator);
  }
}
