package io.wings.common.cluster;

import io.wings.common.error.WingsException;
import java.util.regex.Pattern;

/**
 * One WAL sequence.
 *
 * @param incarnation 32 hexadecimal digits, drawn once in the adopting commit
 * @param lane 0 to 98
 */
public record LaneId(TableId table, String incarnation, int lane) {
  /** Lanes a table can have. */
  public static final int MAX_LANES = 99;

  /** Lanes of one table for which one process reads or writes at the same time. */
  public static final int AT_ONCE = 16;

  private static final Pattern INCARNATION = Pattern.compile("[0-9a-f]{32}");

  public LaneId {
    if (!INCARNATION.matcher(incarnation).matches()) {
      throw WingsException.invalid(
          "incarnation-invalid",
          "an incarnation is 32 hexadecimal digits, got \"" + Printable.of(incarnation) + "\"");
    }
    if (lane < 0 || lane >= MAX_LANES) {
      throw WingsException.invalid(
          "lane-invalid", "lanes are 0 to " + (MAX_LANES - 1) + ", got " + lane);
    }
  }

  @Override
  public String toString() {
    return "%s/%s/%02d".formatted(table, incarnation, lane);
  }
}
