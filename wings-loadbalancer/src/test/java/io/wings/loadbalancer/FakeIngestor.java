package io.wings.loadbalancer;

import io.grpc.Metadata;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import io.wings.common.cluster.CatalogName;
import io.wings.common.cluster.Position;
import io.wings.common.config.HostPort;
import io.wings.common.error.WingsException;
import io.wings.common.flight.Ack;
import io.wings.common.flight.ActionBody;
import io.wings.common.flight.ActionReply;
import io.wings.common.flight.BatchResult;
import io.wings.common.flight.BatchStatus;
import io.wings.common.flight.ClientRequest;
import io.wings.common.flight.ClusterIdentity;
import io.wings.common.flight.Create;
import io.wings.common.flight.FlightErrors;
import io.wings.common.flight.FlightFrame;
import io.wings.common.flight.FlightMethods;
import io.wings.common.flight.ListDemand;
import io.wings.common.flight.ServingProcess;
import io.wings.common.flight.StreamMove;
import io.wings.common.flight.StreamOpened;
import io.wings.common.flight.StreamRequest;
import io.wings.common.flight.TableName;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Base64;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.apache.arrow.flight.impl.Flight;
import org.jspecify.annotations.Nullable;

/** An ingestor that stores nothing: it answers as one would and remembers what it was sent. */
final class FakeIngestor implements AutoCloseable {
  static final ClusterIdentity IDENTITY = new ClusterIdentity("a-shared-secret");
  static final UUID TABLE_UUID = UUID.fromString("11111111-2222-4333-8444-555555555555");
  static final String INCARNATION = "0123456789abcdef0123456789abcdef";

  /** As a call that breaks off ends. */
  static final Status BROKEN = Status.UNAVAILABLE.withDescription("io exception");

  /** What a stream did to it. */
  final List<StreamRequest> streams = new CopyOnWriteArrayList<>();

  final List<FlightFrame> frames = new CopyOnWriteArrayList<>();
  final List<ActionBody> actions = new CopyOnWriteArrayList<>();
  final List<TableName> lookups = new CopyOnWriteArrayList<>();
  final List<ListDemand> lists = new CopyOnWriteArrayList<>();
  final List<String> principals = new CopyOnWriteArrayList<>();

  /** Of the clients of streams. */
  final List<String> addresses = new CopyOnWriteArrayList<>();

  private final List<Put> puts = new CopyOnWriteArrayList<>();
  final AtomicLong framesSeen = new AtomicLong();
  final AtomicLong cancelled = new AtomicLong();

  /** Whether frames are kept; off where a test sends many. */
  volatile boolean keepFrames = true;

  /** Reads on after each frame; off for one that is slow for ever. */
  volatile boolean reading = true;

  /** Answers per frame; off for one that never acknowledges. */
  volatile boolean answering = true;

  /** How a table is described. */
  volatile Function<TableName, ActionReply.TableDescription> describe = _ -> description(1);

  /** Refuses a frame, by its sequence. */
  volatile BiFunction<StreamRequest, Long, @Nullable WingsException> check = (_, _) -> null;

  /** Runs before it answers a call with one request. */
  volatile Runnable onCall = () -> {};

  /** Runs between its reading of the log's end and its answer to a flush. */
  volatile Runnable onFlush = () -> {};

  /** Whether a stream that may make its table finds none, and is open with its first batch. */
  volatile boolean tableAbsent;

  /** Streams whose client has sent everything. */
  final AtomicLong halfCloses = new AtomicLong();

  /** What it answers to health checks; null for nothing at all. */
  volatile @Nullable ServingStatus health = ServingStatus.SERVING;

  /** Ends a stream OK after that many batches, whatever the client does; 0 for never. */
  volatile long endsAfter;

  /** As which process it answers. */
  private volatile ServingProcess process = drawn();

  private final Server server;

  FakeIngestor() throws IOException {
    this(0);
  }

