package io.wings.ingestor.lane;

import io.wings.common.wal.SequenceRange;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A named producer's new epoch and what the lane remembers of it.
 *
 * @param epoch number of the segment that holds the record
 * @param sequence the last decided one, 0 when the lane knows none
 * @param token of the last stored batch that carried one
 * @param floor how sequences at or below were decided is forgotten
 * @param rejected above {@code floor}, ascending
 * @param horizon when {@code sequence} is 0: a producer of this name with an epoch at or below it
 *     may have stored batches and been forgotten since
 */
public record ProducerOpened(
    long epoch,
    long sequence,
    @Nullable String token,
    long floor,
    List<SequenceRange> rejected,
    long horizon) {
  public ProducerOpened {
    rejected = List.copyOf(rejected);
  }
}
