package io.wings.ingestor.stream;

import io.wings.common.cluster.Position;
import io.wings.common.error.ErrorKind;
import io.wings.common.error.WingsException;
import io.wings.common.flight.BatchResult;
import io.wings.common.flight.BatchStatus;
import io.wings.common.flight.OnReject;
import io.wings.common.flight.StreamMove;
import io.wings.common.time.Time;
import io.wings.ingestor.lane.LaneListener;
import io.wings.ingestor.lane.LaneResult;
import java.util.ArrayDeque;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * What became of a stream's batches: passes each decision of the lane on, and remembers what keeps
 * the stream from ending well. Decisions come on the lane's thread.
 */
final class Answers implements LaneListener {
  private static final String REJECTED_BEFORE =
      "rejected-before: the sequence was refused when it was first sent; a correction takes a new"
          + " one";

  /** A batch that the lane has and hasn't decided. The lane's byte caps bound how many. */
  private record Pending(long sequence, long rows, long arrivedNanos) {}

  /** A sequence that ends the stream when the log says that it is refused. */
  private record Refusing(long sequence, WingsException error) {}

  private final FrameSource frames;
  private final PutReplies replies;
  private final StreamMeters meters;
  private final Time time;
  private final ReentrantLock lock = new ReentrantLock();
  private final ArrayDeque<Pending> pending = new ArrayDeque<>();
  private @Nullable VisibleAnswers visible;
  private @Nullable WingsException failure;
  private long rejections;
  private long resentThrough;
  private boolean failsWhenResent;
  private @Nullable Refusing refusing;
  private @Nullable String firstRejection;

  Answers(FrameSource frames, PutReplies replies, StreamMeters meters, Time time) {
    this.frames = frames;
    this.replies = replies;
    this.meters = meters;
    this.time = time;
  }

  /** From here on what is durable is also awaited to be visible. */
  void await(VisibleAnswers answers) {
    lock.lock();
    try {
      visible = answers;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Up to here a duplicate is what this cluster sent twice, not the client; nor has the client been
   * told of what was refused.
   */
  void resent(long through, OnReject onReject) {
    lock.lock();
    try {
      resentThrough = through;
      failsWhenResent = onReject == OnReject.FAIL;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void contended() {
    replies.move(StreamMove.Reason.CONTENTION);
  }

  /** Told before the rejection goes to the lane: with it the stream ends so. */
  void refusing(long sequence, WingsException error) {
    lock.lock();
    try {
      refusing = new Refusing(sequence, error);
    } finally {
      lock.unlock();
    }
  }

  /** What a rejection ends the stream with; null where it is only told. */
  private @Nullable WingsException endOf(long sequence) {
    Refusing own = refusing;
    if (own != null && own.sequence == sequence) {
      return own.error;
    }
    return failsWhenResent && sequence <= resentThrough
        ? WingsException.invalid("rejected-before", "sequence " + sequence + " was refused before")
        : null;
  }

  /** Told before the batch goes to the lane. */
  void submitting(long sequence, long rows, long arrivedNanos) {
    lock.lock();
    try {
      pending.add(new Pending(sequence, rows, arrivedNanos));
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void decided(LaneResult result) {
    lock.lock();
    try {
      if (failure == null) {
        pass(result, taken(result.sequence()));
      }
    } catch (WingsException e) {
      fail(e);
    } catch (RuntimeException e) {
      // A stream that ends without a failure acks all that was sent.
      fail(
          new WingsException(
              ErrorKind.INTERNAL, "answer-failed", "a decision couldn't be passed on", e));
      throw e;
    } finally {
      lock.unlock();
    }
  }

  private Pending taken(long sequence) {
    Pending next = pending.poll();
    if (next == null || next.sequence != sequence) {
      throw new IllegalStateException("decided " + sequence + " instead of " + next);
    }
    return next;
  }

  private void pass(LaneResult result, Pending batch) {
    switch (result) {
      case LaneResult.Durable(long sequence, Position position) -> {
        meters.durable(batch.rows, time.since(batch.arrivedNanos));
        tell(sequence, BatchStatus.DURABLE, position, null);
        if (visible != null) {
          visible.durable(sequence, position);
        }
      }
      case LaneResult.Duplicate(long sequence, Position position) -> {
        meters.duplicate();
        tell(
            sequence,
            sequence <= resentThrough ? BatchStatus.DURABLE : BatchStatus.DUPLICATE,
            position,
            null);
        if (visible != null) {
          visible.duplicate(sequence, position);
        }
      }
      case LaneResult.Passed(long sequence, Position position) -> {
        meters.duplicate();
        tell(sequence, BatchStatus.PASSED, position, null);
        if (visible != null) {
          visible.passed(position);
        }
      }
      case LaneResult.Rejected(long sequence, Position position, String given) -> {
        meters.rejected();
        WingsException end = endOf(sequence);
        if (end != null) {
          fail(end);
          return;
        }
        String reason = given.isEmpty() ? REJECTED_BEFORE : given;
        rejections++;
        if (firstRejection == null) {
          firstRejection = "sequence " + sequence + ": " + reason;
        }
        tell(sequence, BatchStatus.REJECTED, position, reason);
      }
      case LaneResult.Refused(_, WingsException error) -> fail(error);
      case LaneResult.Undecided(_, WingsException error) -> fail(error);
    }
  }

  private void tell(long sequence, BatchStatus status, Position position, @Nullable String reason) {
    replies.result(
        new BatchResult(
            sequence,
            sequence,
            status,
            position.incarnation(),
            position.lane(),
            position.number(),
            reason));
  }

  private void fail(WingsException error) {
    failure = error;
    pending.clear();
    frames.stop(error);
  }

  /** What ended the stream from the lane's side, or null. */
  @Nullable WingsException failure() {
    lock.lock();
    try {
      return failure;
    } finally {
      lock.unlock();
    }
  }

  /**
   * When everything has been decided: whether the stream may end well.
   *
   * @throws WingsException the failure, or {@code batches-rejected}: a client that never reads
   *     results must not mistake a refusal for success
   */
  void requireNoneRefused() {
    lock.lock();
    try {
      if (failure != null) {
        throw failure;
      }
      if (rejections > 0) {
        throw WingsException.invalid(
            "batches-rejected",
            "%d batches were rejected and everything else is durable; the first was %s"
                .formatted(rejections, firstRejection));
      }
    } finally {
      lock.unlock();
    }
  }
}
