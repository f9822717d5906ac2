package io.wings.worker.orphan;

import io.wings.common.cluster.TableId;

/** Hears of removals, for metrics. */
@FunctionalInterface
public interface OrphanObserver {
  /**
   * A run over a table ended.
   *
   * @param ledgers worked through
   * @param files deleted
   */
  void removed(TableId table, int ledgers, int files);

  /** Hears nothing. */
  static OrphanObserver none() {
    return (_, _, _) -> {};
  }
}
