package io.wings.worker.prune;

import io.wings.common.cluster.LaneId;
import io.wings.common.cluster.TableId;
import java.time.Duration;

/** Hears of prune, for metrics. */
public interface PruneObserver {
  /** So many segments of a lane are gone. */
  void deleted(LaneId lane, long segments, long bytes);

  /**
   * What is left of a table's WAL after a look.
   *
   * @param oldest age of its oldest segment, by the store's clock; zero when it has none
   * @param lag numbers between boundary and watermark, of all lanes together: segments that are
   *     kept although their rows are in the table
   */
  void kept(TableId table, Duration oldest, long lag);

  /** Hears nothing. */
  static PruneObserver none() {
    return new PruneObserver() {
      @Override
      public void deleted(LaneId lane, long segments, long bytes) {}

      @Override
      public void kept(TableId table, Duration oldest, long lag) {}
    };
  }
}
