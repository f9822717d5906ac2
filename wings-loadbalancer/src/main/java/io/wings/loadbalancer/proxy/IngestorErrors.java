package io.wings.loadbalancer.proxy;

import io.grpc.Status;
import io.wings.common.error.ErrorKind;
import io.wings.common.error.WingsException;
import io.wings.common.flight.FlightErrors;
import io.wings.loadbalancer.fleet.Ingestor;
import io.wings.loadbalancer.relay.CallEnd;
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

  /** How a stream's call ended. */
  static CallEnd callEnd(Ingestor ingestor, Status status) {
    if (status.isOk()) {
      return new CallEnd.Finished();
    }
    if (!FlightErrors.isWings(status)) {
      WingsException lost = lost(ingestor, status);
      return lost.kind() == ErrorKind.UNAVAILABLE
          ? new CallEnd.Died(lost)
          : new CallEnd.Refused(lost);
    }
    WingsException error = FlightErrors.fromStatus(status);
    if (error.code().equals("ingestor-stopping") || error.code().equals("ingestor-closing")) {
      ingestor.draining();
      return new CallEnd.Stopping(error);
    }
    return new CallEnd.Refused(error);
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
