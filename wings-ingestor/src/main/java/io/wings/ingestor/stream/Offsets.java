package io.wings.ingestor.stream;

import java.nio.IntBuffer;

/** Searches in monotone offsets. */
final class Offsets {
  private Offsets() {}

  /**
   * Whose range holds {@code index}; the nearest owner for one that no range holds.
   *
   * @param length owners; the offsets are one more
   */
  static int owner(IntBuffer offsets, int length, int index) {
    int low = 0;
    int high = Math.max(length - 1, 0);
    while (low < high) {
      int middle = (low + high + 1) >>> 1;
      if (offsets.get(middle) <= index) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return low;
  }
}
