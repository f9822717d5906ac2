package io.wings.loadbalancer.proxy;

import io.grpc.Status;
import io.wings.common.error.ErrorKind;
import io.wings.common.error.WingsException;
import io.wings.common.flight.FlightErrors;
import io.wings.loadbalancer.fleet.Ingestor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What a client is told when its ingestor ends a call. */
final class IngestorErrors {
  private static final Logger log = LoggerFactory.getLogger(IngestorErrors.class);

  private IngestorErrors() {}

  /** The ingestor's own words pass unchanged; everything else means that it is gone. */
  static Status toClient(Ingestor ingestor, Status status) {
    return status.isOk() || FlightErrors.isWings(status)
        ? status.withCause(null)
        : FlightErrors.toStatus(lost(ingestor, status));
  }

  /** An ingestor that broke off; it gets no new streams until it has answered a check. */
  static WingsException lost(Ingestor ingestor, Status status) {
    log.warn("call to ingestor {} broke: {}", ingestor, status);
    if (status.getCode() == Status.Code.RESOURCE_EXHAUSTED) {
      return FlightErrors.fromStatus(status);
    }
    if (status.getCode() == Status.Code.DEADLINE_EXCEEDED) {
      return WingsException.unavailable(
          "ingestor-slow", "the ingestor didn't answer in time; try again", null);
    }
    if (status.getCode() == Status.Code.UNKNOWN) {
      // It answered, but failed in a way that it didn't expect; the same again may kill it again.
      return new WingsException(
          ErrorKind.INTERNAL, "ingestor-failed", "the ingestor failed; its log has the reason");
    }
    if (status.getCode() == Status.Code.UNAVAILABLE) {
      ingestor.suspect();
    }
    return WingsException.unavailable(
        "ingestor-lost",
        "the ingestor that served this call went away; what was acknowledged is safe, send the"
            + " rest again",
        null);
  }
}
