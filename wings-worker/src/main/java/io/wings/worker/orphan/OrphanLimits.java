package io.wings.worker.orphan;

/**
 * What one run takes on.
 *
 * @param ledgers that it looks at because they are due; the next run goes on
 * @param kept ledgers of the table that aren't due; with more nothing is removed, because not all
 *     could be looked at
 * @param files that may be orphans; where there are more it takes fewer ledgers
 * @param failuresInARow of deletions, after which the storage is taken to be away
 */
record OrphanLimits(int ledgers, int kept, int files, int failuresInARow) {
  static final OrphanLimits DEFAULT = new OrphanLimits(20_000, 200_000, 1_000_000, 1_000);

  /** What is read, or deleted, between two looks at whether to go on. */
  static final int BATCH = 256;

  /** Calls of a batch under way at once. */
  static final int AT_ONCE = 16;

  OrphanLimits {
    if (ledgers < 1 || kept < 0 || files < 1 || failuresInARow < 1) {
      throw new IllegalArgumentException(
          "limits of %d, %d, %d, %d".formatted(ledgers, kept, files, failuresInARow));
    }
  }
}
