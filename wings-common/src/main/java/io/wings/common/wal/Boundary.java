package io.wings.common.wal;

/**
 * Up to which number a lane's segments may have been deleted. Created by adoption, raised by prune,
 * closed by a move; it only grows, and a closed one stays.
 *
 * @param number segments at or below may be gone, 0 when none is
 * @param closed no segment may be appended any more
 */
public record Boundary(long number, boolean closed) {
  /** A new lane's. */
  public static final Boundary NONE = new Boundary(0, false);

  public Boundary {
    if (number < 0) {
      throw new IllegalArgumentException("a boundary is 0 or above, got " + number);
    }
  }
}
