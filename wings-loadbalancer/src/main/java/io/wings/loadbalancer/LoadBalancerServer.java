package io.wings.loadbalancer;

import io.grpc.Codec;
import io.grpc.DecompressorRegistry;
import io.grpc.InsecureServerCredentials;
import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.ServerCredentials;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;
import io.micrometer.core.instrument.MeterRegistry;
import io.wings.common.auth.Authenticator;
import io.wings.common.auth.Identity;
import io.wings.common.concurrent.Threads;
import io.wings.common.config.HostPort;
import io.wings.common.error.WingsException;
import io.wings.common.id.Ids;
import io.wings.common.lifecycle.Lifecycle;
import io.wings.common.metrics.Readiness;
import io.wings.common.time.Time;
import io.wings.common.tls.Tls;
import io.wings.loadbalancer.fleet.Fleet;
import io.wings.loadbalancer.fleet.IngestorSource;
import io.wings.loadbalancer.proxy.FlightProxy;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A running load balancer. Ready as long as at least one ingestor serves. */
public final class LoadBalancerServer implements AutoCloseable {
  /** The part of the process's readiness that says whether it stops. */
  private static final String PART = "flight";

  private static final Logger log = LoggerFactory.getLogger(LoadBalancerServer.class);

  /** Results and replies of ingestors are small; a table's description is the largest. */
  private static final int MAX_REPLY_BYTES = 16 << 20;

  /**
   * No compressed messages: limits count what arrives, and a little of that can become gigabytes.
   */
  private static final DecompressorRegistry UNCOMPRESSED =
      DecompressorRegistry.emptyInstance().with(Codec.Identity.NONE, false);

  /** Clients may ask that often whether the connection is alive. */
  private static final Duration CLIENT_PINGS = Duration.ofSeconds(10);

  /** Until a connection stands. */
  private static final Duration TLS_PATIENCE = Duration.ofSeconds(20);

  /** A connection that nobody calls over is closed; a client makes another when it calls. */
  private static final Duration CONNECTION_IDLE = Duration.ofMinutes(10);

  /**
   * Calls that a connection's client may cancel within a while: twice as many as it may have open.
   * Whoever only begins calls and cancels them costs more than he sends.
   */
  private static final int MAX_CANCELLED = 2_000;

  private static final Duration CANCELLED_WITHIN = Duration.ofSeconds(10);

  /** For streams that are ended, to hear of what they sent. */
  private static final Duration ANSWER_GRACE = Duration.ofSeconds(10);

  /** For messages on their way to a client that has been told its end. */
  private static final Duration STOP_GRACE = Duration.ofSeconds(2);

  private final Lifecycle lifecycle = new Lifecycle("load balancer");
  private final Server server;
  private final FlightProxy proxy;
  private final Readiness readiness;
  private final Duration drainGrace;

  private LoadBalancerServer(
      LoadBalancerSettings settings,
      Time time,
      Ids ids,
      Threads threads,
      MeterRegistry registry,
      Readiness readiness)
      throws Exception {
    Executor executor = threads.executor("flight");
    if (settings.authenticator() instanceof Authenticator.Open) {
      log.warn("everybody is let in, as {}", Identity.ANONYMOUS.principal());
    }
    Fleet fleet =
        new Fleet(
            settings.ingestors(),
            IngestorSource.Names.system(),
            settings.pace(),
            address -> channel(address, executor, settings),
            time,
            registry,
            readiness);
    this.readiness = readiness;
    this.drainGrace = settings.drainGrace();
    proxy =
        new FlightProxy(
            fleet,
            settings.authenticator(),
            settings.access(),
            settings.identity(),
            settings.limits(),
            time,
            ids,
            threads,
            registry);
    ServerCredentials credentials =
        settings
            .tls()
            .map(tls -> tls.grpcServer(Tls.Asking.ACCEPTS))
            .map(tls -> FailedHandshakes.toldTo(proxy::notConnected, tls))
            .orElseGet(InsecureServerCredentials::create);
    server =
        NettyServerBuilder.forAddress(settings.listen().socketAddress(), credentials)
            .executor(executor)
            .addService(proxy.definition())
            .addStreamTracerFactory(proxy.tracerFactory())
            .maxConcurrentCallsPerConnection(settings.limits().callsPerPrincipal())
            .maxInboundMessageSize(Integer.MAX_VALUE)
            .decompressorRegistry(UNCOMPRESSED)
            .maxInboundMetadataSize(settings.limits().metadata().toIntExact())
            .permitKeepAliveTime(CLIENT_PINGS.toSeconds(), TimeUnit.SECONDS)
            .permitKeepAliveWithoutCalls(true)
            .handshakeTimeout(TLS_PATIENCE.toSeconds(), TimeUnit.SECONDS)
            .maxConnectionIdle(CONNECTION_IDLE.toSeconds(), TimeUnit.SECONDS)
            .maxRstFramesPerWindow(MAX_CANCELLED, Math.toIntExact(CANCELLED_WITHIN.toSeconds()))
            .build();
    try {
      lifecycle.start("fleet", () -> fleet.start(threads), fleet::close);
      lifecycle.start("access rechecks", () -> proxy.startRechecks(threads), proxy::stopRechecks);
      lifecycle.start("flight server", this::listen, this::stopServing);
    } catch (Throwable e) {
      throw lifecycle.abandon(e);
    }
  }

  /**
   * Starts one; clients may connect when this returns, and are told UNAVAILABLE until an ingestor
   * serves.
   *
   * @throws WingsException when settings are wrong or the address is taken
   */
  public static LoadBalancerServer start(
      LoadBalancerSettings settings,
      Time time,
      Ids ids,
      Threads threads,
      MeterRegistry registry,
      Readiness readiness)
      throws Exception {
    return new LoadBalancerServer(settings, time, ids, threads, registry, readiness);
  }

  private static ManagedChannel channel(
      HostPort address, Executor executor, LoadBalancerSettings settings) {
    return settings
        .transport()
        .client(NettyChannelBuilder.forAddress(address.host(), address.port()))
        .disableRetry()
        .executor(executor)
        .maxInboundMessageSize(MAX_REPLY_BYTES)
        .maxInboundMetadataSize(settings.limits().metadata().toIntExact())
        .build();
  }

  private void listen() {
    try {
      Server _ = server.start();
    } catch (IOException e) {
      throw WingsException.unavailable("cannot-listen", "Flight (--listen): " + e.getMessage(), e);
    }
    log.info("Flight on port {}", server.getPort());
  }

  private void stopServing() throws InterruptedException {
    readiness.notReady(PART, "stopping");
    // GOAWAY, and nobody connects any more: what clients open next they open elsewhere.
    Server _ = server.shutdown();
    if (!proxy.awaitNone(drainGrace)) {
      proxy.endStreams();
      if (!proxy.awaitNone(ANSWER_GRACE)) {
        log.warn("streams that weren't answered within {} are cut off", ANSWER_GRACE);
      }
    }
    if (!server.awaitTermination(STOP_GRACE.toMillis(), TimeUnit.MILLISECONDS)) {
      Server _ = server.shutdownNow();
      boolean _ = server.awaitTermination(STOP_GRACE.toMillis(), TimeUnit.MILLISECONDS);
    }
  }

  /** The port that clients connect to. */
  public int port() {
    return server.getPort();
  }

  /**
   * Lets nobody connect, waits until clients have ended their streams, ends those that go on, and
   * stops.
   */
  @Override
  public void close() {
    lifecycle.close();
  }
}
