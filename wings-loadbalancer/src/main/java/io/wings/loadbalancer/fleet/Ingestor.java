package io.wings.loadbalancer.fleet;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.Context;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.stub.MetadataUtils;
import io.grpc.stub.StreamObserver;
import io.wings.common.cluster.Printable;
import io.wings.common.config.HostPort;
import io.wings.common.flight.ServingProcess;
import io.wings.common.time.Time;
import io.wings.common.tls.ConnectionFailure;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One ingestor, the connection to it, and how it is. Safe for use by several threads. */
public final class Ingestor {
  private static final Logger log = LoggerFactory.getLogger(Ingestor.class);

  private final HostPort address;
  private final Function<HostPort, ManagedChannel> connector;
  private final Sightings sightings;
  private final Time time;
  private final Runnable onChange;
  private final AtomicBoolean checking = new AtomicBoolean();
  private final ReentrantLock lock = new ReentrantLock();
  private volatile ManagedChannel channel;
  private volatile Health health = Health.UNKNOWN;
  private boolean retired;

  /**
   * Connects when first used.
   *
   * @param sightings where it is noted which process answers
   * @param onChange runs after its health has changed
   */
  Ingestor(
      HostPort address,
      Function<HostPort, ManagedChannel> connector,
      Sightings sightings,
      Time time,
      Runnable onChange) {
    this.address = address;
    this.connector = connector;
    this.sightings = sightings;
    this.time = time;
    this.onChange = onChange;
    this.channel = connector.apply(address);
  }

  public HostPort address() {
    return address;
  }

  /** For blocking calls. */
  public Channel channel() {
    return channel;
  }

  /**
   * A call that the caller cancels when its client goes. It doesn't end by itself with the call
   * that it is made in, which would look as if the ingestor had ended it.
   */
  public <Q, R> ClientCall<Q, R> newCall(MethodDescriptor<Q, R> method, CallOptions options) {
    Context caller = Context.ROOT.attach();
    try {
      return channel.newCall(method, options);
    } finally {
      Context.ROOT.detach(caller);
    }
  }

  Health health() {
    return health;
  }

  /** A call broke: no new streams until a check succeeds. */
  public void suspect() {
    change(Health::broken);
  }

  /** It said that it is about to stop: no new streams until a check says otherwise. */
  public void draining() {
    change(Health::notServing);
  }

  /** Asks how it is, unless the last question is still open; doesn't wait. */
  void check(Duration timeout) {
    if (!checking.compareAndSet(false, true)) {
      return;
    }
    if (!health.takesStreams()) {
      // Else a returned ingestor waits for gRPC's back-off, up to two minutes.
      channel.resetConnectBackoff();
    }
    AtomicReference<Metadata> headers = new AtomicReference<>();
    HealthGrpc.newStub(channel)
        .withInterceptors(
            MetadataUtils.newCaptureMetadataInterceptor(headers, new AtomicReference<>()))
        .withDeadlineAfter(timeout.toNanos(), TimeUnit.NANOSECONDS)
        .check(HealthCheckRequest.getDefaultInstance(), new Answer(headers, time.nanos()));
  }

  private final class Answer implements StreamObserver<HealthCheckResponse> {
    private final AtomicReference<Metadata> headers;
    private final long askedNanos;

    Answer(AtomicReference<Metadata> headers, long askedNanos) {
      this.headers = headers;
      this.askedNanos = askedNanos;
    }

    @Override
    public void onNext(HealthCheckResponse response) {
      note(ServingProcess.of(headers.get()), askedNanos);
      boolean serving = response.getStatus() == ServingStatus.SERVING;
      change(serving ? Health::serving : Health::notServing);
    }

    @Override
    public void onError(Throwable error) {
      checking.set(false);
      boolean late = Status.fromThrowable(error).getCode() == Status.Code.DEADLINE_EXCEEDED;
      change(late ? Health::unanswered : Health::broken, ConnectionFailure.line(error));
    }

    @Override
    public void onCompleted() {
      checking.set(false);
    }
  }

  /** What is no longer listed was forgotten, and stays so. */
  private void note(@Nullable ServingProcess process, long askedNanos) {
    lock.lock();
    try {
      if (!retired) {
        sightings.seen(address, process, askedNanos);
      }
    } finally {
      lock.unlock();
    }
  }

  private void change(UnaryOperator<Health> step) {
    change(step, "");
  }

  /**
   * @param why for the log; empty where the state says it
   */
  private void change(UnaryOperator<Health> step, String why) {
    lock.lock();
    try {
      Health before = health;
      Health after = step.apply(before);
      health = after;
      if (before.state() == after.state() || retired) {
        return;
      }
      log.info(
          "ingestor {}: {} -> {}{}",
          address,
          before.state(),
          after.state(),
          why.isEmpty() ? "" : " (" + Printable.of(why) + ")");
      if (after.state() == Health.State.LOST) {
        // Ends every stream to it; a new channel waits for its return.
        ManagedChannel dead = channel;
        channel = connector.apply(address);
        ManagedChannel _ = dead.shutdownNow();
      }
    } finally {
      lock.unlock();
    }
    onChange.run();
  }

  /** No longer listed: takes no new calls; those that it has go on. */
  void retire() {
    lock.lock();
    try {
      retired = true;
      health = Health.UNKNOWN;
      ManagedChannel _ = channel.shutdown();
    } finally {
      lock.unlock();
    }
  }

  /** Ends every call to it. */
  void abort() {
    lock.lock();
    try {
      retired = true;
      ManagedChannel _ = channel.shutdownNow();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public String toString() {
    return address.toString();
  }
}
