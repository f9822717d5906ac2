package io.wings.broker;

import io.wings.broker.core.QueueRules;
import io.wings.broker.loop.BrokerTiming;
import io.wings.common.cluster.ClusterToken;
import io.wings.common.config.HostPort;
import io.wings.common.tls.Transport;
import org.jspecify.annotations.Nullable;

/**
 * The broker's settings.
 *
 * @param listen where it listens; port 0 takes an ephemeral one
 * @param advertised what it writes into {@code queue.json} for others to dial; null: the same as
 *     {@code listen}; port 0: the port that it listens on
 * @param token the cluster's; null: everybody may call
 * @param transport of those who call
 */
public record BrokerSettings(
    HostPort listen,
    @Nullable HostPort advertised,
    @Nullable ClusterToken token,
    Transport transport,
    BrokerTiming timing,
    QueueRules rules) {

  /** With everything else by default. */
  public static BrokerSettings of(HostPort listen, @Nullable HostPort advertised) {
    return new BrokerSettings(
        listen,
        advertised,
        null,
        Transport.Plaintext.INSTANCE,
        BrokerTiming.DEFAULT,
        QueueRules.DEFAULT);
  }

  public BrokerSettings with(@Nullable ClusterToken token) {
    return new BrokerSettings(listen, advertised, token, transport, timing, rules);
  }

  public BrokerSettings over(Transport transport) {
    return new BrokerSettings(listen, advertised, token, transport, timing, rules);
  }

  /** For a broker that knows that no other runs on the cluster; see {@link BrokerTiming#ALONE}. */
  public BrokerSettings alone() {
    return new BrokerSettings(listen, advertised, token, transport, BrokerTiming.ALONE, rules);
  }

  /**
   * What others dial, once it is known where the broker listens.
   *
   * @throws io.wings.common.error.WingsException {@code unreachable-address} for an address that
   *     only this host, if anyone, can make sense of
   */
  HostPort dialable(int boundPort) {
    HostPort address = advertised == null ? listen : advertised;
    return (address.port() == 0 ? address.withPort(boundPort) : address)
        .requireDialable("the broker's advertised address");
  }
}
