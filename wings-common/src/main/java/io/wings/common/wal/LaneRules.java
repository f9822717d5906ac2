package io.wings.common.wal;

/**
 * Limits that decide what a lane's state is. They are lane data: every reader of a log must apply
 * the same, so only a {@link RulesRecord} in the log changes them.
 *
 * @param producersPerSpace K: producers remembered per space (each principal's named ones; all
 *     unnamed ones)
 * @param rejectedRanges ranges of rejected sequences remembered per producer
 * @param maxTokenBytes longest token, in bytes of UTF-8
 * @param principals principals that may have named producers
 * @param maxStateBytes bound of the whole state, as {@link LaneState#bytes()} counts it; over it
 *     the largest space forgets first
 */
public record LaneRules(
    int producersPerSpace,
    int rejectedRanges,
    int maxTokenBytes,
    int principals,
    long maxStateBytes) {
  /** What holds before the first {@link RulesRecord}. */
  public static final LaneRules DEFAULT = new LaneRules(1024, 64, 1024, 256, 64L << 20);

  /** Most bytes that any lane's state may have; a checkpoint of it fits into a footer. */
  public static final long MAX_STATE_BYTES = 64L << 20;

  private static final int MAX_COUNT = 1 << 20;
  private static final int MAX_TOKEN_BYTES = 4096;

  public LaneRules {
    check("producers per space", producersPerSpace, 1, MAX_COUNT);
    check("rejected ranges", rejectedRanges, 1, MAX_COUNT);
    check("token bytes", maxTokenBytes, 0, MAX_TOKEN_BYTES);
    check("principals", principals, 1, MAX_COUNT);
    check("state bytes", maxStateBytes, 1, MAX_STATE_BYTES);
  }

  private static void check(String what, long value, long min, long max) {
    if (value < min || value > max) {
      throw new IllegalArgumentException(
          "%s are %d to %d, got %d".formatted(what, min, max, value));
    }
  }
}
