package io.wings.broker.core;

import java.time.Duration;
import java.time.Instant;

/**
 * Now.
 *
 * @param nanos of the broker's own clock of served time ({@link ServedClock}); decides everything
 * @param wall decides nothing; for people
 */
public record Moment(long nanos, Instant wall) {
  long after(Duration duration) {
    return nanos + duration.toNanos();
  }

  /** How long until {@code nanos}; zero once it has passed. */
  Duration until(long nanos) {
    return Duration.ofNanos(Math.max(0, nanos - this.nanos));
  }
}
