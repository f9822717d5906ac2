package io.wings.common.flight;

import org.apache.arrow.flight.impl.Flight;

/**
 * An ingestor's wish that a stream goes elsewhere: "send nothing more here and half-close; I answer
 * all that you have sent, then end OK". The load balancer opens the stream again, where it sends
 * what was not sent. That is no death: nothing that was sent is counted as sent again.
 *
 * @param status always {@code move}; tells it from a result
 */
public record StreamMove(Status status, Reason reason) implements StreamReply {
  /** The one value. */
  public enum Status {
    MOVE
  }

  /** Why. */
  public enum Reason {
    /** The ingestor is about to stop: not there again. */
    DRAIN,
    /** Another ingestor writes the same lane: wherever the lane's streams go now. */
    CONTENTION
  }

  public StreamMove {
    TableName.requirePresent("status", status);
    TableName.requirePresent("reason", reason);
  }

  public StreamMove(Reason reason) {
    this(Status.MOVE, reason);
  }

  @Override
  public Flight.PutResult toPutResult() {
    return Flight.PutResult.newBuilder().setAppMetadata(FlightJson.encode(this)).build();
  }
}
