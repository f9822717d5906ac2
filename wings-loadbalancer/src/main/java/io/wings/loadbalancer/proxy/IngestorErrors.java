package io.wings.loadbalancer.proxy;

import io.grpc.Status;
import io.wings.common.error.ErrorKind;
import io.wings.common.error.WingsException;
import io.wings.common.flight.FlightErrors;
import io.wings.loadbalancer.fleet.Ingestor;
import io.wings.loadbalancer.relay.CallEnd;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/** What a client is told when its ingestor ends a call. */
final class IngestorErrors {
  private static final Logger log = LoggerFactory.getLogger(IngestorErrors.class);

  private static final String LOST = "ingestor-lost";

  private IngestorErrors() {}

  /** What a call that didn't end well ended with. The ingestor's own words pass unchanged. */
  static WingsException of(Ingestor ingestor, Status status) {
    if (!FlightErrors.isWings(status)) {
      return lost(ingestor, status);
    }
    WingsException error = FlightErrors.fromStatus(status);
    if (isStopping(error)) {
      ingestor.draining();
    }
    return error;
  }

  /** Whether another ingestor may do what this one didn't. */
  static boolean isGone(WingsException error) {
    return error.code().equals(LOST) || isStopping(error);
  }

  private static boolean isStopping(WingsException error) {
    return error.code().equals("ingestor-stopping") || error.code().equals("ingestor-closing");
  }

  /** How a stream's call ended. */
  static CallEnd callEnd(Ingestor ingestor, Status status) {
    if (status.isOk()) {
      return new CallEnd.Finished();
    }
    WingsException error = of(ingestor, status);
    if (!FlightErrors.isWings(status)) {
      return error.kind() == ErrorKind.UNAVAILABLE
          ? new CallEnd.Died(error)
          : new CallEnd.Refused(error);
    }
    return isStopping(error) ? new CallEnd.Stopping(error) : new CallEnd.Refused(error);
  }

  /** An ingestor that broke off; it gets no new streams until it has answered a check. */
  private static WingsException lost(Ingestor ingestor, Status status) {
    // Cancelled is what this side, or its client, gave up.
    log.atLevel(status.getCode() == Status.Code.CANCELLED ? Level.DEBUG : Level.WARN)
        .log("call to ingestor {} broke: {}", ingestor, status);
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
        LOST,
        "the ingestor that served this call went away; what was acknowledged is safe, send the"
            + " rest again",
        null);
  }
}
