package io.wings.ingestor.lane;

import io.wings.common.cluster.LaneId;
import io.wings.common.concurrent.Threads;
import io.wings.common.id.Ids;
import io.wings.common.objectstore.ObjectStore;
import io.wings.common.time.Time;
import java.time.Duration;

/** The open lanes of a process. */
@SuppressWarnings("DoNotCallSuggester")
public final class Lanes implements AutoCloseable {
  public Lanes(
      ObjectStore store,
      LaneSettings settings,
      MaterializeScheduler scheduler,
      LaneObserver observer,
      Time time,
      Ids ids,
      Threads threads) {
    throw new UnsupportedOperationException(
        "" + store + settings + scheduler + observer + time + ids + threads);
  }

  /**
   * Opens the lane, unless it is open, and a session on it.
   *
   * @param watermark the last known one, 0 when none is; the head is at or above it
   * @param listener of this session's results
   * @throws io.wings.common.error.WingsException CORRUPT {@code boundary-missing} or another
   *     contradiction in the log, FENCED {@code lane-closed}, UNAVAILABLE {@code too-many-lanes}
   */
  public LaneSession open(LaneId lane, long watermark, LaneListener listener)
      throws InterruptedException {
    throw new UnsupportedOperationException("" + lane + watermark + listener);
  }

  /**
   * Takes no more submissions, writes what waits for at most {@code grace}, and stops every lane.
   */
  public void close(Duration grace) throws InterruptedException {
    throw new UnsupportedOperationException("" + grace);
  }

  /** Stops every lane at once; what is not decided ends undecided. */
  @Override
  public void close() {
    throw new UnsupportedOperationException();
  }
}
