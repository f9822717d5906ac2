package io.wings.broker.loop;

import java.time.Duration;

/**
 * The broker's times, all of them parts of one: after how long unchanged the object is taken over.
 *
 * @param takeover N of design section 7
 * @param firstAtOnce the first look of a process takes over whatever it sees: for one that knows
 *     that no other broker runs, by a lock that dies with its holder. A mistake costs the deposed
 *     broker its term and nothing else: safety rests on the CAS, never on these times
 */
public record BrokerTiming(Duration takeover, boolean firstAtOnce) {
  public static final BrokerTiming DEFAULT = new BrokerTiming(Duration.ofSeconds(6));

  /** For a broker beside which none runs. */
  public static final BrokerTiming ALONE = new BrokerTiming(DEFAULT.takeover, true);

  private static final Duration LEAST_STRAY_GAP = Duration.ofSeconds(5);

  /** With every takeover after {@code takeover}, the first too. */
  public BrokerTiming(Duration takeover) {
    this(takeover, false);
  }

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

  /** The longest distance between two strays: clients that look again pause up to 2 s. */
  Duration strayGap() {
    return takeover.compareTo(LEAST_STRAY_GAP) > 0 ? takeover : LEAST_STRAY_GAP;
  }

  /** How long a standby's own address must lead others' clients to it until it takes over. */
  Duration strayTime() {
    return takeover.multipliedBy(2);
  }

  /** The longest time between two proofs of being active that leases run through. */
  Duration longestServedStep() {
    return takeover.multipliedBy(2).dividedBy(3);
  }
}
