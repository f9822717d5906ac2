package io.wings.ingestor.lane;

import io.wings.common.cluster.LaneId;
import java.util.List;

/** What a lane tells the process about itself. */
interface LaneRegistry {
  /**
   * Whether the lane's thread is done: it had no work for long and nobody uses it, or it was told
   * to stop. A lane that is over is no longer given out.
   *
   * @param work what it took
   */
  boolean isOver(Lane lane, List<Pending> work);

  /** The lane stopped; it is no longer given out. */
  void remove(Lane lane);

  /** Rows are durable up to {@code head}. */
  void durable(LaneId lane, long head);
}
