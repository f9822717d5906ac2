package io.wings.common.wal;

import io.wings.common.objectstore.ObjectStore;
import java.util.List;

/**
 * Fetches a segment's blocks front to back, several in one GET, and checks header and CRCs. Every
 * byte from the start of the object to the last block asked for is read and checked.
 */
final class BlockFetch {
  /** Size of a GET, unless one block alone is larger. */
  static final int FETCH_BYTES = 8 << 20;

  private final ObjectStore store;
  private final String key;
  private final List<Block> blocks;
  private int at;
  private byte[] bytes = new byte[0];
  private long start;
  private int offset;

  /**
   * @param blocks all of the segment's, by offset, contiguous
   */
  BlockFetch(ObjectStore store, String key, List<Block> blocks) {
    this.store = store;
    this.key = key;
    this.blocks = blocks;
  }

  /** Bytes that hold the next block, which must be {@code block}, at {@link #offset()}. */
  byte[] next(Block block) {
    if (!blocks.get(at).equals(block)) {
      throw new IllegalStateException("blocks are fetched in order");
    }
    if (block.end() > start + bytes.length) {
      fetch();
    }
    at++;
    offset = Math.toIntExact(block.offset() - start);
    if (WalFormat.crc32c(bytes, offset, block.length()) != block.crc32c()) {
      throw WalFormat.corrupt(key, "the CRC of the block at " + block.offset() + " is wrong");
    }
    return bytes;
  }

  /** Where the last block is in the bytes that {@link #next} gave. */
  int offset() {
    return offset;
  }

  /** Checks the header of a segment without blocks, which no fetch of one does. */
  void checkHeaderAlone() {
    WalFormat.checkHeader(
        key,
        store
            .getRange(key, 0, WalFormat.HEADER_BYTES)
            .orElseThrow(() -> WalFormat.corrupt(key, "it is gone"))
            .bytes());
  }

  private void fetch() {
    long from = at == 0 ? 0 : blocks.get(at).offset();
    long end = blocks.get(at).end();
    for (int i = at + 1; i < blocks.size() && blocks.get(i).end() - from <= FETCH_BYTES; i++) {
      end = blocks.get(i).end();
    }
    int length = Math.toIntExact(end - from);
    bytes = new byte[0];
    bytes =
        store
            .getRange(key, from, length)
            .orElseThrow(() -> WalFormat.corrupt(key, "it is gone"))
            .bytes();
    start = from;
    if (bytes.length != length) {
      throw WalFormat.corrupt(key, "it ends at " + (from + bytes.length) + ", not after " + end);
    }
    if (from == 0) {
      WalFormat.checkHeader(key, bytes);
    }
  }
}
