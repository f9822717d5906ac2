package io.wings.ingestor.stream;

import io.wings.common.error.WingsException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.OutOfMemoryException;

/** The memory of one batch: counted before it is allocated, freed all at once. */
final class Arena implements AutoCloseable {
  private final BufferAllocator allocator;
  private final long limit;
  private final List<ArrowBuf> owned = new ArrayList<>();
  private long charged;

  /**
   * @param limit in bytes, over all that is charged and allocated
   */
  Arena(BufferAllocator allocator, long limit) {
    this.allocator = allocator;
    this.limit = limit;
  }

  /** Counts {@code bytes} that the batch refers to without a copy. */
  void charge(long bytes) {
    if (bytes < 0 || bytes > limit - charged) {
      throw WingsException.invalid(
          "batch-too-large",
          "decoding the batch takes more than "
              + limit
              + " bytes (decompressed, dictionaries decoded); send smaller batches");
    }
    charged += bytes;
  }

  /** A copy that isn't counted; the caller has bounded it. */
  ArrowBuf copy(ByteBuffer bytes) {
    ArrowBuf copy = take(bytes.remaining());
    if (bytes.hasRemaining()) {
      ByteBuffer _ = Column.bytes(copy).put(0, bytes, bytes.position(), bytes.remaining());
    }
    return copy;
  }

  /** A buffer of exactly {@code bytes}, not cleared. */
  ArrowBuf allocate(long bytes) {
    charge(bytes);
    return take(bytes);
  }

  private ArrowBuf take(long bytes) {
    if (bytes == 0) {
      return allocator.getEmpty();
    }
    ArrowBuf buffer;
    try {
      buffer = allocator.buffer(bytes);
    } catch (OutOfMemoryException e) {
      throw WingsException.unavailable(
          "ingestor-busy", "no memory left to decode the batch; send it again later", e);
    }
    owned.add(buffer);
    return buffer.slice(0, bytes);
  }

  /** A cleared buffer. */
  ArrowBuf zeroes(long bytes) {
    ArrowBuf buffer = allocate(bytes);
    buffer.setZero(0, bytes);
    return buffer;
  }

  ArrowBuf empty() {
    return allocator.getEmpty();
  }

  /** Bytes counted so far. */
  long charged() {
    return charged;
  }

  BufferAllocator allocator() {
    return allocator;
  }

  @Override
  public void close() {
    owned.forEach(ArrowBuf::close);
    owned.clear();
  }
}
