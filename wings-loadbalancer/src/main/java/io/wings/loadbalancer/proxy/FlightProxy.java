package io.wings.loadbalancer.proxy;

import io.grpc.ForwardingServerCall;
import io.grpc.ForwardingServerCallListener;
import io.grpc.Grpc;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerServiceDefinition;
import io.grpc.ServerStreamTracer;
import io.grpc.Status;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.wings.common.auth.Authenticator;
import io.wings.common.auth.Identity;
import io.wings.common.cluster.CatalogName;
import io.wings.common.concurrent.Threads;
import io.wings.common.error.ErrorKind;
import io.wings.common.error.WingsException;
import io.wings.common.flight.ActionBody;
import io.wings.common.flight.ClientRequest;
import io.wings.common.flight.ClusterIdentity;
import io.wings.common.flight.FlightAction;
import io.wings.common.flight.FlightErrors;
import io.wings.common.flight.FlightMethods;
import io.wings.common.flight.LaneHash;
import io.wings.common.flight.ListDemand;
import io.wings.common.flight.ListRequest;
import io.wings.common.flight.TableName;
import io.wings.common.grant.Access;
import io.wings.common.grant.Audit;
import io.wings.common.grant.Privilege;
import io.wings.common.grant.Refusals;
import io.wings.common.grant.Scope;
import io.wings.common.id.Ids;
import io.wings.common.time.Time;
import io.wings.loadbalancer.fleet.Fleet;
import io.wings.loadbalancer.proxy.CallProxy.Answered;
import io.wings.loadbalancer.proxy.CallProxy.Route;
import io.wings.loadbalancer.proxy.CallProxy.Routed;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;
import org.apache.arrow.flight.impl.Flight;
import org.jspecify.annotations.Nullable;

/** The Flight service of a load balancer, method by method. */
public final class FlightProxy {
  /** No principal is called that: names have no control characters. */
  private static final String STRANGERS = "\0strangers";

  private final Routing routing;
  private final Authenticator authenticator;
  private final Access access;
  private final ClusterIdentity identity;
  private final Flushes flushes;
  private final Tables tables;
  private final PutOpening opening;
  private final ProxyMetrics metrics;
  private final Refusals refusals;
  private final Calls calls;
  private final HeldBytes held;
  private final Time time;
  private final long messageLimit;

  /** In the order in which they began. */
  private final Set<PutProxy> puts = Collections.synchronizedSet(new LinkedHashSet<>());

  /** False where everybody may do everything: nothing is to be looked at again. */
  private final boolean rechecking;

  private final Rechecks rechecks;

  private final Logins logins;

  private volatile boolean draining;

  public FlightProxy(
      Fleet fleet,
      Authenticator authenticator,
      Access access,
      ClusterIdentity identity,
      ProxyLimits limits,
      Time time,
      Ids ids,
      Threads threads,
      MeterRegistry registry) {
    this.routing = new Routing(fleet, limits);
    this.authenticator = authenticator;
    this.access = access;
    this.identity = identity;
    IngestorActions actions = new IngestorActions(routing, identity, limits);
    this.tables = new Tables(actions, limits, time);
    this.flushes = new Flushes(this::streams, actions, tables, limits, time);
    this.metrics = new ProxyMetrics(registry);
    this.refusals = new Refusals(time);
    this.opening =
        new PutOpening(fleet, tables, access, identity, limits, metrics, time, ids, threads);
    this.calls = new Calls(limits.callsPerPrincipal(), limits.calls());
    this.held = new HeldBytes(limits.buffer().bytes(), limits.tenantBuffer().bytes());
    this.time = time;
    this.rechecking =
        !(authenticator instanceof Authenticator.Open && access instanceof Access.Everything);
    this.rechecks = new Rechecks(limits.recheck(), time);
    this.logins = new Logins(limits.login(), time, threads);
    this.messageLimit = limits.message().bytes();
    Gauge.builder("wings.loadbalancer.calls.open", calls, Calls::total)
        .description("calls of clients that are open")
        .strongReference(true)
        .register(registry);
    Gauge.builder("wings.loadbalancer.handshakes.open", logins, Logins::count)
        .description("handshakes of clients that aren't complete")
        .strongReference(true)
        .register(registry);
    Gauge.builder("wings.loadbalancer.held.bytes", held, HeldBytes::total)
        .description("bytes of frames held for all streams")
        .baseUnit("bytes")
        .strongReference(true)
        .register(registry);
    Gauge.builder("wings.loadbalancer.held.tenant.bytes", held, HeldBytes::largestTenant)
        .description("bytes of frames held for the streams of the catalog that holds the most")
        .baseUnit("bytes")
        .strongReference(true)
        .register(registry);
  }

