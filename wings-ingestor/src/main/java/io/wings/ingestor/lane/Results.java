package io.wings.ingestor.lane;

import io.wings.common.cluster.Position;
import io.wings.common.wal.ProducerKey;
import io.wings.common.wal.Verdict;
import java.util.Optional;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/** Turns what the log says into what a session is told. */
final class Results {
  private Results() {}

  /**
   * Whose sequence it is.
   *
   * @param reason of the rejection that was submitted, null for a batch
   */
  record Subject(ProducerKey producer, long epoch, long sequence, @Nullable String reason) {}

  /** What the log holds of a sequence; empty when it holds nothing. */
  static Optional<LaneResult> decided(
      Verdict verdict, long sequence, LongFunction<Position> position) {
    return switch (verdict) {
      case Verdict.Duplicate(long at) ->
          Optional.of(new LaneResult.Duplicate(sequence, position.apply(at)));
      case Verdict.Rejected(long at) ->
          Optional.of(new LaneResult.Rejected(sequence, position.apply(at), ""));
      case Verdict.Passed(long at) ->
          Optional.of(new LaneResult.Passed(sequence, position.apply(at)));
      case Verdict.Accepted _,
          Verdict.Gap _,
          Verdict.Fenced _,
          Verdict.Forgotten _,
          Verdict.UnknownEpoch _,
          Verdict.OverLimit _,
          Verdict.Deferred _ ->
          Optional.empty();
    };
  }

  /**
   * @param position of a number in the lane
   * @param number of the segment that has what was accepted
   */
  static LaneResult of(
      Verdict verdict, Subject subject, LongFunction<Position> position, long number) {
    long sequence = subject.sequence();
    return switch (verdict) {
      case Verdict.Accepted() -> {
        String reason = subject.reason();
        yield reason == null
            ? new LaneResult.Durable(sequence, position.apply(number))
            : new LaneResult.Rejected(sequence, position.apply(number), reason);
      }
      case Verdict.Duplicate(long at) -> new LaneResult.Duplicate(sequence, position.apply(at));
      case Verdict.Rejected(long at) -> new LaneResult.Rejected(sequence, position.apply(at), "");
      case Verdict.Passed(long at) -> new LaneResult.Passed(sequence, position.apply(at));
      case Verdict.Gap(long expected) ->
          new LaneResult.Refused(sequence, Errors.gap(subject.producer(), sequence, expected));
      case Verdict.Fenced(long current) ->
          new LaneResult.Refused(
              sequence, Errors.fenced(subject.producer(), subject.epoch(), current));
      case Verdict.Forgotten(long horizon) ->
          new LaneResult.Refused(
              sequence, Errors.forgotten(subject.producer(), subject.epoch(), horizon));
      case Verdict.UnknownEpoch() ->
          new LaneResult.Refused(
              sequence, Errors.unknownEpoch(subject.producer(), subject.epoch()));
      case Verdict.OverLimit(var error) -> new LaneResult.Refused(sequence, error);
      case Verdict.Deferred() ->
          throw new IllegalStateException("a deferred entry is never concluded");
    };
  }
}
