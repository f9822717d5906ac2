package io.wings.loadbalancer;

import io.wings.common.auth.Authenticator;
import io.wings.common.config.HostPort;
import io.wings.common.error.WingsException;
import io.wings.common.flight.ClusterIdentity;
import io.wings.common.grant.Access;
import io.wings.common.tls.Tls;
import io.wings.common.tls.Transport;
import io.wings.loadbalancer.fleet.Fleet;
import io.wings.loadbalancer.fleet.IngestorSource;
import io.wings.loadbalancer.proxy.ProxyLimits;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * What a load balancer is told at start.
 *
 * @param listen where clients connect; port 0 takes an ephemeral one
 * @param ingestors where ingestors are listed; at least one
 * @param tls of the port that clients connect to; empty: plaintext
 * @param identity by which ingestors know the load balancer
 * @param transport to ingestors
 * @param authenticator who clients are
 * @param access what they may do
 * @param drainGrace how long clients may go on with their streams after the load balancer was asked
 *     to stop
 */
public record LoadBalancerSettings(
    HostPort listen,
    Optional<Tls> tls,
    List<IngestorSource> ingestors,
    ClusterIdentity identity,
    Transport transport,
    Authenticator authenticator,
    Access access,
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
   * Refuses addresses that aren't any.
   *
   * @throws WingsException {@code invalid-address} or {@code unreachable-address}
   */
  public static void requireIngestors(List<String> ingestors) {
    ingestors.forEach(IngestorSource::parse);
  }

  /**
   * With default limits.
   *
   * @param ingestors as people write them: {@code host:port} or {@code dns:name:port}
   */
  public static LoadBalancerSettings of(
      HostPort listen,
      List<String> ingestors,
      ClusterIdentity identity,
      Authenticator authenticator,
      Access access) {
    return new LoadBalancerSettings(
        listen,
        Optional.empty(),
        ingestors.stream().map(IngestorSource::parse).toList(),
        identity,
        Transport.Plaintext.INSTANCE,
        authenticator,
        access,
        ProxyLimits.DEFAULT,
        Fleet.Pace.DEFAULT,
        DRAIN_GRACE);
  }

  /** The same with another grace. */
  public LoadBalancerSettings withDrainGrace(Duration grace) {
    return new LoadBalancerSettings(
        listen, tls, ingestors, identity, transport, authenticator, access, limits, pace, grace);
  }

  /** The same with other connections. */
  public LoadBalancerSettings over(Optional<Tls> tls, Transport transport) {
    return new LoadBalancerSettings(
        listen,
        tls,
        ingestors,
        identity,
        transport,
        authenticator,
        access,
        limits,
        pace,
        drainGrace);
  }
}
