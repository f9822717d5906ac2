package io.wings.common.flight;

import io.wings.common.error.WingsException;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * Results that a client hasn't read yet, in order, merged into ranges of sequences: a client that
 * never reads costs a few of them, whatever it sends. Nothing is dropped; past a limit {@link #add}
 * throws and the stream has to end.
 *
 * <p>Not safe for use by several threads.
 */
public final class UnreadResults {
  /** Rejections, which never merge, each with its reason. */
  public static final int MAX_REJECTIONS = 64;

  /** Ranges of any status. */
  public static final int MAX_RANGES = 1024;

  private final ArrayDeque<BatchResult> ranges = new ArrayDeque<>();
  private int rejections;

  /**
   * Adds a result behind the others.
   *
   * @throws WingsException {@code results-unread} when the client must read first
   */
  public void add(BatchResult result) {
    BatchResult last = ranges.peekLast();
    BatchResult merged = last == null ? null : last.mergedWith(result);
    if (merged != null) {
      BatchResult _ = ranges.removeLast();
      ranges.addLast(merged);
      return;
    }
    if (result.status() == BatchStatus.REJECTED && ++rejections > MAX_REJECTIONS) {
      throw WingsException.invalid(
          "results-unread",
          "more than "
              + MAX_REJECTIONS
              + " rejections wait to be read; read results while you send");
    }
    if (ranges.size() == MAX_RANGES) {
      throw WingsException.invalid(
          "results-unread",
          "more than "
              + MAX_RANGES
              + " ranges of results wait to be read; read them while you"
              + " send");
    }
    ranges.addLast(result);
  }

  /** Takes the oldest, or null when all have been read. */
  public @Nullable BatchResult poll() {
    BatchResult first = ranges.pollFirst();
    if (first != null && first.status() == BatchStatus.REJECTED) {
      rejections--;
    }
    return first;
  }

  public boolean isEmpty() {
    return ranges.isEmpty();
  }

  /** Ranges that wait. */
  public int size() {
    return ranges.size();
  }
}
