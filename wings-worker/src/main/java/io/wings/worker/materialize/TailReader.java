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
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Lists a lane after its watermark. */
final class TailReader {
  private static final Pattern SEGMENT = Pattern.compile("([0-9]{20})\\.wal");

  private final ObjectStore store;

  TailReader(ObjectStore store) {
    this.store = store;
  }

  /**
   * What a pass takes of a lane.
   *
   * @param boundary read before the watermark
   * @param watermark read after the boundary
   * @param quarantined numbers to step over, there or not
   * @param bytes of the pass's limit that are left; one segment is taken whatever its size
   * @throws WingsException CORRUPT, to be looked at twice: {@code boundary-ahead}, {@code
   *     watermark-ahead}, {@code segment-missing}
   */
  LaneTail read(
      LaneId lane, long boundary, long watermark, Set<Long> quarantined, long bytes, int count) {
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
    return take(lane, watermark, quarantined, bytes, count, listing);
  }

  private static void requireWatermark(LaneId lane, long watermark, Iterator<ObjectHead> listing) {
    OptionalLong first = listing.hasNext() ? number(lane, listing.next()) : OptionalLong.empty();
    if (first.isEmpty() || first.getAsLong() != watermark) {
      throw WingsException.corrupt(
          "watermark-ahead",
          "lane %s has no segment %d, but rows up to it are said to be in the table"
              .formatted(lane, watermark));
    }
  }

  private static LaneTail take(
      LaneId lane,
      long watermark,
      Set<Long> quarantined,
      long bytes,
      int count,
      Iterator<ObjectHead> listing) {
    List<SegmentObject> taken = new ArrayList<>();
    long last = watermark;
    long left = bytes;
    while (listing.hasNext()) {
      ObjectHead head = listing.next();
      OptionalLong number = number(lane, head);
      if (number.isEmpty()) {
        continue;
      }
      last = stepOver(last, number.getAsLong(), quarantined);
      if (number.getAsLong() != last + 1) {
        throw WingsException.corrupt(
            "segment-missing",
            "lane %s has segment %d, but no segment %d"
                .formatted(lane, number.getAsLong(), last + 1));
      }
      boolean full = taken.size() == count || (!taken.isEmpty() && head.size() > left);
      if (full) {
        return new LaneTail(lane, watermark, taken, last, true);
      }
      last++;
      if (!quarantined.contains(last)) {
        taken.add(new SegmentObject(last, head.size(), head.modified()));
        left -= head.size();
      }
    }
    return new LaneTail(lane, watermark, taken, last, false);
  }

  /** The last number below {@code next} that is accounted for by quarantined ones. */
  private static long stepOver(long last, long next, Set<Long> quarantined) {
    long stepped = last;
    while (stepped + 1 < next && quarantined.contains(stepped + 1)) {
      stepped++;
    }
    return stepped;
  }

  private static OptionalLong number(LaneId lane, ObjectHead head) {
    Matcher matcher = SEGMENT.matcher(head.key().substring(Keys.lane(lane).length()));
    return matcher.matches()
        ? OptionalLong.of(Long.parseLong(matcher.group(1)))
        : OptionalLong.empty();
  }
}
