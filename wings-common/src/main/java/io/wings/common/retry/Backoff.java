package io.wings.common.retry;

import java.time.Duration;

/**
 * How long to wait before the next attempt: doubling from {@code initial} to {@code max}, each wait
 * shortened by a random part of up to {@code jitter}, so that those who failed together don't come
 * back together.
 *
 * @param initial the wait after the first failure, before jitter
 * @param max the longest wait
 * @param jitter 0 (none) to 1 (anything down to no wait at all)
 */
public record Backoff(Duration initial, Duration max, double jitter) {
  /** For a contended or briefly unavailable object: 20 ms to 2 s. */
  public static final Backoff STORE =
      new Backoff(Duration.ofMillis(20), Duration.ofSeconds(2), 0.5);

  /** No wait at all, for tests. */
  public static final Backoff NONE = new Backoff(Duration.ZERO, Duration.ZERO, 0);

  /** Beyond this many doublings the wait no longer grows, whatever the maximum. */
  private static final int MAX_DOUBLINGS = 30;

  public Backoff {
    if (initial.isNegative() || max.compareTo(initial) < 0) {
      throw new IllegalArgumentException(
          "a back-off needs 0 <= initial <= max, got " + initial + " and " + max);
    }
    if (!(jitter >= 0 && jitter <= 1)) {
      throw new IllegalArgumentException("a back-off's jitter is 0 to 1, got " + jitter);
    }
  }

  /**
   * The wait after {@code failures} failures in a row.
   *
   * @param failures at least 1
   * @param fraction uniformly distributed in [0, 1)
   */
  public Duration delay(int failures, double fraction) {
    if (failures < 1) {
      throw new IllegalArgumentException("failures begin at 1, got " + failures);
    }
    double grown = (double) initial.toNanos() * (1L << Math.min(failures - 1, MAX_DOUBLINGS));
    double capped = Math.min(grown, (double) max.toNanos());
    return Duration.ofNanos((long) (capped * (1 - jitter * fraction)));
  }
}
