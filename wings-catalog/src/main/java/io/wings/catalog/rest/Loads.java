package io.wings.catalog.rest;

import io.wings.catalog.io.MetadataFile;
import io.wings.catalog.io.MetadataRoom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/**
 * Tables' metadata that requests hold, within what the heap takes: an eighth of it as the files
 * have it, since parsed it is several times as large. One payer has half of that.
 */
final class Loads {
  private static final int PART_OF_HEAP = 8;

  /** One largest table for each of two payers, however small the heap is. */
  private static final long MIN_BYTES = 2L * MetadataFile.MAX_WRITTEN_BYTES;

  private final Shares shares;

  private Loads(long bytes) {
    int chunks = (int) Math.min(bytes / MetadataRoom.CHUNK_BYTES, Integer.MAX_VALUE);
    this.shares = new Shares(chunks, chunks / 2);
  }

  static Loads ofHeap(long heapBytes) {
    return new Loads(Math.max(MIN_BYTES, heapBytes / PART_OF_HEAP));
  }

  /** What {@code work} gives; the metadata that it reads counts for the payer until it ends. */
  <T> T within(String payer, Supplier<T> work) {
    AtomicInteger held = new AtomicInteger();
    try {
      return MetadataRoom.within(
          chunks -> {
            boolean taken = shares.tryTake(payer, chunks);
            if (taken) {
              held.addAndGet(chunks);
            }
            return taken;
          },
          work);
    } finally {
      if (held.get() > 0) {
        shares.give(payer, held.get());
      }
    }
  }
}
