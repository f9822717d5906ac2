package io.wings.ingestor.lane;

import java.time.Duration;

/**
 * What a process may be told about its lanes. Sizes in bytes.
 *
 * @param ingestor this process's name, written into footers for people
 * @param flushInterval from the start of one flush to the start of the next; zero: back to back
 * @param segmentCapBytes raw bytes of one segment; a batch above it is refused
 * @param processBufferBytes encoded bytes that may wait in this process
 * @param tenantBufferBytes of one catalog
 * @param sessionBufferBytes of one session
 * @param maxLanes open at once
 * @param idleAfter a lane without sessions is closed after this long
 */
public record LaneSettings(
    String ingestor,
    Duration flushInterval,
    long segmentCapBytes,
    long processBufferBytes,
    long tenantBufferBytes,
    long sessionBufferBytes,
    int maxLanes,
    Duration idleAfter) {
  private static final int MAX_SEGMENT_CAP_BYTES = 128 << 20;

  /**
   * What the entries of one segment take in its footer at most, but for a single one that takes
   * more: producers and tokens are the clients', and whoever opens the lane holds whole footers.
   */
  static final long FOOTER_CAP_BYTES = 8L << 20;

  public LaneSettings {
    if (flushInterval.isNegative()) {
      throw new IllegalArgumentException("flush-interval is 0 or more, got " + flushInterval);
    }
    if (segmentCapBytes < 1 || segmentCapBytes > MAX_SEGMENT_CAP_BYTES) {
      throw new IllegalArgumentException(
          "a segment's cap is 1 to %d bytes, got %d"
              .formatted(MAX_SEGMENT_CAP_BYTES, segmentCapBytes));
    }
    if (processBufferBytes < 1 || tenantBufferBytes < 1 || sessionBufferBytes < 1 || maxLanes < 1) {
      throw new IllegalArgumentException("buffers and lanes need a size of 1 or more");
    }
  }

  /** The defaults. */
  public static LaneSettings of(String ingestor) {
    return new LaneSettings(
        ingestor,
        Duration.ofSeconds(1),
        64L << 20,
        256L << 20,
        128L << 20,
        32L << 20,
        10_000,
        Duration.ofMinutes(5));
  }

  public LaneSettings withFlushInterval(Duration interval) {
    return new LaneSettings(
        ingestor,
        interval,
        segmentCapBytes,
        processBufferBytes,
        tenantBufferBytes,
        sessionBufferBytes,
        maxLanes,
        idleAfter);
  }
}
