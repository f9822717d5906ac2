package io.wings.common.config;

import io.wings.common.error.WingsException;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Durations as people write them: {@code 250ms}, {@code 1s}, {@code 5m}, {@code 2h}, {@code 7d}.
 */
public final class Durations {
  private record Unit(String name, Duration one) {}

  /** The largest first. */
  private static final List<Unit> UNITS =
      List.of(
          new Unit("d", Duration.ofDays(1)),
          new Unit("h", Duration.ofHours(1)),
          new Unit("m", Duration.ofMinutes(1)),
          new Unit("s", Duration.ofSeconds(1)),
          new Unit("ms", Duration.ofMillis(1)));

  private static final Pattern TEXT = Pattern.compile("([0-9]{1,15}) ?(ms|s|m|h|d)");

  private Durations() {}

  /**
   * Reads a whole number and a unit, or {@code 0}.
   *
   * @throws WingsException {@code invalid-duration} for anything else
   */
  public static Duration parse(String text) {
    String stripped = text.strip();
    if (stripped.equals("0")) {
      return Duration.ZERO;
    }
    Matcher matcher = TEXT.matcher(stripped);
    if (!matcher.matches()) {
      throw invalid(text);
    }
    try {
      for (Unit unit : UNITS) {
        if (unit.name.equals(matcher.group(2))) {
          Duration duration = unit.one.multipliedBy(Long.parseLong(matcher.group(1)));
          // Everything downstream counts nanoseconds in a long: 292 years.
          long _ = duration.toNanos();
          return duration;
        }
      }
      throw invalid(text);
    } catch (ArithmeticException e) {
      throw invalid(text);
    }
  }

  private static WingsException invalid(String text) {
    return WingsException.invalid(
        "invalid-duration",
        "expected a whole number with ms, s, m, h or d, such as 250ms, got '" + text + "'");
  }

  /** With the largest unit that divides it, rounded down to milliseconds. */
  public static String format(Duration duration) {
    long millis = duration.toMillis();
    if (millis == 0) {
      return "0";
    }
    for (Unit unit : UNITS) {
      if (millis % unit.one.toMillis() == 0) {
        return millis / unit.one.toMillis() + unit.name;
      }
    }
    throw new AssertionError("every number of milliseconds is a multiple of one");
  }
}
