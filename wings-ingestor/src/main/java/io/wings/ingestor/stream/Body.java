package io.wings.ingestor.stream;

import com.github.luben.zstd.Zstd;
import io.wings.common.error.ErrorKind;
import io.wings.common.error.WingsException;
import java.nio.ByteBuffer;
import org.apache.arrow.memory.ArrowBuf;

/**
 * The buffers of one message in order, cut from the body, decompressed, counted. A buffer is never
 * longer than what the body or its declared and charged decompressed length allows.
 */
final class Body {
  /** Before a compressed buffer stands its decompressed length. */
  private static final int PREFIX = Long.BYTES;

  private static final long NOT_COMPRESSED = -1;

  private final Message.Batch batch;
  private final ArrowBuf bytes;
  private final Arena arena;
  private int next;

  Body(Message.Batch batch, ByteBuffer bytes, Arena arena) {
    this.batch = batch;
    this.bytes = arena.copy(bytes);
    this.arena = arena;
  }

  int remaining() {
    return batch.buffers().size() - next;
  }

  /** The next buffer; empty if the sender left it out. */
  ArrowBuf next(Place place) {
    if (remaining() == 0) {
      throw place.malformed("buffers", "one for each the schema asks for", "too few");
    }
    int index = next++;
    Message.Span span = batch.buffers().get(index);
    if (span.offset() < 0
        || span.length() < 0
        || span.length() > bytes.capacity()
        || span.offset() > bytes.capacity() - span.length()) {
      throw place.malformed(
          "buffer " + index,
          "a range within the body of " + bytes.capacity() + " bytes",
          span.length() + " bytes at " + span.offset());
    }
    ArrowBuf buffer = bytes.slice(span.offset(), span.length());
    if (batch.compression() == Message.Compression.NONE || span.length() == 0) {
      arena.charge(span.length());
      return buffer;
    }
    return decompress(buffer, place, index);
  }

  private ArrowBuf decompress(ArrowBuf buffer, Place place, int index) {
    if (buffer.capacity() < PREFIX) {
      throw place.malformed(
          "compressed buffer " + index,
          "a length of " + PREFIX + " bytes before it",
          buffer.capacity() + " bytes");
    }
    long length = buffer.getLong(0);
    ArrowBuf content = buffer.slice(PREFIX, buffer.capacity() - PREFIX);
    if (length == NOT_COMPRESSED) {
      arena.charge(content.capacity());
      return content;
    }
    if (length < 0) {
      throw place.malformed("compressed buffer " + index, "a length", Long.toString(length));
    }
    ArrowBuf out = arena.allocate(length);
    if (length == 0) {
      return out;
    }
    long got;
    try {
      got =
          switch (batch.compression()) {
            case ZSTD -> zstd(content, out);
            case LZ4_FRAME -> Lz4Frame.decompress(Column.bytes(content), Column.bytes(out));
            case NONE -> throw new AssertionError("not compressed");
          };
    } catch (IllegalArgumentException e) {
      throw new WingsException(
          ErrorKind.INVALID,
          "batch-malformed",
          "column \"%s\": compressed buffer %d is broken (%s); don't send it again"
              .formatted(place.path(), index, e.getMessage()),
          e);
    }
    if (got != length) {
      throw place.malformed(
          "compressed buffer " + index, length + " bytes decompressed", Long.toString(got));
    }
    return out;
  }

  private static long zstd(ArrowBuf from, ArrowBuf to) {
    long got =
        Zstd.decompressUnsafe(
            to.memoryAddress(), to.capacity(), from.memoryAddress(), from.capacity());
    if (Zstd.isError(got)) {
      throw new IllegalArgumentException("zstd: " + Zstd.getErrorName(got));
    }
    return got;
  }
}
