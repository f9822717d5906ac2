package io.wings.common.flight;

import com.google.protobuf.ByteString;
import io.wings.common.error.WingsException;
import java.util.UUID;
import org.apache.arrow.flight.impl.Flight;

/**
 * The first message of an ingestor on a stream, which the load balancer keeps to itself: the table
 * is there and adopted, and the stream's place in it is fixed.
 *
 * @param status always {@code opened}; tells it from a result
 * @param epoch of the producer; an unnamed one's is the lane's head at this moment
 */
public record StreamOpened(Status status, UUID uuid, String incarnation, int lane, long epoch)
    implements StreamReply {
  /** The one value. */
  public enum Status {
    OPENED
  }

  public StreamOpened {
    TableName.requirePresent("status", status);
    TableName.requirePresent("uuid", uuid);
    TableName.requirePresent("incarnation", incarnation);
  }

  public StreamOpened(UUID uuid, String incarnation, int lane, long epoch) {
    this(Status.OPENED, uuid, incarnation, lane, epoch);
  }

  @Override
  public Flight.PutResult toPutResult() {
    return Flight.PutResult.newBuilder().setAppMetadata(FlightJson.encode(this)).build();
  }

  /**
   * Reads {@code app_metadata}.
   *
   * @throws WingsException {@code request-invalid} for anything else, a {@link BatchResult} too
   */
  public static StreamOpened of(ByteString appMetadata) {
    return FlightJson.decodeInternal(StreamOpened.class, appMetadata, "open reply");
  }
}
