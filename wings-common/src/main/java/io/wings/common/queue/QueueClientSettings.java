package io.wings.common.queue;

import java.time.Duration;

/**
 * How patient a client is.
 *
 * @param rpcTimeout for one call to one broker, beyond the wait that the call itself asks for
 * @param patience for a call altogether, with looking for the broker again and backing off
 */
public record QueueClientSettings(Duration rpcTimeout, Duration patience) {
  public static final QueueClientSettings DEFAULT =
      new QueueClientSettings(Duration.ofSeconds(10), Duration.ofSeconds(30));
}