  /** For the server's builder: counts bytes as they arrive. */
  public ServerStreamTracer.Factory tracerFactory() {
    return Arriving.FACTORY;
  }

  /** Begins to look again at who may go on, if anybody has to be known at all. */
  public void startRechecks(Threads threads) {
    if (rechecking) {
      rechecks.start(threads);
    }
  }

  public void stopRechecks() {
    rechecks.stop();
  }

  /** The service. */
  public ServerServiceDefinition definition() {
    return ServerServiceDefinition.builder(FlightMethods.SERVICE)
        .addMethod(FlightMethods.HANDSHAKE, this::handshake)
        .addMethod(
            FlightMethods.DO_PUT,
            guarded(
                (call, caller, share) -> {
                  PutProxy put = new PutProxy(call, caller, opening, share);
                  boolean _ = puts.add(put);
                  return new Served<>(put, put, put);
                }))
        .addMethod(
            FlightMethods.DO_ACTION,
            guarded(
                (call, caller, _) -> {
                  SocketAddress from = call.getAttributes().get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR);
                  CallProxy<Flight.Action, Flight.Result> proxy =
                      new CallProxy<>(
                          call,
                          caller,
                          identity,
                          (who, asked) -> action(who, from, asked),
                          (who, asked) -> requireAccess(who, ActionBody.of(asked)));
                  return new Served<>(proxy, proxy, proxy);
                }))
        .addMethod(FlightMethods.LIST_ACTIONS, guarded(FlightProxy::listActions))
        .addMethod(FlightMethods.GET_SCHEMA, routed(this::lookup, this::requireAccess))
        .addMethod(FlightMethods.GET_FLIGHT_INFO, routed(this::lookup, this::requireAccess))
        .addMethod(FlightMethods.LIST_FLIGHTS, routed(this::listFlights, (_, _) -> {}))
        .addMethod(FlightMethods.POLL_FLIGHT_INFO, unsupported("PollFlightInfo"))
        .addMethod(FlightMethods.DO_GET, unsupported("DoGet"))
        .addMethod(FlightMethods.DO_EXCHANGE, unsupported("DoExchange"))
        .build();
  }

  /**
   * A call that is being served.
   *
   * @param refusal ends it because of what it sends
   * @param rechecked ends it because of its caller; null for one that is over at once
   */
  private record Served<Q>(
      ServerCall.Listener<Q> listener,
      Arriving.Refusal refusal,
      Rechecks.@Nullable Rechecked rechecked) {
    Served(ServerCall.Listener<Q> listener, Arriving.Refusal refusal) {
      this(listener, refusal, null);
    }
  }

  /** For a call that reads nothing. */
  private static final Arriving.Refusal NONE =
      new Arriving.Refusal() {
        @Override
        public void tooLarge() {}

        @Override
        public void overflow() {}
      };

  /** Serves a call of a known principal; its first message is asked for afterwards. */
  @FunctionalInterface
  private interface Service<Q, R> {
    Served<Q> serve(ServerCall<Q, R> call, Identity caller, HeldBytes.Share share);
  }

  private void notLetIn(ServerCall<?, ?> call, WingsException why) {
    metrics.unauthenticated.increment();
    refusals.note(
        call.getAttributes().get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR),
        String.valueOf(why.getMessage()));
  }

  /** Somebody whose connection has come to nothing. */
  public void notConnected(SocketAddress from, String why) {
    refusals.note(from, why);
  }

  private <Q, R> ServerCallHandler<Q, R> guarded(Service<Q, R> service) {
    return (call, headers) -> {
      Shown shown =
          new Shown(
              headers,
              call.getAttributes().get(Grpc.TRANSPORT_ATTR_SSL_SESSION),
              authenticator,
              time);
      Identity caller;
      try {
        caller = shown.identity();
      } catch (WingsException e) {
        notLetIn(call, e);
        return refused(call, e);
      }
      return limited(call, caller, shown, service);
    };
  }

  private <Q, R> ServerCall.Listener<Q> limited(
      ServerCall<Q, R> call, Identity caller, Shown shown, Service<Q, R> service) {
    String principal = caller.principal();
    try {
      requireServing();
      calls.begin(principal);
    } catch (WingsException e) {
      return refused(call, e);
    }
    HeldBytes.Share share = held.share(principal);
    Served<Q> served = service.serve(new Counted<>(call, metrics), caller, share);
    Arriving.current().countIn(share, messageLimit, served.refusal);
    Rechecks.Rechecked rechecked = served.rechecked;
    Runnable settled =
        rechecked == null || !rechecking ? () -> {} : rechecks.add(shown, principal, rechecked);
    call.request(1);
    return new Ending<>(
        served.listener,
        () -> {
          settled.run();
          boolean _ = served.listener instanceof PutProxy put && puts.remove(put);
          share.close();
          calls.end(principal);
        });
  }

  private void requireServing() {
    if (draining) {
      throw stopping();
    }
  }

  private static WingsException stopping() {
    return WingsException.unavailable(
        "balancer-stopping",
        "the load balancer is stopping; what was acknowledged is safe, send the rest again",
        null);
  }

  /** Takes no more calls, and ends every stream once what it has sent is answered. */
  public void endStreams() {
    draining = true;
    streams().forEach(put -> put.fail(stopping()));
  }

  private List<PutProxy> streams() {
    return List.copyOf(puts);
  }

  /** Waits until no call is open, for at most {@code patience}; false when some are. */
  public boolean awaitNone(Duration patience) throws InterruptedException {
    return calls.awaitNone(time, patience);
  }

  private static <Q, R> ServerCall.Listener<Q> refused(ServerCall<Q, R> call, WingsException e) {
    call.close(FlightErrors.toStatus(e), new Metadata());
    return new ServerCall.Listener<>() {};
  }

  private <Q, R> ServerCallHandler<Q, R> routed(
      CallProxy.Router<Q, R> router, BiConsumer<Identity, Q> require) {
    return guarded(
        (call, caller, _) -> {
          CallProxy<Q, R> proxy = new CallProxy<>(call, caller, identity, router, require);
          return new Served<>(proxy, proxy, proxy);
        });
  }

  private <Q, R> ServerCallHandler<Q, R> unsupported(String method) {
    return guarded(
        (call, _, _) -> {
          call.close(
              FlightErrors.toStatus(
                  new WingsException(
                      ErrorKind.UNSUPPORTED,
                      "method-unsupported",
                      "Wings takes data with DoPut and doesn't serve "
                          + method
                          + "; read the table with an Iceberg reader")),
              new Metadata());
          return new Served<>(new ServerCall.Listener<>() {}, NONE);
        });
  }

  /** Nobody is known yet: who logs in takes nothing from those who are. */
  private ServerCall.Listener<Flight.HandshakeRequest> handshake(
      ServerCall<Flight.HandshakeRequest, Flight.HandshakeResponse> call, Metadata headers) {
    Logins.Login login;
    try {
      requireServing();
      login = logins.begin(call.getAttributes().get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR));
    } catch (WingsException e) {
      return refused(call, e);
    }
    HeldBytes.Share share = held.share(STRANGERS);
    HandshakeCall handshake =
        new HandshakeCall(
            new Counted<>(call, metrics), headers, authenticator, e -> notLetIn(call, e));
    Arriving.current().countIn(share, HandshakeCall.MAX_MESSAGE_BYTES, handshake);
    login.endedBy(handshake::refuse);
    call.request(1);
    return new Ending<>(
        handshake,
        () -> {
          login.close();
          share.close();
        });
  }

  private Route<Flight.Action, Flight.Result> action(
      Identity caller, @Nullable SocketAddress from, Flight.Action action) {
    ActionBody body = ActionBody.of(action);
    TableName table = body.tableName();
    audit(caller, from, body);
    requireAccess(caller, body);
    String principal = caller.principal();
    if (body instanceof ActionBody.Flush flush) {
      return new Answered<>(List.of(flushes.flush(principal, flush).toResult()));
    }
    int lane =
        switch (body) {
          case ActionBody.Flush _ -> throw new IllegalStateException("answered here");
          case ActionBody.OpenProducer open ->
              LaneHash.named(principal, open.producer(), tables.lanes(principal, table));
          case ActionBody.AwaitVisible await -> await.lane();
          case ActionBody.CreateTable _, ActionBody.DropTable _ -> {
            tables.forget(principal, table);
            yield 0;
          }
          case ActionBody.DescribeTable _ -> 0;
        };
    boolean repeatable =
        switch (body) {
          // What was done and not answered would be refused the second time.
          case ActionBody.CreateTable _, ActionBody.DropTable _ -> false;
          case ActionBody.Flush _ -> false;
          // A producer's second epoch fences the first, which nobody was told.
          case ActionBody.OpenProducer _, ActionBody.DescribeTable _, ActionBody.AwaitVisible _ ->
              true;
        };
    return new Routed<>(() -> routing.lane(table, lane), body.toAction(), repeatable);
  }

  private void requireAccess(Identity caller, ActionBody body) {
    Scope scope = new Scope.Table(body.tableName());
    switch (body) {
      case ActionBody.CreateTable _ -> access.require(caller, Privilege.CREATE, scope);
      case ActionBody.DropTable _ -> access.require(caller, Privilege.ADMIN, scope);
      case ActionBody.OpenProducer _, ActionBody.Flush _ ->
          access.require(caller, Privilege.WRITE, scope);
      case ActionBody.DescribeTable _, ActionBody.AwaitVisible _ ->
          access.requireReadable(caller, scope);
    }
  }

  private void requireAccess(Identity caller, Flight.FlightDescriptor descriptor) {
    access.requireReadable(caller, new Scope.Table(ClientRequest.lookup(descriptor)));
  }

  /** Before the act, and whether it is allowed or not. */
  private void audit(Identity caller, @Nullable SocketAddress from, ActionBody body) {
    Privilege needed =
        switch (body) {
          case ActionBody.CreateTable _ -> Privilege.CREATE;
          case ActionBody.DropTable _ -> Privilege.ADMIN;
          case ActionBody.OpenProducer _,
              ActionBody.Flush _,
              ActionBody.DescribeTable _,
              ActionBody.AwaitVisible _ ->
              null;
        };
    if (needed != null) {
      Scope scope = new Scope.Table(body.tableName());
      boolean allowed = access.allows(caller, needed, scope);
      Audit.act(caller, from, body.toAction().getType(), scope, allowed);
    }
  }

  private static Served<Flight.Empty> listActions(
      ServerCall<Flight.Empty, Flight.ActionType> call, Identity caller, HeldBytes.Share share) {
    call.sendHeaders(new Metadata());
    for (FlightAction action : FlightAction.values()) {
      call.sendMessage(action.toActionType());
    }
    call.close(Status.OK, new Metadata());
    return new Served<>(new ServerCall.Listener<>() {}, NONE);
  }

  private <R> Route<Flight.FlightDescriptor, R> lookup(
      Identity caller, Flight.FlightDescriptor descriptor) {
    TableName table = ClientRequest.lookup(descriptor);
    requireAccess(caller, descriptor);
    return new Routed<>(() -> routing.lane(table, 0), table.toDescriptor(), true);
  }

  private Route<Flight.Criteria, Flight.FlightInfo> listFlights(
      Identity caller, Flight.Criteria criteria) {
    ListRequest request = ListRequest.of(criteria);
    Optional<Set<CatalogName>> known = access.catalogs(caller);
    boolean nothing =
        request.catalog() == null
            ? known.filter(Set::isEmpty).isPresent()
            : !access.revealsWithin(caller, scope(request.catalog(), request.namespace()));
    if (nothing) {
      // What isn't there, and what isn't theirs, is an empty list alike.
      return new Answered<>(List.of());
    }
    ListDemand demand =
        new ListDemand(request, request.catalog() == null ? known.orElse(null) : null);
    return new Routed<>(
        () -> routing.any(caller.principal()),
        demand.toCriteria(),
        true,
        listed ->
            access.reveals(
                caller, new Scope.Table(ClientRequest.lookup(listed.getFlightDescriptor()))));
  }

  private static Scope scope(CatalogName catalog, @Nullable List<String> namespace) {
    return namespace == null || namespace.isEmpty()
        ? new Scope.Catalog(catalog)
        : new Scope.Namespace(catalog, namespace);
  }

  /** A call whose end is counted. */
  private static final class Counted<Q, R>
      extends ForwardingServerCall.SimpleForwardingServerCall<Q, R> {
    private final ProxyMetrics metrics;

    Counted(ServerCall<Q, R> call, ProxyMetrics metrics) {
      super(call);
      this.metrics = metrics;
    }

    @Override
    public void close(Status status, Metadata trailers) {
      MethodDescriptor<Q, R> method = getMethodDescriptor();
      metrics.ended(String.valueOf(method.getBareMethodName()), status.getCode().name());
      super.close(status, trailers);
    }
  }

  /** A listener behind which something has to be given back, once. */
  private static final class Ending<Q>
      extends ForwardingServerCallListener.SimpleForwardingServerCallListener<Q> {
    private final Runnable end;

    Ending(ServerCall.Listener<Q> listener, Runnable end) {
      super(listener);
      this.end = end;
    }

    @Override
    public void onComplete() {
      try {
        super.onComplete();
      } finally {
        end.run();
      }
    }

    @Override
    public void onCancel() {
      try {
        super.onCancel();
      } finally {
        end.run();
      }
    }
  }
}
