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
 * @param maxStateBytes bound of the whole state, as {@link LaneState#bytes()} counts it
 */
public record LaneRules(
    int producersPerSpace,
    int rejectedRanges,
    int maxTokenBytes,
    int principals,
    long maxStateBytes) {
  /** What holds before the first {@link RulesRecord}. */
  public static final LaneRules DEFAULT = new LaneRules(1024, 64, 1024, 256, 64L << 20);

  public LaneRules {
    if (producersPerSpace < 1
        || rejectedRanges < 1
        || maxTokenBytes < 0
        || principals < 1
        || maxStateBytes < 1) {
      throw new IllegalArgumentException("rules must be positive");
    }
  }
}
