package io.wings.common.wal;

/**
 * A range of a segment's bytes.
 *
 * @param offset from the start of the object, in bytes
 * @param length in bytes
 * @param crc32c of those bytes
 */
public record Block(long offset, int length, int crc32c) {
  /** The first byte after the block. */
  public long end() {
    return offset + length;
  }
}
