package io.wings.common.cas;

import io.wings.common.objectstore.Body;

/**
 * The byte form of a value that is replaced under CAS. It embeds the put id, which tells one put
 * from every other, even of an equal value; so equal bodies, and with them equal etags, don't
 * occur.
 */
public interface Codec<T> {
  Body encode(T value, String putId);

  /**
   * The form of a value that replaces another one.
   *
   * @param before what stands there, of which a codec may keep what it doesn't know
   */
  default Body encode(T value, String putId, byte[] before) {
    return encode(value, putId);
  }

  /**
   * Reads what {@link #encode} wrote.
   *
   * @throws io.wings.common.error.WingsException CORRUPT, when the bytes aren't of this format or
   *     of a version that this program reads
   */
  Stamped<T> decode(byte[] bytes);

  /** A value and the id of the put that wrote it. */
  record Stamped<T>(T value, String putId) {}
}
