package io.wings.common.flight;

import io.wings.common.error.WingsException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * The ranges of a stream that waits for {@link Ack#VISIBLE}, in the order in which they became
 * durable, so with positions that don't fall. An ingestor keeps them until the table's watermark
 * has passed; a load balancer until the client has been told, so that whichever ingestor serves the
 * stream next can answer.
 *
 * <p>Their number is bounded: above {@link #MAX_RANGES} neighbours become one, which is visible
 * when the later of them is.
 *
 * <p>Not safe for use by several threads.
 */
public final class AwaitedRanges {
  public static final int MAX_RANGES = 256;

  private final ArrayDeque<AwaitedRange> ranges = new ArrayDeque<>();

  /**
   * Adds one behind the others.
   *
   * @throws WingsException UNAVAILABLE {@code visible-behind} when there is no room and nothing can
   *     be merged
   */
  public void add(AwaitedRange range) {
    AwaitedRange last = ranges.peekLast();
    if (last != null && last.meets(range) && last.position() == range.position()) {
      ranges.removeLast();
      ranges.addLast(last.with(range));
      return;
    }
    ranges.addLast(range);
    if (ranges.size() > MAX_RANGES) {
      coarsen();
    }
  }

  private void coarsen() {
    List<AwaitedRange> merged = new ArrayList<>();
    boolean open = false;
    for (AwaitedRange range : ranges) {
      if (open && merged.getLast().meets(range)) {
        merged.add(merged.removeLast().with(range));
        open = false;
      } else {
        merged.add(range);
        open = true;
      }
    }
    if (merged.size() > MAX_RANGES) {
      throw WingsException.unavailable(
          "visible-behind",
          "more than %d separate ranges of batches are durable and not visible yet; send again later"
              .formatted(MAX_RANGES),
          null);
    }
    ranges.clear();
    ranges.addAll(merged);
  }

  /** Takes what a lane's watermark has reached, in order. */
  public List<AwaitedRange> take(long watermark) {
    List<AwaitedRange> taken = new ArrayList<>();
    while (!ranges.isEmpty() && ranges.getFirst().position() <= watermark) {
      taken.add(ranges.removeFirst());
    }
    return taken;
  }

  /** Forgets the sequences from {@code first} to {@code through}: the client knows. */
  public void told(long first, long through) {
    List<AwaitedRange> left = new ArrayList<>();
    for (AwaitedRange range : ranges) {
      if (range.through() < first || range.sequence() > through) {
        left.add(range);
        continue;
      }
      if (range.sequence() < first) {
        left.add(range.part(range.sequence(), first - 1));
      }
      if (range.through() > through) {
        left.add(range.part(through + 1, range.through()));
      }
    }
    ranges.clear();
    ranges.addAll(left);
  }

  public boolean isEmpty() {
    return ranges.isEmpty();
  }

  /** All, in order. */
  public List<AwaitedRange> ranges() {
    return List.copyOf(ranges);
  }
}
