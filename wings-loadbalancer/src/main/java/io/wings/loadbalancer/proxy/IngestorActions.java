package io.wings.loadbalancer.proxy;

import io.grpc.CallOptions;
import io.grpc.ClientInterceptors;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.MetadataUtils;
import io.wings.common.error.WingsException;
import io.wings.common.flight.ActionBody;
import io.wings.common.flight.ActionReply;
import io.wings.common.flight.ClusterIdentity;
import io.wings.common.flight.FlightMethods;
import io.wings.loadbalancer.fleet.Ingestor;
import java.util.Iterator;
import java.util.concurrent.TimeUnit;
import org.apache.arrow.flight.impl.Flight;

/**
 * Actions that the load balancer asks for itself, on behalf of a principal. All but a flush, which
 * says what one ingestor has received, are asked again where an ingestor goes away.
 */
final class IngestorActions {
  private final Routing routing;
  private final ClusterIdentity identity;
  private final ProxyLimits limits;

  IngestorActions(Routing routing, ClusterIdentity identity, ProxyLimits limits) {
    this.routing = routing;
    this.identity = identity;
    this.limits = limits;
  }

  /** An action under way. */
  interface UnderWay<T extends ActionReply> {
    /**
     * Blocks until it is answered; asks the next ingestor where one goes away meanwhile.
     *
     * @throws WingsException what the ingestor answered, or of kind UNAVAILABLE where none did
     */
    T await();
  }

  /**
   * Begins one; blocks only while no ingestor serves. Its result must be awaited.
   *
   * @param lane whose ingestor is asked
   */
  <T extends ActionReply> UnderWay<T> begin(
      Class<T> type, String principal, int lane, ActionBody body) {
    Asked first = ask(principal, lane, body);
    return () -> {
      Asked now = first;
      for (int attempt = 1; ; attempt++) {
        try {
          T reply = ActionReply.of(type, now.results.next().getBody());
          now.results.forEachRemaining(_ -> {});
          return reply;
        } catch (StatusRuntimeException e) {
          WingsException error = IngestorErrors.of(now.ingestor, e.getStatus());
          if (body instanceof ActionBody.Flush
              || attempt == Routing.MAX_ATTEMPTS
              || !IngestorErrors.isGone(error)) {
            throw error;
          }
        }
        now = ask(principal, lane, body);
      }
    };
  }

  private record Asked(Ingestor ingestor, Iterator<Flight.Result> results) {}

  private Asked ask(String principal, int lane, ActionBody body) {
    Ingestor ingestor = routing.lane(body.tableName(), lane);
    return new Asked(
        ingestor,
        ClientCalls.blockingServerStreamingCall(
            ClientInterceptors.intercept(
                ingestor.channel(),
                MetadataUtils.newAttachHeadersInterceptor(identity.headers(principal))),
            FlightMethods.DO_ACTION,
            CallOptions.DEFAULT.withDeadlineAfter(limits.lookup().toNanos(), TimeUnit.NANOSECONDS),
            body.toAction()));
  }
}
