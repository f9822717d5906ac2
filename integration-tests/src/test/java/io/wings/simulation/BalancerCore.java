package io.wings.simulation;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.wings.common.auth.Authenticator;
import io.wings.common.config.ByteSize;
import io.wings.common.config.HostPort;
import io.wings.common.grant.Access;
import io.wings.common.metrics.Readiness;
import io.wings.common.time.Time;
import io.wings.loadbalancer.fleet.Fleet;
import io.wings.loadbalancer.fleet.IngestorSource;
import io.wings.loadbalancer.proxy.FlightProxy;
import io.wings.loadbalancer.proxy.ProxyLimits;
import io.wings.loadbalancer.relay.RelayLimits;
import io.wings.simulation.kernel.SimulatedProcess;
import java.time.Duration;
import java.util.List;

/** A load balancer on a simulated transport: wired as {@code LoadBalancerServer} wires it. */
final class BalancerCore {
  private static final int PORT = 7_000;
  private static final int MESSAGE_BYTES = 16 << 10;
  private static final int STREAM_BYTES = 4 << 10;
  private static final int LASTING_BYTES = 3 << 10;
  private static final int TENANT_BYTES = 18 << 10;
  private static final Duration DRAIN_GRACE = Duration.ofSeconds(10);

  private static final ProxyLimits LIMITS =
      new ProxyLimits(
          new ByteSize(MESSAGE_BYTES),
          ByteSize.ofKibibytes(16),
          1_000,
          10_000,
          ByteSize.ofKibibytes(64),
          Duration.ofSeconds(30),
          Duration.ofSeconds(3),
          Duration.ofMinutes(1),
          new ByteSize(TENANT_BYTES),
          new RelayLimits(new ByteSize(STREAM_BYTES), new ByteSize(LASTING_BYTES)),
          Duration.ofSeconds(30),
          Duration.ofSeconds(5),
          Duration.ofSeconds(10));

  private final World world;
  private final SimulatedProcess process;
  private final FlightProxy proxy;
  private final MeterRegistry registry = new SimpleMeterRegistry();

  BalancerCore(World world, SimulatedProcess process) {
    this.world = world;
    this.process = process;
    Time time = world.wiring().time(process);
    Fleet fleet =
        new Fleet(
            world.names("ingestor-").stream()
                .<IngestorSource>map(name -> new IngestorSource.Fixed(new HostPort(name, PORT)))
                .toList(),
            IngestorSource.Names.system(),
            Fleet.Pace.DEFAULT,
            address -> world.transport().connect(process, address.host()),
            time,
            registry,
            new Readiness());
    this.proxy =
        new FlightProxy(
            fleet,
            Authenticator.Open.INSTANCE,
            Access.Everything.INSTANCE,
            IngestorCore.IDENTITY,
            LIMITS,
            time,
            world.wiring().ids(process),
            process.threadFactory(),
            registry);
    world.transport().serve(process, proxy.tracerFactory(), List.of(proxy.definition()));
    fleet.start(process.threadFactory());
  }

  /** What it does on SIGTERM. */
  void drain() throws InterruptedException {
    world.transport().stopServing(process);
    if (!proxy.awaitNone(DRAIN_GRACE)) {
      proxy.endStreams();
      boolean _ = proxy.awaitNone(DRAIN_GRACE);
    }
  }

  /** What is kept of all streams against its caps. */
  void check() {
    if (process.dead()) {
      return;
    }
    long clients = world.scenario().producers() + (long) world.scenario().clients().poison();
    requireBelow("wings.loadbalancer.held.bytes", LIMITS.buffer().bytes());
    // Each stream may have asked for one message when there still was room.
    requireBelow(
        "wings.loadbalancer.held.tenant.bytes", TENANT_BYTES + clients * Batches.MAX_FRAME_BYTES);
  }

  private void requireBelow(String meter, long cap) {
    Gauge gauge = registry.find(meter).gauge();
    double value = gauge == null ? -1 : gauge.value();
    if (value < 0 || value > cap) {
      world.violated("%s of %s is %.0f, its cap %d".formatted(meter, process.name(), value, cap));
    }
  }
}
