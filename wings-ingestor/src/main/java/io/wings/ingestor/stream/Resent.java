package io.wings.ingestor.stream;

import io.wings.common.cluster.LaneId;
import io.wings.common.cluster.Position;
import io.wings.common.error.WingsException;
import io.wings.common.flight.StreamOpened;
import io.wings.common.flight.StreamRequest;
import io.wings.common.wal.ProducerKey;
import io.wings.common.wal.ProducerState;
import io.wings.ingestor.lane.LaneResult;
import io.wings.ingestor.lane.LaneSession;
import io.wings.ingestor.table.StreamTable;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What the log says of the batches that a stream may send again after another ingestor had them.
 * What it knows is the answer, without another look at the batch.
 *
 * @param epoch of the producer
 * @param known null where the log knows nothing of it, or nothing is sent again
 */
record Resent(LaneId lane, long epoch, long through, @Nullable ProducerState known) {
  /**
   * Looks a stream up that opens.
   *
   * @throws WingsException NOT_FOUND {@code table-replaced} where it was open in another table or
   *     log
   */
  static Resent of(
      StreamRequest asked, StreamTable table, LaneSession session, ProducerKey producer)
      throws InterruptedException {
    StreamRequest.Resumption resumption = asked.resumption();
    StreamOpened opened = resumption == null ? null : resumption.opened();
    if (opened != null
        && !(opened.uuid().equals(table.id().uuid())
            && opened.incarnation().equals(table.incarnation()))) {
      throw WingsException.notFound(
          "table-replaced",
          "table \"%s\" was replaced while the stream was open (was %s, is %s); open a new stream if the new table is meant"
              .formatted(table.name(), opened.uuid(), table.id().uuid()));
    }
    long through = resumption == null ? 0 : resumption.resentThrough();
    Optional<ProducerState> known =
        through >= asked.firstSequence() ? session.recall(producer) : Optional.empty();
    Long given = asked.epoch();
    long epoch;
    if (given != null) {
      epoch = given;
    } else if (known.isPresent()) {
      // Its name is its own: whatever the log knows of it is of this stream.
      epoch = known.get().epoch();
    } else {
      epoch = opened == null ? session.head() : opened.epoch();
    }
    return new Resent(session.lane(), epoch, through, known.orElse(null));
  }

  /** What became of a sequence before; null where it isn't decided, as far as is known. */
  @Nullable LaneResult answer(long sequence) {
    ProducerState state = known;
    if (state == null
        || state.epoch() != epoch
        || sequence > through
        || sequence > state.lastSequence()) {
      return null;
    }
    Position position = new Position(lane.incarnation(), lane.lane(), state.lastSeen());
    if (sequence <= state.floor()) {
      return new LaneResult.Passed(sequence, position);
    }
    return state.rejected().stream().anyMatch(range -> range.contains(sequence))
        ? new LaneResult.Rejected(sequence, position, "")
        : new LaneResult.Duplicate(sequence, position);
  }
}
