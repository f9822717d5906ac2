package io.wings.ingestor.lane;

import io.wings.common.cas.Append;
import io.wings.common.cas.NumberedLog;
import io.wings.common.cluster.Keys;
import io.wings.common.cluster.LaneId;
import io.wings.common.error.ErrorKind;
import io.wings.common.error.WingsException;
import io.wings.common.objectstore.StoreException;
import io.wings.common.retry.Attempt;
import io.wings.common.retry.Retry;
import io.wings.common.wal.Boundaries;
import io.wings.common.wal.Boundary;
import io.wings.common.wal.LaneState;
import io.wings.common.wal.SegmentFooter;
import io.wings.common.wal.SegmentReader;
import io.wings.common.wal.SegmentWriter;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * A lane's objects. Every method tries until it has an answer: a store that fails is waited for,
 * and only an interrupt ends the wait ({@code interrupted}, UNAVAILABLE).
 */
final class LaneLog {
  private final LaneId lane;
  private final LaneContext context;
  private final NumberedLog numbers;
  private final SegmentReader reader;
  private final Boundaries boundaries;
  private final Retry retry;

  LaneLog(LaneId lane, LaneContext context) {
    this.lane = lane;
    this.context = context;
    this.numbers =
        new NumberedLog(context.store(), context.time(), context.ids(), context.backoff());
    this.reader = new SegmentReader(context.store());
    this.boundaries =
        new Boundaries(context.store(), context.time(), context.ids(), context.backoff());
    this.retry = new Retry(context.time(), context.ids(), context.backoff());
  }

  /** The state at the head; gives up after some tries, so that a stream can be refused. */
  LaneState open(long watermark) {
    return context.opener().open(lane, watermark);
  }

  /** The state at the head, however long it takes. */
  LaneState reopen(long watermark) {
    return retry.run(
        "opening lane " + lane + " again",
        Retry.UNTIL_KNOWN,
        _ -> {
          try {
            return Attempt.done(context.opener().open(lane, watermark));
          } catch (WingsException e) {
            if (e.kind() != ErrorKind.UNAVAILABLE || Thread.currentThread().isInterrupted()) {
              throw e;
            }
            return Attempt.again(e.toString(), e);
          }
        });
  }

  /**
   * Puts the segment at its number, and only its bytes, until it is known whose segment is there.
   *
   * @return whether it is this one
   */
  boolean append(SegmentWriter.Segment segment) {
    SegmentFooter footer = segment.footer();
    String key = Keys.segment(lane, footer.number());
    Append outcome =
        patiently(
            "appending " + key,
            () ->
                numbers.append(
                    key,
                    segment.body(),
                    footer.putId(),
                    _ -> {
                      context.observer().unknown(lane, footer.number());
                      return reader.footer(lane, footer.number()).map(SegmentFooter::putId);
                    }));
    return switch (outcome) {
      case Append.Won() -> true;
      case Append.Taken() -> false;
    };
  }

  Optional<SegmentFooter> footer(long number) {
    return patiently(
        "reading segment " + number + " of lane " + lane, () -> reader.footer(lane, number));
  }

  Boundary boundary() {
    return patiently("reading the boundary of lane " + lane, () -> boundaries.require(lane));
  }

  private <T> T patiently(String what, Supplier<T> work) {
    return retry.run(
        what,
        Retry.UNTIL_KNOWN,
        _ -> {
          try {
            return Attempt.done(work.get());
          } catch (StoreException e) {
            context.observer().storeFailed(lane, e.toString());
            return Attempt.again(e.toString(), e);
          }
        });
  }
}
