package io.wings.common.flight;

import io.wings.common.error.WingsException;
import org.jspecify.annotations.Nullable;

/**
 * Batches that are durable and of which a client hasn't been told yet that they are visible.
 *
 * @param sequence of the first
 * @param through of the last
 * @param position at which, or below, all of them are in the stream's lane
 * @param from at which, or above, all of them are; null where that isn't known, as of older
 *     versions' requests
 */
public record AwaitedRange(long sequence, long through, long position, @Nullable Long from) {
  public AwaitedRange {
    if (sequence < 1
        || through < sequence
        || position < 0
        || (from != null && (from < 0 || from > position))) {
      throw WingsException.invalid(
          "request-invalid",
          "an awaited range has sequences from 1 on and a position, got %d to %d at %d to %d"
              .formatted(sequence, through, from, position));
    }
  }

  /** One of which only the highest position is known. */
  public AwaitedRange(long sequence, long through, long position) {
    this(sequence, through, position, null);
  }

  /** Some of them. */
  AwaitedRange part(long first, long last) {
    return new AwaitedRange(first, last, position, from);
  }

  /** Whether {@code later} begins where this ends. */
  boolean meets(AwaitedRange later) {
    return later.sequence == through + 1;
  }

  /** Both, visible when the later of them is. */
  AwaitedRange with(AwaitedRange later) {
    Long lowest =
        from == null || later.from == null ? null : Long.valueOf(Math.min(from, later.from));
    return new AwaitedRange(sequence, later.through, Math.max(position, later.position), lowest);
  }
}
