package io.wings.common.objectstore;

import java.nio.ByteBuffer;
import java.util.List;

/**
 * What a put writes: a list of buffers, so that a large object needs no contiguous copy. Contents
 * must not change until the put returns; it may be read more than once.
 */
public final class Body {
  private final List<ByteBuffer> parts;
  private final long size;

  private Body(List<ByteBuffer> parts) {
    this.parts = parts;
    long sum = 0;
    for (ByteBuffer part : parts) {
      sum += part.remaining();
    }
    this.size = sum;
  }

  public static Body of(byte[] bytes) {
    return new Body(List.of(ByteBuffer.wrap(bytes)));
  }

  public static Body of(List<ByteBuffer> parts) {
    return new Body(List.copyOf(parts));
  }

  /** In bytes. */
  public long size() {
    return size;
  }

  /** An independent copy in one array. */
  public byte[] toBytes() {
    byte[] bytes = new byte[Math.toIntExact(size)];
    int at = 0;
    for (ByteBuffer part : parts()) {
      int length = part.remaining();
      part.get(bytes, at, length);
      at += length;
    }
    return bytes;
  }

  /** Read-only views, each positioned at its start. */
  public List<ByteBuffer> parts() {
    return parts.stream().map(ByteBuffer::asReadOnlyBuffer).toList();
  }
}
