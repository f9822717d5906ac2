package io.wings.loadbalancer.proxy;

import io.wings.common.error.WingsException;
import io.wings.common.flight.TableName;
import io.wings.loadbalancer.fleet.Fleet;
import io.wings.loadbalancer.fleet.Ingestor;
import java.time.Duration;

/**
 * Where calls with one request go. Blocking: where no ingestor serves at the moment, a call waits
 * for one as long as a stream does.
 */
final class Routing {
  /** So often a call that may be repeated is made, each time at an ingestor that took it. */
  static final int MAX_ATTEMPTS = 10;

  private final Fleet fleet;
  private final Duration patience;

  Routing(Fleet fleet, ProxyLimits limits) {
    this.fleet = fleet;
    this.patience = limits.patience();
  }

  /**
   * The ingestor of a lane.
   *
   * @throws WingsException {@code no-ingestor} of kind UNAVAILABLE
   */
  Ingestor lane(TableName table, int lane) {
    try {
      return fleet.await(table, lane, patience);
    } catch (InterruptedException e) {
      throw stopped();
    }
  }

  /** The ingestor for what is about no table; see {@link Fleet#choose}. */
  Ingestor any(String key) {
    try {
      return fleet.await(key, patience);
    } catch (InterruptedException e) {
      throw stopped();
    }
  }

  private static WingsException stopped() {
    Thread.currentThread().interrupt();
    return WingsException.unavailable("balancer-stopping", "the load balancer is stopping", null);
  }
}
