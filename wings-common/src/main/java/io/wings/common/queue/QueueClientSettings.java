package io.wings.common.queue;

import io.wings.common.cluster.ClusterToken;
import io.wings.common.tls.Transport;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How patient a client is, and who it is.
 *
 * @param rpcTimeout for one call to one broker, beyond the wait that the call itself asks for
 * @param patience for a call altogether, with looking for the broker again and backing off
 * @param token the cluster's; null where the cluster has none
 * @param transport to brokers
 */
public record QueueClientSettings(
    Duration rpcTimeout, Duration patience, @Nullable ClusterToken token, Transport transport) {
  public static final QueueClientSettings DEFAULT =
      new QueueClientSettings(
          Duration.ofSeconds(10), Duration.ofSeconds(30), null, Transport.Plaintext.INSTANCE);

  public QueueClientSettings with(@Nullable ClusterToken token) {
    return new QueueClientSettings(rpcTimeout, patience, token, transport);
  }

  public QueueClientSettings over(Transport transport) {
    return new QueueClientSettings(rpcTimeout, patience, token, transport);
  }
}
