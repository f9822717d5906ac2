package io.wings.loadbalancer.fleet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.protobuf.services.HealthStatusManager;
import io.grpc.stub.StreamObserver;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.wings.common.cluster.CatalogName;
import io.wings.common.concurrent.Threads;
import io.wings.common.config.HostPort;
import io.wings.common.error.WingsException;
import io.wings.common.flight.ServingProcess;
import io.wings.common.flight.TableName;
import io.wings.common.metrics.Readiness;
import io.wings.common.time.Time;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;

class FleetTest {
  private static final Fleet.Pace PACE =
      new Fleet.Pace(Duration.ofMillis(50), Duration.ofSeconds(20), Duration.ofMillis(50));

  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
  private final Readiness readiness = new Readiness();

  /** What the name resolves to; null for a resolver that fails. */
  private volatile String[] addresses = {};

  private InetAddress[] resolve(String name) throws UnknownHostException {
    String[] now = addresses;
    if (now == null) {
      throw new UnknownHostException(name);
    }
    InetAddress[] found = new InetAddress[now.length];
    for (int i = 0; i < now.length; i++) {
      found[i] = InetAddress.getAllByName(now[i])[0];
    }
    return found;
  }

  private Fleet fleet(String... sources) {
    Fleet fleet =
        new Fleet(
            List.of(sources).stream().map(IngestorSource::parse).toList(),
            this::resolve,
            PACE,
            FleetTest::connect,
            Time.system(),
            registry,
            readiness);
    fleet.start(Threads.virtual());
    return fleet;
  }

  private static ManagedChannel connect(HostPort address) {
    return NettyChannelBuilder.forAddress(address.host(), address.port()).usePlaintext().build();
  }

  /** Answers health checks at one of the loopback addresses. */
  private static Server serve(String address, int port) throws IOException {
    HealthStatusManager health = new HealthStatusManager();
    health.setStatus("", ServingStatus.SERVING);
    return NettyServerBuilder.forAddress(
            new InetSocketAddress(InetAddress.getAllByName(address)[0], port))
        .addService(health.getHealthService())
        .build()
        .start();
  }

  private static void await(String what, BooleanSupplier condition) throws InterruptedException {
    for (int i = 0; i < 6000; i++) {
      if (condition.getAsBoolean()) {
        return;
      }
      Thread.sleep(10);
    }
    Assertions.fail("not within a minute: " + what);
  }

  @Test
  void followsEveryAddressOfAName() throws Exception {
    Server first = serve("127.0.0.1", 0);
    int port = first.getPort();
    Server second = serve("127.0.0.2", port);
    addresses = new String[] {"127.0.0.1", "127.0.0.2"};
    try (Fleet fleet = fleet("dns:ingestors.internal:" + port)) {
      await("both", () -> fleet.healthyCount() == 2);
      assertTrue(readiness.isReady());
      assertEquals(2, registry.find("wings.loadbalancer.ingestor.healthy").gauges().size());
      Set<String> used = new HashSet<>();
      for (int lane = 0; lane < 50; lane++) {
        TableName table = new TableName(new CatalogName("main"), List.of("web"), "t");
        used.add(fleet.await(table, lane, Duration.ZERO).toString());
      }
      assertEquals(2, used.size());
      addresses = new String[] {"127.0.0.2"};
      await("one", () -> fleet.healthyCount() == 1);
      assertEquals("127.0.0.2:" + port, fleet.choose("any").toString());
      await(
          "gauge gone",
          () -> registry.find("wings.loadbalancer.ingestor.healthy").gauges().size() == 1);
    } finally {
      first.shutdownNow();
      second.shutdownNow();
    }
    assertFalse(readiness.isReady());
  }

  @Test
  void keepsWhatItKnowsWhenTheNameNoLongerResolves() throws Exception {
    Server server = serve("127.0.0.1", 0);
    addresses = new String[] {"127.0.0.1"};
    try (Fleet fleet = fleet("dns:ingestors.internal:" + server.getPort())) {
      await("healthy", () -> fleet.healthyCount() == 1);
      for (String[] nothing : new String[][] {null, {}}) {
        addresses = nothing;
        Thread.sleep(300);
        assertEquals(1, fleet.healthyCount());
      }
    } finally {
      server.shutdownNow();
    }
  }

  /** What had reached it before the call broke off, it may read only when it goes on. */
  @Test
  void processHasOutlivedACallWhenItGoesOnAnsweringAfterwards() throws Exception {
    HostPort address = new HostPort("a", 1);
    ServingProcess process = new ServingProcess("p");
    Sightings sightings = new Sightings(Time.system());
    long sinceNanos = System.nanoTime();
    sightings.seen(address, process, sinceNanos - 1);
    assertEquals(Fate.UNKNOWN, sightings.await(address, process, sinceNanos, Duration.ZERO));
    sightings.seen(address, process, sinceNanos + 1);
    assertEquals(Fate.UNKNOWN, sightings.await(address, process, sinceNanos, Duration.ZERO));
    Thread later =
        Thread.startVirtualThread(
            () -> {
              for (int i = 0; i < 500; i++) {
                sightings.seen(address, process, System.nanoTime());
                LockSupport.parkNanos(Duration.ofMillis(10).toNanos());
              }
            });
    assertEquals(Fate.ALIVE, sightings.await(address, process, sinceNanos, Duration.ofMinutes(1)));
    assertTrue(System.nanoTime() - sinceNanos >= Sightings.SETTLED.toNanos());
    later.join();
  }

