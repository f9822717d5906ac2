package io.wings.worker.orphan;

import java.time.Duration;

/**
 * How orphans are removed.
 *
 * @param grace how long a ledger is left alone before it is closed, and again before its files go;
 *     by the store's clock
 * @param dryRun only say what would go; nothing is closed or deleted
 */
public record OrphanSettings(Duration grace, boolean dryRun) {
  /** Of the time within which no file of a pass is called an orphan. */
  public static final Duration DEFAULT_GRACE = Duration.ofDays(1);

  public static final OrphanSettings DEFAULT = new OrphanSettings(DEFAULT_GRACE, false);

  public OrphanSettings {
    if (grace.isNegative()) {
      throw new IllegalArgumentException("a grace time of " + grace);
    }
  }
}
