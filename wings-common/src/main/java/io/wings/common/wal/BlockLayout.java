package io.wings.common.wal;

import java.util.ArrayList;
import java.util.List;

/**
 * Where a segment's blocks must be: from the end of the header to the footer without gap or
 * overlap; each schema followed by its batches in log order; no schema without batches. So every
 * byte of a segment is under a CRC.
 */
final class BlockLayout {
  private BlockLayout() {}

  /**
   * @param end where the footer begins
   * @throws IllegalArgumentException when it is otherwise, or a number is out of range
   */
  static void check(SegmentFooter footer, long end) {
    require(footer.number() >= 1, "numbers begin at 1, got " + footer.number());
    require(
        (footer.checkpoint() != null) == (footer.number() % SegmentFooter.CHECKPOINT_EVERY == 0),
        "a checkpoint where none belongs, or none where one does");
    int schemas = footer.schemas().size();
    List<List<BatchEntry>> groups = new ArrayList<>(schemas);
    for (int i = 0; i < schemas; i++) {
      groups.add(new ArrayList<>());
    }
    for (BatchEntry batch : footer.batches()) {
      require(
          batch.schema() >= 0 && batch.schema() < schemas, "a batch of schema " + batch.schema());
      require(batch.rows() >= 0 && batch.rows() <= Integer.MAX_VALUE, batch.rows() + " rows");
      require(
          batch.rawBytes() >= 0 && batch.rawBytes() <= WalFormat.MAX_BATCH_RAW_BYTES,
          "a batch of " + batch.rawBytes() + " raw bytes");
      groups.get(batch.schema()).add(batch);
    }
    long offset = WalFormat.HEADER_BYTES;
    for (int i = 0; i < schemas; i++) {
      require(!groups.get(i).isEmpty(), "schema " + i + " has no batch");
      offset = next(footer.schemas().get(i), offset);
      for (BatchEntry batch : groups.get(i)) {
        offset = next(batch.block(), offset);
      }
    }
    require(offset == end, "the blocks end at " + offset + ", the footer begins at " + end);
  }

  private static long next(Block block, long offset) {
    require(
        block.offset() == offset && block.length() > 0 && block.length() % WalFormat.ALIGNMENT == 0,
        "a block of " + block.length() + " bytes at " + block.offset() + ", expected at " + offset);
    return block.end();
  }

  private static void require(boolean condition, String what) {
    if (!condition) {
      throw new IllegalArgumentException(what);
    }
  }
}
