package io.wings.common.wal;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a lane remembers of a producer.
 *
 * @param epoch named: number of the segment with its latest epoch record; unnamed: the lane's head
 *     when its stream opened
 * @param lastSequence the highest decided sequence, 0 when there is none
 * @param token of the last stored batch that carried one
 * @param lastSeen number of the last segment that names it
 * @param floor sequences at or below are decided, but how is forgotten
 * @param rejected sequences above {@code floor} that were rejected, ascending, apart from each
 *     other
 */
public record ProducerState(
    ProducerKey producer,
    long epoch,
    long lastSequence,
    @Nullable String token,
    long lastSeen,
    long floor,
    List<SequenceRange> rejected) {
  /** What a producer costs beside its texts and ranges, in bytes. */
  static final int FIXED_BYTES = 128;

  static final int RANGE_BYTES = 24;

  public ProducerState {
    rejected = List.copyOf(rejected);
    if (epoch < 0 || lastSeen < 0 || floor < 0 || lastSequence < floor) {
      throw new IllegalArgumentException("a producer's numbers contradict each other");
    }
    long previous = floor;
    for (SequenceRange range : rejected) {
      if (range.first() <= (previous == floor ? floor : previous + 1)
          || range.last() > lastSequence) {
        throw new IllegalArgumentException("a producer's rejected ranges contradict each other");
      }
      previous = range.last();
    }
  }

  /** A producer that nothing is known of yet. */
  static ProducerState born(ProducerKey producer, long epoch, long number) {
    return new ProducerState(producer, epoch, 0, null, number, 0, List.of());
  }

  ProducerState withEpoch(long newEpoch, long number) {
    return new ProducerState(producer, newEpoch, lastSequence, token, number, floor, rejected);
  }

  /** With one more stored batch. */
  ProducerState stored(@Nullable String newToken, long number) {
    return new ProducerState(
        producer,
        epoch,
        lastSequence + 1,
        newToken == null ? token : newToken,
        number,
        floor,
        rejected);
  }

  /** With one more rejected sequence; the oldest range goes below the floor when there are many. */
  ProducerState refused(long number, int maxRanges) {
    long sequence = lastSequence + 1;
    List<SequenceRange> ranges = new ArrayList<>(rejected);
    if (!ranges.isEmpty() && ranges.getLast().last() == sequence - 1) {
      ranges.add(new SequenceRange(ranges.removeLast().first(), sequence));
    } else {
      ranges.add(new SequenceRange(sequence, sequence));
    }
    return new ProducerState(producer, epoch, sequence, token, number, floor, ranges)
        .trimmed(maxRanges);
  }

  /** With at most {@code maxRanges} ranges. */
  ProducerState trimmed(int maxRanges) {
    int excess = rejected.size() - maxRanges;
    if (excess <= 0) {
      return this;
    }
    return new ProducerState(
        producer,
        epoch,
        lastSequence,
        token,
        lastSeen,
        rejected.get(excess - 1).last(),
        rejected.subList(excess, rejected.size()));
  }

  /** What it counts for in {@link LaneRules#maxStateBytes()}. */
  long bytes() {
    String known = token;
    return FIXED_BYTES
        + Utf8.length(producer.principal())
        + Utf8.length(producer.name())
        + (known == null ? 0 : Utf8.length(known))
        + (long) RANGE_BYTES * rejected.size();
  }
}
