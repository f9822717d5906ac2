package io.wings.broker.loop;

import io.wings.broker.core.QueueCounts;

/**
 * What the broker is doing, for metrics and readiness.
 *
 * @param epoch in which it is active; 0: it stands by
 */
public record BrokerStatus(long epoch, QueueCounts counts) {
  static final BrokerStatus STANDBY = new BrokerStatus(0, QueueCounts.NONE);

  public boolean isActive() {
    return epoch > 0;
  }
}
