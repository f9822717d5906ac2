package io.wings.ingestor.lane;

import io.wings.common.cluster.LaneId;
import java.time.Duration;

/** Sees what lanes do, for metrics. Called on lane threads; must not block. */
public interface LaneObserver {
  /** Sees nothing. */
  LaneObserver NONE = new LaneObserver() {};

  /** A segment was won; {@code took} runs from its first put to its proof. */
  default void flushed(LaneId lane, long number, long bytes, long rows, Duration took) {}

  /** Another writer had the number. */
  default void lost(LaneId lane, long number) {}

  /** The outcome of a put could not be known at once. */
  default void unknown(LaneId lane, long number) {}

  /** What was known was thrown away (too old, or too far behind) and the lane opened again. */
  default void reopened(LaneId lane) {}

  /** The store failed; the lane tries again. */
  default void storeFailed(LaneId lane, String reason) {}

  /** The lane's log contradicts itself: the lane stopped. */
  default void stopped(LaneId lane, String reason) {}
}
