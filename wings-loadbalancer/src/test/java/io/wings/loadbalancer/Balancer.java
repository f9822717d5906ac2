package io.wings.loadbalancer;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.wings.common.auth.Authenticator;
import io.wings.common.auth.TokenFile;
import io.wings.common.concurrent.Threads;
import io.wings.common.config.HostPort;
import io.wings.common.grant.Access;
import io.wings.common.id.Ids;
import io.wings.common.metrics.Readiness;
import io.wings.common.time.Time;
import io.wings.common.tls.Tls;
import io.wings.common.tls.Transport;
import io.wings.loadbalancer.fleet.Fleet;
import io.wings.loadbalancer.fleet.IngestorSource;
import io.wings.loadbalancer.proxy.ProxyLimits;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.apache.arrow.flight.FlightClient;
import org.apache.arrow.flight.Location;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.junit.jupiter.api.Assertions;

/** A load balancer in front of fakes, with stock clients. */
final class Balancer implements AutoCloseable {
  /** Looks often and is patient: the machine that runs tests may be busy. */
  static final Fleet.Pace OFTEN =
      new Fleet.Pace(Duration.ofMillis(100), Duration.ofSeconds(20), Duration.ofMillis(100));

  final SimpleMeterRegistry registry = new SimpleMeterRegistry();
  final Readiness readiness = new Readiness();
  final BufferAllocator allocator = new RootAllocator();
  final LoadBalancerServer server;
  private final List<FlightClient> clients = new ArrayList<>();

  Balancer(Optional<Path> tokens, ProxyLimits limits, List<HostPort> ingestors) throws Exception {
    this(tokens, limits, OFTEN, ingestors);
  }

  Balancer(Optional<Path> tokens, ProxyLimits limits, Fleet.Pace pace, List<HostPort> ingestors)
      throws Exception {
    this(tokens, limits, pace, Duration.ZERO, ingestors);
  }

  Balancer(
      Optional<Path> tokens,
      ProxyLimits limits,
      Fleet.Pace pace,
      Duration drainGrace,
      List<HostPort> ingestors)
      throws Exception {
    this(
        tokens
            .<Authenticator>map(file -> new TokenFile(file, Time.system()))
            .orElse(Authenticator.Open.INSTANCE),
        Access.Everything.INSTANCE,
        limits,
        pace,
        drainGrace,
        ingestors);
  }

  Balancer(
      Authenticator authenticator,
      Access access,
      ProxyLimits limits,
      Fleet.Pace pace,
      Duration drainGrace,
      List<HostPort> ingestors)
      throws Exception {
    this(Optional.empty(), authenticator, access, limits, pace, drainGrace, ingestors);
  }

  Balancer(
      Optional<Tls> tls,
      Authenticator authenticator,
      Access access,
      ProxyLimits limits,
      Fleet.Pace pace,
      Duration drainGrace,
      List<HostPort> ingestors)
      throws Exception {
    this(tls, authenticator, access, limits, pace, drainGrace, ingestors, Time.system());
  }

  Balancer(
      Optional<Tls> tls,
      Authenticator authenticator,
      Access access,
      ProxyLimits limits,
      Fleet.Pace pace,
      Duration drainGrace,
      List<HostPort> ingestors,
      Time time)
      throws Exception {
    server =
        LoadBalancerServer.start(
            new LoadBalancerSettings(
                new HostPort("127.0.0.1", 0),
                tls,
                ingestors.stream().<IngestorSource>map(IngestorSource.Fixed::new).toList(),
                FakeIngestor.IDENTITY,
                Transport.Plaintext.INSTANCE,
                authenticator,
                access,
                limits,
                pace,
                drainGrace),
            time,
            Ids.secure(),
            Threads.virtual(),
            registry,
            readiness);
  }

  static Balancer open(FakeIngestor... ingestors) throws Exception {
    return open(ProxyLimits.DEFAULT, ingestors);
  }

  static Balancer open(ProxyLimits limits, FakeIngestor... ingestors) throws Exception {
    Balancer balancer =
        new Balancer(
            Optional.empty(), limits, Arrays.stream(ingestors).map(FakeIngestor::address).toList());
    balancer.awaitHealthy(ingestors.length);
    return balancer;
  }

  void awaitHealthy(int count) throws InterruptedException {
    await(
        "ingestors healthy",
        () ->
            registry.find("wings.loadbalancer.ingestor.healthy").gauges().stream()
                    .mapToDouble(gauge -> gauge.value())
                    .sum()
                == count);
  }

  static void await(String what, BooleanSupplier condition) throws InterruptedException {
    for (int i = 0; i < 6000; i++) {
      if (condition.getAsBoolean()) {
        return;
      }
      Thread.sleep(10);
    }
    Assertions.fail("not within a minute: " + what);
  }

  /** A stock client that is closed with the load balancer. */
  FlightClient client() {
    FlightClient client =
        FlightClient.builder(allocator, Location.forGrpcInsecure("127.0.0.1", server.port()))
            .build();
    clients.add(client);
    return client;
  }

  @Override
  public void close() {
    for (FlightClient client : clients) {
      try {
        client.close();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
    server.close();
    allocator.close();
  }
}
