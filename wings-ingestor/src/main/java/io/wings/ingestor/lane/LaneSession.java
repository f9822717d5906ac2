package io.wings.ingestor.lane;

import io.wings.common.cluster.LaneId;
import io.wings.common.cluster.Position;
import io.wings.common.wal.EncodedBatch;
import io.wings.common.wal.Operation;
import io.wings.common.wal.ProducerKey;
import io.wings.common.wal.ProducerState;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One user of a lane: a stream, or an action. Blocking methods throw {@link
 * io.wings.common.error.WingsException} (UNAVAILABLE {@code lane-stopped}, {@code
 * ingestor-closing}) when the lane can't go on. Submissions of one producer are decided in the
 * order in which they were submitted.
 */
public interface LaneSession extends AutoCloseable {
  LaneId lane();

  /**
   * Hands a batch over; its result comes by the session's listener. Blocks while the process, the
   * tenant or this session holds as many bytes as it may: that is the back-pressure.
   */
  void submit(
      ProducerKey producer,
      long epoch,
      long sequence,
      @Nullable String token,
      Operation operation,
      EncodedBatch batch)
      throws InterruptedException;

  /** Consumes a sequence without storing anything; answered once that is recorded. */
  void reject(ProducerKey producer, long epoch, long sequence, String reason)
      throws InterruptedException;

  /**
   * What the log says of a sequence, by itself and with all that was submitted before. Stores and
   * consumes nothing.
   *
   * @return {@code Duplicate}, {@code Rejected} or {@code Passed}; empty when it isn't decided
   */
  Optional<LaneResult> ask(ProducerKey producer, long epoch, long sequence)
      throws InterruptedException;

  /**
   * What the log remembers of {@code producer}, by itself and with all that was submitted before;
   * empty when nothing.
   */
  Optional<ProducerState> recall(ProducerKey producer) throws InterruptedException;

  /** Appends an epoch record; returns once it is durable, and fences every older epoch. */
  ProducerOpened openProducer(ProducerKey producer) throws InterruptedException;

  /**
   * The highest number that is known to be in the log: the epoch of an unnamed stream that opens
   * now.
   */
  long head();

  /**
   * Writes what waits without the flush interval's delay; returns when all that was submitted to
   * the lane before is decided.
   *
   * @return the lane's head then
   */
  Position flush() throws InterruptedException;

  /** Returns when every submission of this session has its result. */
  void drain() throws InterruptedException;

  /**
   * Ends the session: no result is told from here on. What was submitted is written all the same.
   */
  @Override
  void close();
}
