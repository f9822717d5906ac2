package io.wings.loadbalancer;

import io.wings.common.config.HostPort;
import io.wings.common.error.WingsException;
import io.wings.common.flight.ClusterIdentity;
import io.wings.loadbalancer.fleet.Fleet;
import io.wings.loadbalancer.fleet.IngestorSource;
import io.wings.loadbalancer.proxy.ProxyLimits;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * What a load balancer is told at start.
 *
 * @param listen where clients connect; port 0 takes an ephemeral one
 * @param ingestors where ingestors are listed; at least one
 * @param identity by which ingestors know the load balancer
 * @param tokens JSON lines {@code {principal, sha256}}; empty lets everybody in, as {@code
 *     anonymous}
 * @param drainGrace how long clients may go on with their streams after the load balancer was asked
 *     to stop
 */
public record LoadBalancerSettings(
    HostPort listen,
    List<IngestorSource> ingestors,
    ClusterIdentity identity,
    Optional<Path> tokens,
    ProxyLimits limits,
    Fleet.Pace pace,
    Duration drainGrace) {
  /** With what ending the rest may take, less than the 30 s that Kubernetes gives a pod. */
  public static final Duration DRAIN_GRACE = Duration.ofSeconds(10);

  public LoadBalancerSettings {
    ingestors = List.copyOf(ingestors);
    if (ingestors.isEmpty()) {
      throw WingsException.invalid(
          "ingestors-missing", "a load balancer needs the address of at least one ingestor");
    }
  }

  /**
   * With default limits.
   *
   * @param ingestors as people write them: {@code host:port} or {@code dns:name:port}
   */
  public static LoadBalancerSettings of(
      HostPort listen, List<String> ingestors, ClusterIdentity identity, Optional<Path> tokens) {
    return new LoadBalancerSettings(
        listen,
        ingestors.stream().map(IngestorSource::parse).toList(),
        identity,
        tokens,
        ProxyLimits.DEFAULT,
        Fleet.Pace.DEFAULT,
        DRAIN_GRACE);
  }

  /** The same with another grace. */
  public LoadBalancerSettings withDrainGrace(Duration grace) {
    return new LoadBalancerSettings(listen, ingestors, identity, tokens, limits, pace, grace);
  }
}
