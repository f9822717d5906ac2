package io.wings.worker.materialize;

import io.wings.common.cluster.Keys;
import io.wings.common.cluster.LaneId;
import io.wings.common.error.WingsException;
import io.wings.common.objectstore.ObjectHead;
import io.wings.common.objectstore.ObjectStore;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A listing of a lane after its watermark, read one segment at a time as far as a pass wants them.
 */
final class LaneScan {
  private final LaneId lane;
  private final long watermark;
  private final Set<Long> quarantined;
  private final Iterator<ObjectHead> listing;
  private final List<SegmentObject> taken = new ArrayList<>();

  /** Quarantined numbers up to {@link #last}. */
  private final List<Long> skipped = new ArrayList<>();

  /** All numbers up to it are taken, or stepped over. */
  private long last;

  private @Nullable SegmentObject next;

  private LaneScan(
      LaneId lane, long watermark, Set<Long> quarantined, Iterator<ObjectHead> listing) {
    this.lane = lane;
    this.watermark = watermark;
    this.quarantined = quarantined;
    this.listing = listing;
    this.last = watermark;
  }

  /**
   * Begins to list.
   *
   * @param boundary read before the watermark
   * @param watermark read after the boundary
   * @param quarantined numbers to step over, there or not
   * @throws WingsException CORRUPT, to be looked at twice: {@code boundary-ahead}, {@code
   *     watermark-ahead}, {@code segment-missing}
   */
  static LaneScan open(
      ObjectStore store, LaneId lane, long boundary, long watermark, Set<Long> quarantined) {
    if (boundary > watermark) {
      throw WingsException.corrupt(
          "boundary-ahead",
          "lane %s: segments up to %d may be gone, but only rows up to %d are in the table"
              .formatted(lane, boundary, watermark));
    }
    // A segment above the boundary is there; the watermark's own shows that this is its lane.
    boolean anchored = watermark > boundary && !quarantined.contains(watermark);
    long after = anchored ? watermark - 1 : watermark;
    Iterator<ObjectHead> listing = store.list(Keys.lane(lane), Keys.segment(lane, after));
    if (anchored) {
      requireWatermark(lane, watermark, listing);
    }
    LaneScan scan = new LaneScan(lane, watermark, quarantined, listing);
    scan.advance();
    return scan;
  }

  private static void requireWatermark(LaneId lane, long watermark, Iterator<ObjectHead> listing) {
    OptionalLong first =
        listing.hasNext() ? Keys.segmentNumber(lane, listing.next().key()) : OptionalLong.empty();
    if (first.isEmpty() || first.getAsLong() != watermark) {
      throw WingsException.corrupt(
          "watermark-ahead",
          "lane %s has no segment %d, but rows up to it are said to be in the table, as after a log was restored from before: wings table adopt TABLE --again --yes"
              .formatted(lane, watermark));
    }
  }

  /** The segment that follows what was taken; null after the last. */
  @Nullable SegmentObject next() {
    return next;
  }

  /**
   * Takes {@link #next}.
   *
   * @throws WingsException CORRUPT {@code segment-missing}, to be looked at twice
   */
  void take() {
    SegmentObject segment = next;
    if (segment == null) {
      throw new IllegalStateException("nothing follows in lane " + lane);
    }
    taken.add(segment);
    last = segment.number();
    advance();
  }

  private void advance() {
    next = null;
    while (next == null && listing.hasNext()) {
      ObjectHead head = listing.next();
      OptionalLong listed = Keys.segmentNumber(lane, head.key());
      if (listed.isEmpty()) {
        continue;
      }
      long number = listed.getAsLong();
      stepOver(number);
      if (number != last + 1) {
        throw WingsException.corrupt(
            "segment-missing",
            "lane %s has segment %d, but no segment %d".formatted(lane, number, last + 1));
      }
      if (quarantined.contains(number)) {
        skip(number);
      } else {
        next = new SegmentObject(number, head.size(), head.modified());
      }
    }
  }

  /** Steps over the quarantined numbers that follow, below {@code number}. */
  private void stepOver(long number) {
    while (last + 1 < number && quarantined.contains(last + 1)) {
      skip(last + 1);
    }
  }

  private void skip(long number) {
    last = number;
    skipped.add(number);
  }

  /** What was taken, as it is now. */
  LaneTail tail() {
    return new LaneTail(lane, watermark, taken, skipped, last, next != null);
  }
}
