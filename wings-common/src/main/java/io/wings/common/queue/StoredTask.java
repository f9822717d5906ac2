package io.wings.common.queue;

import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A task in {@code queue.json}. Times are relative to the write: instants of two brokers' clocks
 * are never compared.
 *
 * @param failures in a row
 * @param expiries leases in a row that ran out
 * @param error of the last failure since the last success
 * @param scheduledAt wall-clock time (ISO-8601), for people
 */
public record StoredTask(
    String kind,
    String key,
    @Nullable String group,
    Map<String, String> payload,
    Standing standing,
    int failures,
    int expiries,
    @Nullable String error,
    String scheduledAt) {

  public StoredTask {
    payload = Payloads.sorted(payload);
  }

  /** Where it stands. */
  public sealed interface Standing {}

  /** It runs after {@code runsIn}. */
  public record Waiting(Duration runsIn) implements Standing {}

  /**
   * A worker has it.
   *
   * @param takenOver a broker took the lease over from its predecessor and hasn't heard of the
   *     worker yet
   * @param runsAgainIn it was scheduled meanwhile, to run after this; null: it wasn't
   */
  public record Leased(String id, String worker, boolean takenOver, @Nullable Duration runsAgainIn)
      implements Standing {}

  /**
   * It waits for a person.
   *
   * @param marked it was scheduled meanwhile
   */
  public record Parked(boolean marked) implements Standing {}
}
