package io.wings.common.wal;

import io.wings.common.cluster.Keys;
import io.wings.common.objectstore.Body;
import io.wings.common.objectstore.PutCondition;
import io.wings.common.objectstore.memory.MemoryStore;
import java.util.function.BiFunction;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;

/** Reads the bytes of one segment as a reader of a store would. */
final class StoredSegment {
  /** What the samples need many times over. */
  static final long MEMORY_BYTES = 16 << 20;

  private StoredSegment() {}

  /**
   * The segment's number, as its file name would say: read from the last footer byte that has it.
   */
  static <T> T read(byte[] bytes, BiFunction<SegmentFooter, BatchCursor, T> reader) {
    return read(bytes, number(bytes), reader);
  }

  /** Leaks of Arrow memory are errors. */
  static <T> T read(byte[] bytes, long number, BiFunction<SegmentFooter, BatchCursor, T> reader) {
    MemoryStore store = new MemoryStore();
    store.put(Keys.segment(WalSamples.LANE, number), Body.of(bytes), PutCondition.any());
    SegmentReader segments = new SegmentReader(store);
    SegmentFooter footer = segments.footer(WalSamples.LANE, number).orElseThrow();
    try (BufferAllocator allocator = new RootAllocator(MEMORY_BYTES);
        BatchCursor cursor = segments.batches(WalSamples.LANE, footer, allocator)) {
      return reader.apply(footer, cursor);
    }
  }

  /** Reads everything and makes nothing of it. */
  static void readAll(byte[] bytes, long number) {
    read(
        bytes,
        number,
        (_, cursor) -> {
          int batches = 0;
          while (cursor.next()) {
            batches++;
          }
          return batches;
        });
  }

  static long number(byte[] bytes) {
    int length = WalFormat.footerLength("test", bytes, bytes.length);
    return FooterCodec.decode(
            "test",
            WalFormat.footer("test", bytes, length),
            bytes.length - length - (long) WalFormat.TRAILER_BYTES)
        .number();
  }
}
