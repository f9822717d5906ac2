package io.wings.ingestor.lane;

import io.wings.common.cluster.LaneId;

/** Tells the broker that a lane has rows to materialise. */
@FunctionalInterface
public interface MaterializeScheduler {
  /**
   * Called after a flush is durable, never on the way to an ack, at most one call at a time per
   * {@link Lanes}. May block and may fail: failures are logged and dropped, since the broker's
   * sweep finds the work later.
   *
   * @param head up to which number the lane is durable
   */
  void durable(LaneId lane, long head) throws InterruptedException;
}
