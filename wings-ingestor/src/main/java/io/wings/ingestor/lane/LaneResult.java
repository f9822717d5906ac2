package io.wings.ingestor.lane;

import io.wings.common.cluster.Position;
import io.wings.common.error.WingsException;

/** How a submitted sequence ended. Each is told exactly once per submission. */
public sealed interface LaneResult {
  long sequence();

  /** Stored by this submission, at {@code position}. */
  record Durable(long sequence, Position position) implements LaneResult {}

  /** Stored before, at or below {@code position}. */
  record Duplicate(long sequence, Position position) implements LaneResult {}

  /**
   * Refused, by this submission or before, and recorded as such.
   *
   * @param reason as given to {@link LaneSession#reject}; empty when an earlier submission gave it
   */
  record Rejected(long sequence, Position position, String reason) implements LaneResult {}

  /** Decided so long ago that the lane no longer knows how. */
  record Passed(long sequence, Position position) implements LaneResult {}

  /**
   * Not stored and not consumed; {@code error} says why and what to do. Codes: {@code
   * sequence-gap}, {@code producer-fenced}, {@code producer-forgotten}, {@code epoch-unknown},
   * {@code token-too-long}, {@code too-many-principals}, {@code batch-too-large}.
   */
  record Refused(long sequence, WingsException error) implements LaneResult {}

  /**
   * The lane stopped or the process is closing before the outcome was known: the batch may or may
   * not be stored; only sending the same sequence again tells.
   */
  record Undecided(long sequence, WingsException error) implements LaneResult {}
}
