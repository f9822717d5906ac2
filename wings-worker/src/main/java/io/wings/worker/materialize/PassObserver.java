package io.wings.worker.materialize;

import io.wings.common.cluster.LaneId;
import io.wings.common.cluster.TableId;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Hears of passes, for metrics. */
public interface PassObserver {
  /** Parts of a pass. */
  enum Phase {
    /** Loading the table, listing the WAL. */
    PLAN,
    /** Reading segments, writing and uploading data files. */
    WRITE,
    /** The ledger and the catalog's commit. */
    COMMIT
  }

  void phase(Phase phase, Duration took);

  /**
   * A pass is in the table.
   *
   * @param bytes of its segments, as stored
   */
  void landed(TableId table, int segments, long rows, long bytes, int files);

  /**
   * How far a table is behind.
   *
   * @param oldest when its oldest segment that is not in the table was written, by the store's
   *     clock; null: everything is in
   */
  void lag(TableId table, @Nullable Instant oldest);

  /**
   * A quarantined segment is passed: what is in it is not in the table.
   *
   * @param batches that it held; 0 when its footer can't be read
   */
  void lost(LaneId lane, long number, int batches, long rows);

  /** Hears nothing. */
  static PassObserver none() {
    return new PassObserver() {
      @Override
      public void phase(Phase phase, Duration took) {}

      @Override
      public void landed(TableId table, int segments, long rows, long bytes, int files) {}

      @Override
      public void lag(TableId table, @Nullable Instant oldest) {}

      @Override
      public void lost(LaneId lane, long number, int batches, long rows) {}
    };
  }
}
