package io.wings.ingestor.stream;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;

/**
 * LZ4 frames as Arrow's C++ writes them, with blocks that refer to earlier ones; no Java library at
 * hand decodes those faster than 30 MB/s. Checksums are skipped: what matters is that every copy
 * stays within both buffers.
 *
 * <p>Source: https://github.com/lz4/lz4/blob/dev/doc/lz4_Frame_format.md and lz4_Block_format.md.
 */
final class Lz4Frame {
  private static final int MAGIC = 0x184D2204;
  private static final int VERSION = 1;
  private static final int BLOCK_CHECKSUM = 0x10;
  private static final int CONTENT_SIZE = 0x08;
  private static final int DICTIONARY = 0x01;
  private static final int STORED = 0x8000_0000;
  private static final int MIN_MATCH = 4;

  private Lz4Frame() {}

  /**
   * Decompresses the frame in {@code from} into {@code to}, both from their start.
   *
   * @param from little-endian
   * @return bytes written
   * @throws IllegalArgumentException if the frame is broken or doesn't fit
   */
  static int decompress(ByteBuffer from, ByteBuffer to) {
    try {
      return frame(from, to);
    } catch (IndexOutOfBoundsException | BufferUnderflowException | ArithmeticException e) {
      throw new IllegalArgumentException("lz4: a block reaches beyond its buffer", e);
    }
  }

  private static int frame(ByteBuffer from, ByteBuffer to) {
    if (from.getInt() != MAGIC) {
      throw new IllegalArgumentException("lz4: no frame");
    }
    int flags = from.get();
    from.get();
    if ((flags >> 6 & 3) != VERSION || (flags & DICTIONARY) != 0) {
      throw new IllegalArgumentException("lz4: unknown version, or a dictionary");
    }
    if ((flags & CONTENT_SIZE) != 0) {
      from.getLong();
    }
    from.get();
    int written = 0;
    while (true) {
      int head = from.getInt();
      if (head == 0) {
        return written;
      }
      int size = head & ~STORED;
      int start = from.position();
      if (size > from.remaining()) {
        throw new IllegalArgumentException("lz4: a block is longer than the frame");
      }
      if ((head & STORED) != 0) {
        to.put(written, from, start, size);
        written += size;
      } else {
        written = block(from, start, start + size, to, written);
      }
      from.position(start + size);
      if ((flags & BLOCK_CHECKSUM) != 0) {
        from.getInt();
      }
    }
  }

  private static int block(ByteBuffer from, int start, int end, ByteBuffer to, int written) {
    int in = start;
    int out = written;
    while (in < end) {
      int token = from.get(in++) & 0xff;
      int literals = token >>> 4;
      if (literals == 15) {
        int more;
        do {
          more = from.get(in++) & 0xff;
          literals = Math.addExact(literals, more);
        } while (more == 255);
      }
      if (literals > end - in) {
        throw new IllegalArgumentException("lz4: literals reach beyond their block");
      }
      to.put(out, from, in, literals);
      in += literals;
      out += literals;
      if (in == end) {
        return out;
      }
      int distance = from.getShort(in) & 0xffff;
      in += 2;
      int match = token & 15;
      if (match == 15) {
        int more;
        do {
          more = from.get(in++) & 0xff;
          match = Math.addExact(match, more);
        } while (more == 255);
      }
      match = Math.addExact(match, MIN_MATCH);
      copy(to, out, distance, match);
      out += match;
    }
    throw new IllegalArgumentException("lz4: a block ends within a sequence");
  }

  private static void copy(ByteBuffer to, int out, int distance, int length) {
    if (distance == 0 || distance > out || length > to.capacity() - out) {
      throw new IllegalArgumentException("lz4: a match reaches beyond the output");
    }
    if (distance >= length) {
      to.put(out, to, out - distance, length);
      return;
    }
    for (int i = 0; i < length; i++) {
      to.put(out + i, to.get(out - distance + i));
    }
  }
}
