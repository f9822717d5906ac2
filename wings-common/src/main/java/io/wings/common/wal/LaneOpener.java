package io.wings.common.wal;

import io.wings.common.cluster.Keys;
import io.wings.common.cluster.LaneId;
import io.wings.common.concurrent.Threads;
import io.wings.common.error.ErrorKind;
import io.wings.common.error.WingsException;
import io.wings.common.id.Ids;
import io.wings.common.objectstore.ObjectStore;
import io.wings.common.objectstore.StoreException;
import io.wings.common.retry.Attempt;
import io.wings.common.retry.Backoff;
import io.wings.common.retry.Retry;
import io.wings.common.time.Time;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;

/**
 * Finds out a lane's state: the boundary, the newest checkpoint above it, the footers up to the
 * head, the boundary again. The head is found by doubling steps and bisection, never by listing.
 * Safe for use by several threads; a process needs one, because what is being read is bounded for
 * all openings together.
 */
public final class LaneOpener {
  /** Tries before a lane is called unavailable: prune may pass by while it is read. */
  static final int MAX_ATTEMPTS = 10;

  private final ObjectStore store;
  private final SegmentReader reader;
  private final Boundaries boundaries;
  private final Threads threads;
  private final Retry retry;
  private final FooterRoom room = new FooterRoom(FooterRoom.DEFAULT_BYTES);

  public LaneOpener(ObjectStore store, Time time, Ids ids, Threads threads, Backoff backoff) {
    this.store = store;
    this.reader = new SegmentReader(store);
    this.boundaries = new Boundaries(store, time, ids, backoff);
    this.threads = threads;
    this.retry = new Retry(time, ids, backoff);
  }

  /**
   * The state at the lane's head.
   *
   * @param watermark the last known one, 0 when none is: the head is at or above it
   * @throws WingsException CORRUPT {@code boundary-missing}, {@code segment-missing}, {@code
   *     watermark-ahead}, {@code log-contradiction} and what {@link SegmentReader} throws, each
   *     only when a second look shows the same; FENCED {@code lane-closed}; UNAVAILABLE {@code
   *     retries-exhausted}
   */
  public LaneState open(LaneId lane, long watermark) {
    AtomicBoolean looked = new AtomicBoolean();
    return retry.run("opening lane " + lane, MAX_ATTEMPTS, _ -> attempt(lane, watermark, looked));
  }

  /**
   * The state of a closed lane as it was after {@code number}, above its boundary.
   *
   * @throws WingsException as {@link #open}; CORRUPT {@code segment-missing} also when the number
   *     is above the head
   */
  public LaneState openClosed(LaneId lane, long number) {
    AtomicBoolean looked = new AtomicBoolean();
    return retry.run(
        "reading closed lane " + lane,
        MAX_ATTEMPTS,
        _ ->
            attempt(
                lane,
                looked,
                before -> {
                  if (!before.closed()) {
                    throw new IllegalStateException("lane " + lane + " is open");
                  }
                  return readTo(lane, before.number(), number);
                }));
  }

  /** The highest number of a lane, at least {@code watermark}. */
  public long head(LaneId lane, long watermark) {
    return Math.max(watermark, head(lane, boundaries.require(lane).number(), watermark));
  }

  private Attempt<LaneState> attempt(LaneId lane, long watermark, AtomicBoolean looked) {
    return attempt(
        lane,
        looked,
        before -> {
          if (before.closed()) {
            throw new WingsException(
                ErrorKind.FENCED,
                "lane-closed",
                "lane " + lane + " was closed; look the table up again");
          }
          return read(lane, before.number(), watermark);
        });
  }

  /**
   * @param looked whether an earlier attempt saw a contradiction; prune passing by can look like
   *     one
   */
  private Attempt<LaneState> attempt(
      LaneId lane, AtomicBoolean looked, Function<Boundary, Opening> read) {
    try {
      Opening opening = read.apply(boundaries.require(lane));
      Boundary after = boundaries.require(lane);
      return after.number() >= opening.first()
          ? Attempt.again("the boundary went on to " + after.number())
          : Attempt.done(opening.state());
    } catch (WingsException e) {
      if (e.kind() == ErrorKind.CORRUPT && looked.compareAndSet(false, true)) {
        return Attempt.again(e.toString(), e);
      }
      throw e;
    } catch (StoreException e) {
      if (!e.retryable()) {
        throw WingsException.unavailable(
            "store-refused", "lane " + lane + " can't be read: " + e.getMessage(), e);
      }
      return Attempt.again(e.toString(), e);
    }
  }

  /** A state, and the first number that it was read from. */
  private record Opening(LaneState state, long first) {}

  private Opening read(LaneId lane, long boundary, long watermark) {
    long head = head(lane, boundary, watermark);
    if (head < watermark) {
      throw watermarkAhead(lane, head(lane, boundary, boundary), watermark);
    }
    return readTo(lane, boundary, head);
  }

  /**
   * That a log ends before what is in its table, and what an operator does about it.
   *
   * @param end the log's last number
   */
  public static WingsException watermarkAhead(LaneId lane, long end, long watermark) {
    return WingsException.corrupt(
        "watermark-ahead",
        "lane %s ends at %d, but rows up to %d are said to be in the table, as after a log was restored from before; nothing is taken, so that no row gets a number twice. An operator gives the table a new log: wings table adopt TABLE --again --yes"
            .formatted(lane, end, watermark));
  }

  private Opening readTo(LaneId lane, long boundary, long head) {
    long checkpoint = head - head % SegmentFooter.CHECKPOINT_EVERY;
    if (checkpoint <= boundary) {
      if (boundary > 0) {
        throw missing(lane, checkpoint + SegmentFooter.CHECKPOINT_EVERY);
      }
      checkpoint = 0;
    }
    long first = Math.max(1, checkpoint);
    LaneState state = new LaneState(lane);
    try (FooterFetch footers = new FooterFetch(reader, threads, retry, room, lane, first, head)) {
      for (long number = first; number <= head; number++) {
        long missed = number;
        SegmentFooter footer = footers.next().orElseThrow(() -> missing(lane, missed));
        if (number == checkpoint) {
          state = LaneState.before(lane, footer);
        }
        state.apply(footer);
      }
    }
    return new Opening(state, first);
  }

  private static WingsException missing(LaneId lane, long number) {
    return WingsException.corrupt(
        "segment-missing", "lane %s has no segment %d".formatted(lane, number));
  }

  /** The highest number that exists, or the boundary when none above it does. */
  private long head(LaneId lane, long boundary, long watermark) {
    long low = Math.max(boundary, watermark);
    if (low > boundary && !exists(lane, low)) {
      return boundary;
    }
    long step = 1;
    while (exists(lane, low + step)) {
      low += step;
      step *= 2;
    }
    long high = low + step;
    while (high - low > 1) {
      long middle = low + (high - low) / 2;
      if (exists(lane, middle)) {
        low = middle;
      } else {
        high = middle;
      }
    }
    return low;
  }

  private boolean exists(LaneId lane, long number) {
    return store.head(Keys.segment(lane, number)).isPresent();
  }
}
