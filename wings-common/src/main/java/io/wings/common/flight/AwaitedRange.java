package io.wings.common.flight;

import io.wings.common.error.WingsException;

/**
 * Batches that are durable and of which a client hasn't been told yet that they are visible.
 *
 * @param sequence of the first
 * @param through of the last
 * @param position at which, or below, all of them are in the stream's lane
 */
public record AwaitedRange(long sequence, long through, long position) {
  public AwaitedRange {
    if (sequence < 1 || through < sequence || position < 0) {
      throw WingsException.invalid(
          "request-invalid",
          "an awaited range has sequences from 1 on and a position, got %d to %d at %d"
              .formatted(sequence, through, position));
    }
  }

  /** Whether {@code later} begins where this ends. */
  boolean meets(AwaitedRange later) {
    return later.sequence == through + 1;
  }

  /** Both, visible when the later of them is. */
  AwaitedRange with(AwaitedRange later) {
    return new AwaitedRange(sequence, later.through, Math.max(position, later.position));
  }
}
