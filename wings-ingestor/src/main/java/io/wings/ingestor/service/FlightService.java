package io.wings.ingestor.service;

import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerServiceDefinition;
import io.grpc.ServerStreamTracer;
import io.wings.common.concurrent.Threads;
import io.wings.common.config.ByteSize;
import io.wings.common.error.ErrorKind;
import io.wings.common.error.WingsException;
import io.wings.common.flight.ActionBody;
import io.wings.common.flight.ClientRequest;
import io.wings.common.flight.ClusterIdentity;
import io.wings.common.flight.FlightAction;
import io.wings.common.flight.FlightErrors;
import io.wings.common.flight.FlightFrame;
import io.wings.common.flight.FlightMethods;
import io.wings.common.flight.ListDemand;
import io.wings.common.flight.StreamMove;
import io.wings.common.time.Time;
import io.wings.ingestor.action.Actions;
import io.wings.ingestor.action.Lookups;
import io.wings.ingestor.stream.PutStream;
import io.wings.ingestor.stream.StreamServices;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.apache.arrow.flight.impl.Flight;
import org.jspecify.annotations.Nullable;

/** The Flight service of an ingestor, method by method. */
public final class FlightService {
  private final ClusterIdentity identity;
  private final StreamServices streams;
  private final Actions actions;
  private final Lookups lookups;
  private final LiveCalls calls;
  private final InboundBytes inbound;
  private final Time time;
  private final Threads threads;

  /**
   * @param limits what all calls together may cost
   */
  public FlightService(
      ClusterIdentity identity,
      StreamServices streams,
      Actions actions,
      Lookups lookups,
      Limits limits,
      Time time,
      Threads threads) {
    this.identity = identity;
    this.streams = streams;
    this.actions = actions;
    this.lookups = lookups;
    this.calls = new LiveCalls(limits.calls());
    this.inbound = new InboundBytes(limits.inbound().bytes());
    this.time = time;
    this.threads = threads;
  }

  /**
   * What all calls together may cost.
   *
   * @param calls that are served at once
   * @param inbound bytes of frames that have arrived and wait
   */
  public record Limits(int calls, ByteSize inbound) {}

  /** For the server's builder: counts bytes as they arrive. */
  public ServerStreamTracer.Factory tracerFactory() {
    return inbound;
  }

  /** Calls that are being served. */
  public int openCalls() {
    return calls.count();
  }

  /** Bytes of frames that have arrived and wait. */
  public long inboundBytes() {
    return inbound.total();
  }

  /**
   * Takes no more calls, asks streams to go elsewhere and everything else to end; after {@code
   * grace}, streams too.
   */
  public void drain(Duration grace) throws InterruptedException {
    calls.drain();
    if (!calls.awaitNone(time, grace)) {
      calls.stop();
      boolean _ = calls.awaitNone(time, grace);
    }
  }

  /** Waits until no call is served, for at most {@code patience}; false when some are. */
  public boolean awaitNone(Duration patience) throws InterruptedException {
    return calls.awaitNone(time, patience);
  }

  /** The service. */
  public ServerServiceDefinition definition() {
    return ServerServiceDefinition.builder(FlightMethods.SERVICE)
        .addMethod(FlightMethods.DO_PUT, authenticated(this::put))
        .addMethod(
            FlightMethods.DO_ACTION,
            blocking(
                (principal, action) ->
                    List.of(actions.run(principal, ActionBody.of(action)).toResult())))
        .addMethod(
            FlightMethods.LIST_ACTIONS,
            blocking(
                (_, _) ->
                    Arrays.stream(FlightAction.values()).map(FlightAction::toActionType).toList()))
        .addMethod(
            FlightMethods.GET_SCHEMA,
            blocking((_, table) -> List.of(lookups.schema(ClientRequest.lookup(table)))))
        .addMethod(
            FlightMethods.GET_FLIGHT_INFO,
            blocking((_, table) -> List.of(lookups.info(ClientRequest.lookup(table)))))
        .addMethod(
            FlightMethods.LIST_FLIGHTS,
            blocking((_, criteria) -> lookups.list(ListDemand.of(criteria))))
        .addMethod(FlightMethods.HANDSHAKE, unsupported("Handshake"))
        .addMethod(FlightMethods.POLL_FLIGHT_INFO, unsupported("PollFlightInfo"))
        .addMethod(FlightMethods.DO_GET, unsupported("DoGet"))
        .addMethod(FlightMethods.DO_EXCHANGE, unsupported("DoExchange"))
        .build();
  }

  /** Serves a call of a known caller. */
  private interface Service<Q, R> {
    ServerCall.Listener<Q> serve(ServerCall<Q, R> call, ClusterIdentity.Caller caller);
  }

  private <Q, R> ServerCallHandler<Q, R> authenticated(Service<Q, R> service) {
    return (call, headers) -> {
      try {
        return service.serve(call, identity.caller(headers));
      } catch (WingsException e) {
        call.close(FlightErrors.toStatus(e), new Metadata());
        return new ServerCall.Listener<>() {};
      }
    };
  }

  private ServerCall.Listener<FlightFrame> put(
      ServerCall<FlightFrame, Flight.PutResult> call, ClusterIdentity.Caller caller) {
    PutCall put = new PutCall(call, InboundBytes.current());
    Runnable ended =
        calls.begin(() -> put.stop(LiveCalls.stopping()), () -> put.move(StreamMove.Reason.DRAIN));
    PutStream stream = new PutStream(streams, caller, put, put);
    Thread _ = threads.start("ingestor-put", () -> run(stream, put, ended));
    put.begin();
    return put;
  }

  private static void run(PutStream stream, PutCall put, Runnable ended) {
    @Nullable Throwable error = null;
    try {
      stream.run();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      error = LiveCalls.stopping();
    } catch (RuntimeException e) {
      error = e;
    } catch (Error e) {
      // A stream that ends without an error acks all that was sent.
      error = e;
      throw e;
    } finally {
      put.end(error);
      ended.run();
    }
  }

  /** Answers a request on behalf of a principal. */
  private interface Answer<Q, R> {
    List<R> to(String principal, Q request) throws InterruptedException;
  }

  private <Q, R> ServerCallHandler<Q, R> blocking(Answer<Q, R> answer) {
    return authenticated(
        (call, caller) -> {
          BlockingCall<Q, R> serving =
              new BlockingCall<>(call, request -> answer.to(caller.principal(), request), threads);
          serving.begin(calls.begin(serving::stop));
          return serving;
        });
  }

  private <Q, R> ServerCallHandler<Q, R> unsupported(String method) {
    return authenticated(
        (_, _) -> {
          throw new WingsException(
              ErrorKind.UNSUPPORTED, "method-unsupported", "an ingestor doesn't serve " + method);
        });
  }
}
