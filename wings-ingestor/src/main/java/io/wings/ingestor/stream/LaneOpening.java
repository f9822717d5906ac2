package io.wings.ingestor.stream;

import io.wings.common.cluster.LaneId;
import io.wings.ingestor.lane.LaneListener;
import io.wings.ingestor.lane.LaneSession;

/** Opens sessions on lanes; {@link io.wings.ingestor.lane.Lanes#open}. */
@FunctionalInterface
public interface LaneOpening {
  /**
   * Opens one.
   *
   * @param watermark the last known one
   */
  LaneSession open(LaneId lane, long watermark, LaneListener listener) throws InterruptedException;
}
