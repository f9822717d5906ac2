package io.wings.loadbalancer.proxy;

import io.grpc.CallOptions;
import io.grpc.ClientInterceptors;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.MetadataUtils;
import io.wings.common.flight.ActionBody;
import io.wings.common.flight.ActionReply;
import io.wings.common.flight.ClusterIdentity;
import io.wings.common.flight.FlightErrors;
import io.wings.common.flight.FlightMethods;
import io.wings.loadbalancer.fleet.Ingestor;
import java.util.Iterator;
import java.util.concurrent.TimeUnit;
import org.apache.arrow.flight.impl.Flight;

/** Actions that the load balancer asks for itself, on behalf of a principal. */
final class IngestorActions {
  private final ClusterIdentity identity;
  private final ProxyLimits limits;

  IngestorActions(ClusterIdentity identity, ProxyLimits limits) {
    this.identity = identity;
    this.limits = limits;
  }

  /** An action under way. */
  interface UnderWay<T extends ActionReply> {
    /**
     * Blocks until it is answered.
     *
     * @throws io.wings.common.error.WingsException what the ingestor answered, or of kind
     *     UNAVAILABLE where it didn't
     */
    T await();
  }

  /** Begins one; doesn't block. Its result must be awaited. */
  <T extends ActionReply> UnderWay<T> begin(
      Class<T> type, String principal, Ingestor ingestor, ActionBody body) {
    Iterator<Flight.Result> results =
        ClientCalls.blockingServerStreamingCall(
            ClientInterceptors.intercept(
                ingestor.channel(),
                MetadataUtils.newAttachHeadersInterceptor(identity.headers(principal))),
            FlightMethods.DO_ACTION,
            CallOptions.DEFAULT.withDeadlineAfter(limits.lookup().toNanos(), TimeUnit.NANOSECONDS),
            body.toAction());
    return () -> {
      try {
        T reply = ActionReply.of(type, results.next().getBody());
        results.forEachRemaining(_ -> {});
        return reply;
      } catch (StatusRuntimeException e) {
        throw FlightErrors.isWings(e.getStatus())
            ? FlightErrors.fromStatus(e.getStatus())
            : IngestorErrors.lost(ingestor, e.getStatus());
      }
    };
  }
}