  FakeIngestor(int port) throws IOException {
    server =
        NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), port))
            .executor(Executors.newVirtualThreadPerTaskExecutor())
            .maxInboundMessageSize(128 << 20)
            .addService(service())
            .addService(new Health())
            .intercept(telling())
            .build()
            .start();
  }

  private static ServingProcess drawn() {
    return new ServingProcess(UUID.randomUUID().toString());
  }

  private ServerInterceptor telling() {
    return new ServerInterceptor() {
      @Override
      public <Q, R> ServerCall.Listener<Q> interceptCall(
          ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
        return process.telling().interceptCall(call, headers, next);
      }
    };
  }

  /** Another process answers at its address from now on. */
  void replace() {
    process = drawn();
  }

  /** As {@link #replace}, after it broke all streams off. */
  void dieAndReturn() {
    replace();
    puts.forEach(put -> put.call.close(BROKEN, new Metadata()));
    puts.clear();
  }

  static ActionReply.TableDescription description(int lanes) {
    return new ActionReply.TableDescription(
        TABLE_UUID,
        INCARNATION,
        lanes,
        List.of(0L),
        "file:///t/metadata/00001.json",
        Base64.getEncoder().encodeToString(new byte[] {1, 2, 3}));
  }

  HostPort address() {
    return new HostPort("127.0.0.1", server.getPort());
  }

  private final class Health extends HealthGrpc.HealthImplBase {
    @Override
    public void check(HealthCheckRequest request, StreamObserver<HealthCheckResponse> observer) {
      ServingStatus status = health;
      if (status != null) {
        observer.onNext(HealthCheckResponse.newBuilder().setStatus(status).build());
        observer.onCompleted();
      }
    }
  }

  private ServerServiceDefinition service() {
    return ServerServiceDefinition.builder(FlightMethods.SERVICE)
        .addMethod(FlightMethods.HANDSHAKE, unknown())
        .addMethod(FlightMethods.DO_PUT, this::put)
        .addMethod(
            FlightMethods.DO_ACTION,
            this.<Flight.Action, Flight.Result>unary(
                action -> {
                  ActionBody body = ActionBody.of(action);
                  actions.add(body);
                  return List.of(reply(body).toResult());
                }))
        .addMethod(FlightMethods.LIST_ACTIONS, unknown())
        .addMethod(
            FlightMethods.GET_SCHEMA,
            this.<Flight.FlightDescriptor, Flight.SchemaResult>unary(
                descriptor -> {
                  lookups.add(ClientRequest.lookup(descriptor));
                  return List.of(Flight.SchemaResult.getDefaultInstance());
                }))
        .addMethod(
            FlightMethods.GET_FLIGHT_INFO,
            this.<Flight.FlightDescriptor, Flight.FlightInfo>unary(
                descriptor -> {
                  lookups.add(ClientRequest.lookup(descriptor));
                  return List.of(
                      Flight.FlightInfo.newBuilder().setFlightDescriptor(descriptor).build());
                }))
        .addMethod(
            FlightMethods.LIST_FLIGHTS,
            this.<Flight.Criteria, Flight.FlightInfo>unary(
                criteria -> {
                  ListDemand demand = ListDemand.of(criteria);
                  lists.add(demand);
                  CatalogName catalog = demand.request().catalog();
                  if (catalog != null && !catalog.value().equals("main")) {
                    throw WingsException.notFound("catalog-unknown", "no catalog " + catalog);
                  }
                  return List.of(info(1), info(2));
                }))
        .addMethod(FlightMethods.POLL_FLIGHT_INFO, unknown())
        .addMethod(FlightMethods.DO_GET, unknown())
        .addMethod(FlightMethods.DO_EXCHANGE, unknown())
        .build();
  }

  private static Flight.FlightInfo info(long records) {
    return Flight.FlightInfo.newBuilder()
        .setFlightDescriptor(RawStream.path("main", "web", "t" + records))
        .setTotalRecords(records)
        .build();
  }

  private static <Q, R> ServerCallHandler<Q, R> unknown() {
    return (call, _) -> {
      call.close(Status.UNIMPLEMENTED, new Metadata());
      return new ServerCall.Listener<>() {};
    };
  }

  private ActionReply reply(ActionBody body) {
    return switch (body) {
      case ActionBody.CreateTable create -> describe.apply(create.tableName());
      case ActionBody.DescribeTable asked -> describe.apply(asked.tableName());
      case ActionBody.DropTable _ -> new ActionReply.Dropped(TABLE_UUID);
      case ActionBody.OpenProducer _ -> new ActionReply.ProducerOpened(7, 0, null, 0, List.of(), 0);
      case ActionBody.Flush flush -> {
        onFlush.run();
        yield new ActionReply.Flushed(
            List.of(new Position(INCARNATION, Objects.requireNonNull(flush.lane()), 9)));
      }
      case ActionBody.AwaitVisible _ ->
          new ActionReply.Visible(ActionReply.VisibleStatus.PASSED, null);
    };
  }

  private <Q, R> ServerCallHandler<Q, R> unary(Function<Q, List<R>> answer) {
    return (call, headers) -> {
      try {
        principals.add(IDENTITY.caller(headers).principal());
      } catch (WingsException e) {
        call.close(FlightErrors.toStatus(e), new Metadata());
        return new ServerCall.Listener<>() {};
      }
      call.request(2);
      return new ServerCall.Listener<>() {
        @Override
        public void onMessage(Q request) {
          try {
            onCall.run();
            List<R> replies = answer.apply(request);
            call.sendHeaders(new Metadata());
            replies.forEach(call::sendMessage);
            call.close(Status.OK, new Metadata());
          } catch (RuntimeException e) {
            call.close(FlightErrors.toStatus(e), new Metadata());
          }
        }
      };
    };
  }

  private ServerCall.Listener<FlightFrame> put(
      ServerCall<FlightFrame, Flight.PutResult> call, Metadata headers) {
    try {
      ClusterIdentity.Caller caller = IDENTITY.caller(headers);
      principals.add(caller.principal());
      addresses.add(caller.address());
    } catch (WingsException e) {
      call.close(FlightErrors.toStatus(e), new Metadata());
      return new ServerCall.Listener<>() {};
    }
    call.sendHeaders(new Metadata());
    call.request(1);
    return new Put(call);
  }

  private final class Put extends ServerCall.Listener<FlightFrame> {
    private final ServerCall<FlightFrame, Flight.PutResult> call;
    private volatile @Nullable StreamRequest request;
    private volatile boolean open;
    private volatile long sequence;
    private volatile long answered;
    private volatile long shown;

    Put(ServerCall<FlightFrame, Flight.PutResult> call) {
      this.call = call;
    }

    @Override
    public void onMessage(FlightFrame frame) {
      framesSeen.incrementAndGet();
      if (keepFrames) {
        frames.add(frame);
      }
      try {
        if (request == null) {
          StreamRequest opened = StreamRequest.of(Objects.requireNonNull(frame.descriptor()));
          request = opened;
          streams.add(opened);
          sequence = opened.firstSequence() - 1;
          answered = sequence;
          puts.add(this);
          if (!tableAbsent || opened.create() == Create.NEVER) {
            open(opened);
          }
          StreamRequest.Awaiting awaiting = opened.awaiting();
          if (awaiting != null) {
            awaiting.ranges().forEach(left -> visible(left.sequence(), left.through()));
          }
        } else {
          long next = sequence + 1;
          sequence = next;
          if (!open) {
            open(request);
          }
          WingsException refused = check.apply(request, next);
          if (refused != null) {
            call.close(FlightErrors.toStatus(refused), new Metadata());
            return;
          }
          if (answering) {
            answer();
          }
          if (request.ack() == Ack.VISIBLE && sequence % 2 == 0) {
            visible(shown + 1, sequence);
          }
          if (sequence == endsAfter) {
            call.close(Status.OK, new Metadata());
            return;
          }
        }
      } catch (WingsException | StatusRuntimeException e) {
        call.close(FlightErrors.toStatus(e), new Metadata());
        return;
      }
      if (reading) {
        call.request(1);
      }
    }

    private void open(StreamRequest asked) {
      open = true;
      call.sendMessage(new StreamOpened(TABLE_UUID, INCARNATION, asked.lane(), 5).toPutResult());
    }

    private void answer() {
      call.sendMessage(
          new BatchResult(
                  answered + 1, sequence, BatchStatus.DURABLE, INCARNATION, 0, sequence, null)
              .toPutResult());
      answered = sequence;
    }

    private void visible(long first, long through) {
      shown = through;
      call.sendMessage(
          new BatchResult(first, through, BatchStatus.VISIBLE, INCARNATION, 0, through, null, 77L)
              .toPutResult());
    }

    @Override
    public void onHalfClose() {
      halfCloses.incrementAndGet();
      if (answered == sequence) {
        call.close(Status.OK, new Metadata());
      }
    }

    @Override
    public void onCancel() {
      cancelled.incrementAndGet();
    }
  }

  /** Asks every stream to go elsewhere. */
  void move(StreamMove.Reason reason) {
    puts.forEach(put -> put.call.sendMessage(new StreamMove(reason).toPutResult()));
  }

  /** Answers what every stream has sent, the last thing before the end of those that are done. */
  void answerAll() {
    puts.forEach(
        put -> {
          if (put.answered < put.sequence) {
            put.answer();
            put.call.close(Status.OK, new Metadata());
          }
        });
  }

  /** Dies at once, mid-message if need be. */
  void kill() {
    try {
      boolean _ = server.shutdownNow().awaitTermination(10, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() {
    server.shutdownNow();
  }
}
