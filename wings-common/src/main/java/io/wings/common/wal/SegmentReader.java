package io.wings.common.wal;

import io.wings.common.cluster.Keys;
import io.wings.common.cluster.LaneId;
import io.wings.common.objectstore.ObjectStore;
import io.wings.common.objectstore.StoredObject;
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
    return tail(lane, number).flatMap(tail -> footer(lane, number, tail));
  }

  /** The end of a segment, which tells how long its footer is. */
  static final class Tail {
    private final long size;
    private final int footerBytes;

    /** The object's last ones, if the footer is among them, else none. */
    private final byte[] bytes;

    private Tail(long size, int footerBytes, byte[] bytes) {
      this.size = size;
      this.footerBytes = footerBytes;
      this.bytes = bytes;
    }

    int footerBytes() {
      return footerBytes;
    }
  }

  /** The first half of {@link #footer(LaneId, long)}: reads few bytes, however long the footer. */
  Optional<Tail> tail(LaneId lane, long number) {
    String key = Keys.segment(lane, number);
    Optional<StoredObject> read = store.getRange(key, -1, TAIL_BYTES);
    if (read.isEmpty()) {
      return Optional.empty();
    }
    byte[] bytes = read.get().bytes();
    long size = read.get().head().size();
    int length = WalFormat.footerLength(key, bytes, size);
    if (size == bytes.length) {
      WalFormat.checkHeader(key, bytes);
    }
    boolean whole = length + WalFormat.TRAILER_BYTES <= bytes.length;
    return Optional.of(new Tail(size, length, whole ? bytes : new byte[0]));
  }

  /** The second half. */
  Optional<SegmentFooter> footer(LaneId lane, long number, Tail tail) {
    String key = Keys.segment(lane, number);
    int needed = tail.footerBytes() + WalFormat.TRAILER_BYTES;
    byte[] bytes = tail.bytes;
    if (needed > bytes.length) {
      Optional<StoredObject> read = store.getRange(key, -1, needed);
      if (read.isEmpty()) {
        return Optional.empty();
      }
      bytes = read.get().bytes();
      if (read.get().head().size() != tail.size || bytes.length < needed) {
        throw WalFormat.corrupt(key, "it changed while it was read");
      }
    }
    SegmentFooter footer =
        FooterCodec.decode(
            key, WalFormat.footer(key, bytes, tail.footerBytes()), tail.size - needed);
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
