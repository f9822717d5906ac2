package io.wings.common.cas;

import io.wings.common.objectstore.Body;

/** The byte form of a fenced object: its fence and its value. */
public interface FencedCodec<T> {
  Body encode(Fence fence, T value);

  /**
   * Reads what {@link #encode} wrote.
   *
   * @throws io.wings.common.error.WingsException CORRUPT, when the bytes aren't of this format or
   *     of a version that this program reads
   */
  Fenced<T> decode(byte[] bytes);

  /** A value and the fence it was written under. */
  record Fenced<T>(Fence fence, T value) {}
}
