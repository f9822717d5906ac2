package io.wings.common.config;

import io.wings.common.error.WingsException;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A number of bytes, written {@code 64MiB}. */
public record ByteSize(long bytes) implements Comparable<ByteSize> {
  public static final ByteSize ZERO = new ByteSize(0);

  private static final Pattern TEXT = Pattern.compile("([0-9]{1,18}) ?(B|KiB|MiB|GiB|TiB)");
  private static final Map<String, Integer> SHIFT =
      Map.of("B", 0, "KiB", 10, "MiB", 20, "GiB", 30, "TiB", 40);
  private static final String[] UNITS = {"B", "KiB", "MiB", "GiB", "TiB"};

  public ByteSize {
    if (bytes < 0) {
      throw WingsException.invalid("invalid-byte-size", "expected 0 or more bytes, got " + bytes);
    }
  }

  public static ByteSize ofKibibytes(long kibibytes) {
    return new ByteSize(Math.multiplyExact(kibibytes, 1L << 10));
  }

  public static ByteSize ofMebibytes(long mebibytes) {
    return new ByteSize(Math.multiplyExact(mebibytes, 1L << 20));
  }

  public static ByteSize ofGibibytes(long gibibytes) {
    return new ByteSize(Math.multiplyExact(gibibytes, 1L << 30));
  }

  /**
   * Reads a whole number and a binary unit: {@code 512B}, {@code 64MiB}, {@code 2 GiB}.
   *
   * @throws WingsException {@code invalid-byte-size} for anything else; a unit is required
   */
  public static ByteSize parse(String text) {
    Matcher matcher = TEXT.matcher(text.strip());
    if (!matcher.matches()) {
      throw invalid(text);
    }
    try {
      long scale = 1L << SHIFT.getOrDefault(matcher.group(2), 0);
      return new ByteSize(Math.multiplyExact(Long.parseLong(matcher.group(1)), scale));
    } catch (ArithmeticException e) {
      throw invalid(text);
    }
  }

  private static WingsException invalid(String text) {
    return WingsException.invalid(
        "invalid-byte-size",
        "expected a whole number with B, KiB, MiB, GiB or TiB, such as 64MiB, got '" + text + "'");
  }

  /** The size as an int, for arrays and buffers; fails above 2 GiB. */
  public int toIntExact() {
    return Math.toIntExact(bytes);
  }

  @Override
  public int compareTo(ByteSize other) {
    return Long.compare(bytes, other.bytes);
  }

  /** With the largest unit that divides it; {@link #parse} reads it back. */
  @Override
  public String toString() {
    int unit = 0;
    long value = bytes;
    while (unit < UNITS.length - 1 && value != 0 && (value & 1023) == 0) {
      value >>= 10;
      unit++;
    }
    return value + UNITS[unit];
  }
}
