package io.wings.common.wal;

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
  public ProducerState {
    rejected = List.copyOf(rejected);
  }
}
