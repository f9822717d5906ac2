package io.wings.worker.prune;

import java.time.Duration;
import java.time.Instant;

/** Ages of a lane's segments, all by the store's clock. */
final class LaneAge {
  private final Instant now;
  private final Duration retention;
  private Duration oldest = Duration.ZERO;

  LaneAge(Instant now, Duration retention) {
    this.now = now;
    this.retention = retention;
  }

  Duration retention() {
    return retention;
  }

  /** Whether a segment has been there for the whole retention. */
  boolean isOver(Instant modified) {
    return Duration.between(modified, now).compareTo(retention) >= 0;
  }

  /** The oldest segment that stays. */
  void keeps(Instant modified) {
    oldest = Duration.between(modified, now);
  }

  /** Age of the oldest segment that stays; zero when none does. */
  Duration oldest() {
    return oldest.isNegative() ? Duration.ZERO : oldest;
  }
}
