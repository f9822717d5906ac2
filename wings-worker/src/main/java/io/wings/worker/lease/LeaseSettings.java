package io.wings.worker.lease;

import java.time.Duration;

/**
 * How a worker leases.
 *
 * @param worker its name, for people
 * @param slots tasks that run at once
 * @param poll how long the broker may hold a request while there is nothing to do
 * @param heartbeat between two signs of life for the tasks that run
 * @param retry between two requests when the broker doesn't answer
 * @param grace how long tasks may go on when the worker stops
 */
public record LeaseSettings(
    String worker, int slots, Duration poll, Duration heartbeat, Duration retry, Duration grace) {
  public LeaseSettings {
    if (slots < 1) {
      throw new IllegalArgumentException("a worker needs a slot, got " + slots);
    }
  }

  /** Defaults for a worker of this name. */
  public static LeaseSettings of(String worker, int slots) {
    return new LeaseSettings(
        worker,
        slots,
        Duration.ofSeconds(10),
        Duration.ofSeconds(10),
        Duration.ofSeconds(1),
        Duration.ofSeconds(20));
  }
}
