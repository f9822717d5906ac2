package io.wings.common.flight;

import com.google.protobuf.ByteString;
import io.wings.common.error.WingsException;
import org.apache.arrow.flight.impl.Flight;

/**
 * What an ingestor says on a DoPut stream. Only {@link BatchResult}s are for the client; the rest
 * is between ingestor and load balancer. Their {@code status} tells them apart.
 */
public sealed interface StreamReply permits StreamOpened, StreamMove, BatchResult {
  /** As it travels. */
  Flight.PutResult toPutResult();

  /**
   * Reads {@code app_metadata}.
   *
   * @throws WingsException {@code request-invalid} for anything else
   */
  static StreamReply of(ByteString appMetadata) {
    return FlightJson.decodeInternal(
        document ->
            switch (document.path("status").asText()) {
              case "opened" -> StreamOpened.class;
              case "move" -> StreamMove.class;
              default -> BatchResult.class;
            },
        appMetadata,
        "stream reply");
  }
}
