package io.wings.ingestor.stream;

/**
 * What one stream may ask of the ingestor. A frame that asks for more is refused before anything is
 * allocated for it.
 *
 * @param headerBytes of one Arrow message header (a schema with all its names and metadata, or the
 *     node and buffer lists of a batch)
 * @param bodyBytes of one message body as it arrives
 * @param batchBytes that one batch may take in all, decompressed and with every copy that decoding
 *     and alignment make of it
 * @param rows of one batch
 * @param values of one column of one batch, nested ones counted at their own level
 * @param fields of a schema, nested ones included
 * @param depth of nesting; a column of a plain type has depth 1
 * @param dictionaries of a stream
 * @param dictionaryBytes that all dictionaries of a stream may take together
 */
public record StreamLimits(
    int headerBytes,
    int bodyBytes,
    long batchBytes,
    int rows,
    int values,
    int fields,
    int depth,
    int dictionaries,
    long dictionaryBytes) {
  private static final int MIB = 1 << 20;

  public StreamLimits {
    if (batchBytes > Integer.MAX_VALUE || values > Integer.MAX_VALUE / 16 || rows > values) {
      throw new IllegalArgumentException(
          "positions within a batch are ints: batchBytes %d, values %d, rows %d"
              .formatted(batchBytes, values, rows));
    }
  }

  /**
   * For a segment cap of {@code segmentBytes}: a batch that can't fit into a segment is refused.
   */
  public static StreamLimits forSegment(int segmentBytes) {
    return new StreamLimits(
        4 * MIB,
        segmentBytes,
        Math.min(3L * segmentBytes, Integer.MAX_VALUE),
        8 * MIB,
        64 * MIB,
        10_000,
        32,
        1_000,
        32L * MIB);
  }
}
