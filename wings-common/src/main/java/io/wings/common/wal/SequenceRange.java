package io.wings.common.wal;

/**
 * Sequences from {@code first} to {@code last}, both included.
 *
 * @param first at least 1
 * @param last at least {@code first}
 */
public record SequenceRange(long first, long last) {
  public SequenceRange {
    if (first < 1 || last < first) {
      throw new IllegalArgumentException("not a range of sequences: " + first + " to " + last);
    }
  }

  public boolean contains(long sequence) {
    return first <= sequence && sequence <= last;
  }
}
