package io.wings.worker.materialize;

import io.wings.common.cluster.LaneId;
import java.util.List;

/**
 * The segments after a lane's watermark that a pass takes.
 *
 * @param segments contiguous but for quarantined numbers; empty when there is nothing to do
 * @param skipped quarantined numbers that the pass steps over, ascending
 * @param last the number up to which the lane is in the table once they are; the watermark when
 *     there is nothing to do
 * @param more whether there are segments beyond the pass's limits
 */
record LaneTail(
    LaneId lane,
    long watermark,
    List<SegmentObject> segments,
    List<Long> skipped,
    long last,
    boolean more) {
  LaneTail {
    segments = List.copyOf(segments);
    skipped = List.copyOf(skipped);
  }

  boolean isEmpty() {
    return last == watermark;
  }

  long bytes() {
    return segments.stream().mapToLong(SegmentObject::size).sum();
  }
}
