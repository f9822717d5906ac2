package io.wings.broker;

import io.grpc.Server;
import io.grpc.netty.NettyServerBuilder;
import io.micrometer.core.instrument.MeterRegistry;
import io.wings.broker.grpc.QueueService;
import io.wings.broker.grpc.TokenCheck;
import io.wings.broker.loop.Broker;
import io.wings.common.concurrent.Threads;
import io.wings.common.config.HostPort;
import io.wings.common.id.Ids;
import io.wings.common.lifecycle.Lifecycle;
import io.wings.common.metrics.Readiness;
import io.wings.common.objectstore.ObjectStore;
import io.wings.common.queue.QueueRpc;
import io.wings.common.time.Time;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The broker role, wired. */
public final class BrokerServer implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(BrokerServer.class);

  /** The part's name in readiness, logs and errors. */
  public static final String PART = "broker";

  /** For the last write, which tells the next broker that it needn't wait. */
  private static final Duration STEP_DOWN = Duration.ofSeconds(3);

  private static final int MAX_CALLS_PER_CONNECTION = 1_000;

  private final Lifecycle lifecycle;
  private final int port;
  private final HostPort address;

  private BrokerServer(Lifecycle lifecycle, int port, HostPort address) {
    this.lifecycle = lifecycle;
    this.port = port;
    this.address = address;
  }

  /**
   * Listens, and stands by. Ready as soon as it has seen who is active, or is it.
   *
   * @param store the cluster's, probed; not closed by this
   * @throws io.wings.common.error.WingsException {@code unreachable-address}, {@code start-failed}
   */
  public static BrokerServer start(
      BrokerSettings settings,
      ObjectStore store,
      Time time,
      Ids ids,
      Threads threads,
      MeterRegistry registry,
      Readiness readiness) {
    // Port 1 stands for any: a bad host is refused before anything listens.
    HostPort _ = settings.dialable(1);
    readiness.notReady(PART, "starting");
    BrokerMetrics metrics = new BrokerMetrics(registry, readiness);
    Broker broker = new Broker(store, settings.rules(), settings.timing(), metrics, time, ids);
    Lifecycle lifecycle = new Lifecycle(PART);
    try {
      Server server = listening(settings, broker, threads);
      lifecycle.start("rpc", server::start, () -> stop(server));
      HostPort address = settings.dialable(server.getPort());
      Loop loop = new Loop(broker, address.toString());
      lifecycle.start("loop", () -> loop.start(threads), loop::stop);
      log.info("broker listens on {} as {}", server.getPort(), address);
      return new BrokerServer(lifecycle, server.getPort(), address);
    } catch (Exception e) {
      throw lifecycle.abandon(e);
    }
  }

  private static Server listening(BrokerSettings settings, Broker broker, Threads threads) {
    NettyServerBuilder builder =
        settings
            .transport()
            .server(NettyServerBuilder.forAddress(settings.listen().socketAddress()))
            .executor(threads.executor("broker-rpc"))
            .maxInboundMessageSize(QueueRpc.MAX_MESSAGE_BYTES)
            .maxConcurrentCallsPerConnection(MAX_CALLS_PER_CONNECTION)
            .addService(new QueueService(broker).definition());
    if (settings.token() != null) {
      builder.intercept(new TokenCheck(settings.token()));
    }
    return builder.build();
  }

  private static void stop(Server server) throws InterruptedException {
    server.shutdownNow();
    server.awaitTermination();
  }

  /** The thread that runs the broker. */
  private static final class Loop {
    private final Broker broker;
    private final String address;
    private @Nullable Thread thread;

    Loop(Broker broker, String address) {
      this.broker = broker;
      this.address = address;
    }

    void start(Threads threads) {
      thread = threads.start("broker-loop", this::run);
    }

    private void run() {
      try {
        broker.run(address);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        log.info("broker stopped");
      }
    }

    /** Lets an active broker step down, for a while; then it has to end as it is. */
    void stop() throws InterruptedException {
      if (thread != null) {
        broker.leave();
        boolean _ = thread.join(STEP_DOWN);
        thread.interrupt();
        thread.join();
      }
    }
  }

  /** On which it listens. */
  int port() {
    return port;
  }

  /** What others dial. */
  public HostPort address() {
    return address;
  }

  /**
   * Steps down and stops serving; another broker takes over, or this one when it is started again.
   */
  @Override
  public void close() {
    lifecycle.close();
  }
}
