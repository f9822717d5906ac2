package io.wings.ingestor.stream;

import io.wings.common.cluster.LaneId;
import io.wings.common.cluster.Position;
import io.wings.common.error.ErrorKind;
import io.wings.common.error.WingsException;
import io.wings.common.flight.AwaitedRange;
import io.wings.common.flight.AwaitedRanges;
import io.wings.common.flight.BatchResult;
import io.wings.common.flight.BatchStatus;
import io.wings.common.flight.StreamRequest;
import io.wings.ingestor.table.LaneHistory;
import io.wings.ingestor.table.StreamTable;
import io.wings.ingestor.table.TableSight;
import io.wings.ingestor.table.TableWatches;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Tells a stream that asked for it which of its batches are in the table. What is durable is told
 * by {@link Answers} all the same.
 */
final class VisibleAnswers implements TableWatches.Listener, AutoCloseable {
  private final LaneId lane;
  private final FrameSource frames;
  private final PutReplies replies;
  private final TableWatches.Subscription watch;
  private final ReentrantLock lock = new ReentrantLock();
  private final AwaitedRanges waiting = new AwaitedRanges();

  /** The highest position of batches that are waited for without being told. */
  private long passed;

  /**
   * The latest position that was told with a snapshot; 0 where none is told since one without. What
   * a client hasn't read merges with what comes next, under that one's snapshot, unless that has
   * none: so the first after a rollback has none.
   */
  private long named;

  private long durableThrough;
  private long durablePosition;

  /**
   * @param lane of the stream
   * @param earlier what earlier ingestors of the stream left to tell
   * @throws WingsException NOT_FOUND {@code table-replaced} when that is of another log
   */
  VisibleAnswers(
      TableWatches watches,
      StreamTable table,
      LaneId lane,
      StreamRequest.@Nullable Awaiting earlier,
      FrameSource frames,
      PutReplies replies) {
    this.lane = lane;
    this.frames = frames;
    this.replies = replies;
    this.watch = watches.subscribe(table, this);
    if (earlier != null) {
      if (!earlier.incarnation().equals(lane.incarnation())) {
        throw WingsException.notFound(
            "table-replaced",
            "table \"%s\" was adopted anew while the stream waited for batches to be visible; they are durable in its earlier log"
                .formatted(table.name()));
      }
      earlier.ranges().forEach(this::take);
    }
  }

  /** Begins to look for what earlier ingestors left, if anything. */
  void begin() {
    if (waits()) {
      watch.await();
    }
  }

  private void take(AwaitedRange range) {
    waiting.add(range);
    durableThrough = Math.max(durableThrough, range.through());
    durablePosition = Math.max(durablePosition, range.position());
  }

  /**
   * A batch that is durable now, at that position. On the lane's thread.
   *
   * @throws WingsException UNAVAILABLE {@code visible-behind}
   */
  void durable(long sequence, Position position) {
    await(new AwaitedRange(sequence, sequence, position.number(), position.number()));
  }

  /**
   * A batch that was durable before, at or below the position, which is its producer's last. On the
   * lane's thread.
   *
   * @throws WingsException UNAVAILABLE {@code visible-behind}
   */
  void duplicate(long sequence, Position position) {
    await(new AwaitedRange(sequence, sequence, position.number()));
  }

  private void await(AwaitedRange range) {
    lock.lock();
    try {
      take(range);
    } finally {
      lock.unlock();
    }
    watch.await();
  }

  /** A batch of which it is only known that it was decided, at or below a position. */
  void passed(Position position) {
    lock.lock();
    try {
      passed = Math.max(passed, position.number());
    } finally {
      lock.unlock();
    }
    watch.await();
  }

  @Override
  public void looked(TableSight sight) {
    lock.lock();
    try {
      long watermark = sight.watermark(lane.incarnation(), lane.lane());
      LaneHistory history = sight.history(lane.incarnation(), lane.lane());
      for (AwaitedRange range : waiting.take(watermark)) {
        // A snapshot is named for a whole range, so that none of it may have been rolled back.
        long from = range.from() == null ? 1 : Math.max(1, range.from());
        Optional<Long> snapshot = history.holding(from, range.position());
        if (named > 0 && history.rolledBack(named)) {
          snapshot = Optional.empty();
        }
        named = snapshot.isPresent() ? range.position() : 0;
        replies.result(
            new BatchResult(
                range.sequence(),
                range.through(),
                BatchStatus.VISIBLE,
                lane.incarnation(),
                lane.lane(),
                range.position(),
                null,
                snapshot.orElse(null)));
      }
      if (passed <= watermark) {
        passed = 0;
      }
    } catch (WingsException e) {
      frames.stop(e);
    } finally {
      lock.unlock();
    }
    if (!waits()) {
      frames.wake();
    }
  }

  @Override
  public boolean waits() {
    lock.lock();
    try {
      return passed > 0 || !waiting.isEmpty();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void stopped(WingsException reason) {
    frames.stop(reason);
  }

  /**
   * Blocks until all that is durable is visible and told; returns at once when the client is gone,
   * or when the stream goes elsewhere, which takes along what is left.
   *
   * @throws WingsException that the stream was stopped with
   */
  void awaitAll() throws InterruptedException {
    boolean there = true;
    while (there && waits() && !replies.isMoving()) {
      there = frames.awaitWake();
    }
  }

  /** The error that the stream ends with, and what is durable, of which the client wasn't told. */
  WingsException told(WingsException error) {
    lock.lock();
    try {
      if (waiting.isEmpty() || error.kind() == ErrorKind.INTERNAL) {
        return error;
      }
      return new WingsException(
          error.kind(),
          error.code(),
          "%s; sequences up to %d are durable (lane %d, position %d) and not all visible yet"
              .formatted(error.detail(), durableThrough, lane.lane(), durablePosition),
          error);
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void close() {
    watch.close();
  }
}
