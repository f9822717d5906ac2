package io.wings.broker.loop;

import java.time.Duration;

/**
 * The broker's times, all of them parts of one: after how long unchanged the object is taken over.
 *
 * @param takeover N of design section 7
 */
public record BrokerTiming(Duration takeover) {
  public static final BrokerTiming DEFAULT = new BrokerTiming(Duration.ofSeconds(6));

  public BrokerTiming {
    if (takeover.compareTo(Duration.ofMillis(100)) < 0) {
      throw new IllegalArgumentException("expected a takeover time of 100ms or more");
    }
  }

  /** The longest distance between two reads of a standby that still counts as watching. */
  Duration longestReadGap() {
    return takeover.dividedBy(3);
  }

  /** How often a standby reads. */
  Duration readInterval() {
    return takeover.dividedBy(6);
  }

  /** How often the active one writes at least; well below N/3. */
  Duration writeInterval() {
    return takeover.dividedBy(4);
  }

  /** The longest time between two proofs of being active that leases run through. */
  Duration longestServedStep() {
    return takeover.multipliedBy(2).dividedBy(3);
  }
}
