package io.wings.common.wal;

/**
 * A record batch as it goes into a segment: validated, dictionaries decoded, body compressed. Lives
 * on the Java heap and holds no Arrow memory. Immutable.
 */
public final class EncodedBatch {
  private final EncodedSchema schema;
  private final byte[] message;
  private final int crc32c;
  private final long rows;
  private final long rawBytes;

  EncodedBatch(EncodedSchema schema, byte[] message, int crc32c, long rows, long rawBytes) {
    this.schema = schema;
    this.message = message;
    this.crc32c = crc32c;
    this.rows = rows;
    this.rawBytes = rawBytes;
  }

  public EncodedSchema schema() {
    return schema;
  }

  public long rows() {
    return rows;
  }

  /** Bytes of the decoded body; what a segment's cap counts. */
  public long rawBytes() {
    return rawBytes;
  }

  /** Bytes of the message; what it costs in memory and in the segment. */
  public int size() {
    return message.length;
  }

  int crc32c() {
    return crc32c;
  }

  /** Not to be changed. */
  byte[] message() {
    return message;
  }
}
