package io.wings.broker.core;

import io.wings.common.config.ByteSize;
import io.wings.common.queue.TaskSpec;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The numbers of the queue.
 *
 * @param lease how long a lease holds without a heartbeat
 * @param firstBackoff after the first failure; doubles with each further one
 * @param longestBackoff the cap, and the furthest that any task may lie in the future
 * @param expiriesPerFailure so many leases in a row that run out count as one failure
 * @param failuresUntilParked so many failures in a row park a task
 * @param neverParked kinds that back off to the cap instead
 * @param maxSize of the tasks as JSON; no catalog gets more of it than its {@link #share}
 * @param recurring tasks that the broker keeps going
 */
public record QueueRules(
    Duration lease,
    Duration firstBackoff,
    Duration longestBackoff,
    int expiriesPerFailure,
    int failuresUntilParked,
    Set<String> neverParked,
    ByteSize maxSize,
    List<Recurring> recurring) {

  /**
   * A task that runs once, and again {@code every} after each success.
   *
   * @param task its delay is of no account
   */
  public record Recurring(TaskSpec task, Duration every) {}

  public static final String SWEEP = "sweep";
  public static final String MATERIALIZE = "materialize";

  /**
   * What design section 7 and 15 say. The sweep doesn't park either: a parked one would leave lost
   * work unfound until a person looks.
   */
  public static final QueueRules DEFAULT =
      new QueueRules(
          Duration.ofSeconds(30),
          Duration.ofSeconds(1),
          Duration.ofMinutes(5),
          5,
          8,
          Set.of(MATERIALIZE, SWEEP),
          ByteSize.ofMebibytes(8),
          List.of(
              new Recurring(
                  new TaskSpec(SWEEP, SWEEP, SWEEP, Map.of(), Duration.ZERO),
                  Duration.ofSeconds(60))));

  public QueueRules {
    neverParked = Set.copyOf(neverParked);
    recurring = List.copyOf(recurring);
    if (!lease.isPositive()
        || !firstBackoff.isPositive()
        || longestBackoff.compareTo(firstBackoff) < 0
        || expiriesPerFailure < 1
        || failuresUntilParked < 1) {
      throw new IllegalArgumentException("queue rules must be positive");
    }
  }

  /**
   * What one catalog's tasks may take, in bytes: half of what the others' leave. So however many
   * tasks of some catalogs go on failing, there is room for another's; all of them together never
   * take more than {@link #maxSize}.
   *
   * @param others what the tasks of all other catalogs take
   */
  long share(long others) {
    return Math.max(0, (maxSize.bytes() - others) / 2);
  }

  /** The back-off after {@code failures} in a row, 1 or more. */
  Duration backoff(int failures) {
    Duration backoff = firstBackoff;
    for (int i = 1; i < failures && backoff.compareTo(longestBackoff) < 0; i++) {
      backoff = backoff.multipliedBy(2);
    }
    return clamp(backoff);
  }

  /** At most the longest back-off. */
  Duration clamp(Duration delay) {
    return delay.compareTo(longestBackoff) > 0 ? longestBackoff : delay;
  }
}