  @Test
  void processIsGoneWhenAnotherAnswersForIt() throws Exception {
    HostPort address = new HostPort("a", 1);
    Sightings sightings = new Sightings(Time.system());
    long sinceNanos = System.nanoTime();
    for (ServingProcess other : new ServingProcess[] {new ServingProcess("q"), null}) {
      sightings.seen(address, other, sinceNanos);
      assertEquals(
          Fate.GONE, sightings.await(address, new ServingProcess("p"), sinceNanos, Duration.ZERO));
    }
  }

  /** Time in which the load balancer itself stood still, it couldn't look. */
  @Test
  void pausedLoadBalancerTakesNoProcessForDead() throws Exception {
    HostPort address = new HostPort("a", 1);
    ServingProcess process = new ServingProcess("p");
    for (boolean before : new boolean[] {true, false}) {
      PausedTime time = new PausedTime();
      Sightings sightings = new Sightings(time);
      time.onAwait = () -> sightings.seen(address, process, time.nanos);
      if (before) {
        time.nanos += PausedTime.PAUSE.toNanos();
        time.paused = true;
      }
      assertEquals(Fate.ALIVE, sightings.await(address, process, 0, Duration.ofSeconds(30)));
    }
  }

  /** Stands still for a while in the first wait. */
  private static final class PausedTime implements Time {
    static final Duration PAUSE = Duration.ofSeconds(40);

    long nanos;
    boolean paused;
    Runnable onAwait = () -> {};

    @Override
    public long nanos() {
      return nanos;
    }

    @Override
    public Instant now() {
      return Instant.EPOCH;
    }

    @Override
    public void sleep(Duration duration) {
      nanos += duration.toNanos();
    }

    @Override
    public boolean await(Lock lock, Condition condition, Duration timeout) {
      if (!paused) {
        paused = true;
        nanos += PAUSE.toNanos();
        return false;
      }
      nanos += Math.min(timeout.toNanos(), Duration.ofSeconds(1).toNanos());
      onAwait.run();
      return true;
    }
  }

  /** Nothing would forget it a second time. */
  @Test
  void checkThatIsAnsweredAfterItsIngestorWasRemovedIsNotNoted() throws Exception {
    CountDownLatch asked = new CountDownLatch(1);
    CountDownLatch released = new CountDownLatch(1);
    HealthGrpc.HealthImplBase health =
        new HealthGrpc.HealthImplBase() {
          @Override
          public void check(
              HealthCheckRequest request, StreamObserver<HealthCheckResponse> observer) {
            asked.countDown();
            try {
              released.await();
            } catch (InterruptedException e) {
              Thread.currentThread().interrupt();
            }
            observer.onNext(
                HealthCheckResponse.newBuilder().setStatus(ServingStatus.SERVING).build());
            observer.onCompleted();
          }
        };
    Server server =
        NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
            .addService(health)
            .build()
            .start();
    HostPort address = new HostPort("127.0.0.1", server.getPort());
    ManagedChannel channel =
        NettyChannelBuilder.forAddress(address.host(), address.port())
            .usePlaintext()
            .directExecutor()
            .build();
    try {
      Sightings sightings = new Sightings(Time.system());
      long sinceNanos = System.nanoTime();
      Ingestor ingestor = new Ingestor(address, _ -> channel, sightings, Time.system(), () -> {});
      ingestor.check(Duration.ofMinutes(1));
      asked.await();
      ingestor.retire();
      sightings.forget(address);
      released.countDown();
      assertTrue(channel.awaitTermination(1, TimeUnit.MINUTES));
      assertEquals(
          Fate.UNKNOWN,
          sightings.await(address, new ServingProcess("p"), sinceNanos, Duration.ZERO));
    } finally {
      channel.shutdownNow();
      server.shutdownNow();
    }
  }

  @Test
  void withoutAnyItIsNotReadyAndSaysWhy() {
    try (Fleet fleet = fleet("127.0.0.1:1")) {
      WingsException e = assertThrows(WingsException.class, () -> fleet.choose("any"));
      assertEquals("no-ingestor", e.code());
      assertFalse(readiness.isReady());
      assertTrue(readiness.reasons().containsKey(Fleet.READINESS));
    }
  }

  @Test
  void readsAddressesAsPeopleWriteThem() {
    assertEquals(new IngestorSource.Fixed(new HostPort("a", 8816)), IngestorSource.parse("a:8816"));
    assertEquals(
        new IngestorSource.Dns(new HostPort("a.b", 8816)), IngestorSource.parse("dns:a.b:8816"));
    for (String wrong : List.of("", "a", "a:0", "0.0.0.0:1", "dns:a", "dns::1", "dns:0.0.0.0:9")) {
      assertThrows(WingsException.class, () -> IngestorSource.parse(wrong), wrong);
    }
  }
}
