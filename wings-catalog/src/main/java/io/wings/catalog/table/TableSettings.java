package io.wings.catalog.table;

import io.wings.common.cluster.LaneId;
import io.wings.common.cluster.Printable;
import io.wings.common.config.Durations;
import io.wings.common.config.Suggestion;
import io.wings.common.error.WingsException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a table's properties under {@code wings.} ask for. Everything else about a table is
 * Iceberg's own ({@code write.target-file-size-bytes}, {@code write.parquet.*}, {@code
 * history.expire.*}).
 *
 * @param lanes WAL lanes that a table gets when it is adopted; later their number is that of its
 *     watermarks, whatever the property says. {@code wings.wal.lanes}, 1, 1 to {@link
 *     LaneId#MAX_LANES}
 * @param commitInterval how long after an acknowledgement the rows may wait so that commits gather;
 *     about one commit per interval and table. {@code wings.commit-interval}, 5 s, {@link
 *     #MIN_COMMIT_INTERVAL} to {@link #MAX_COMMIT_INTERVAL}
 * @param maxSnapshots above this many snapshots the commits of Wings expire the oldest ones that no
 *     branch head or tag needs. {@code wings.max-snapshots}, 500, 2 to 100,000
 * @param walRetention how long WAL segments stay although their rows are in the table, by the
 *     store's clock. {@code wings.wal.retention}, 1 day, {@link #MIN_WAL_RETENTION} to {@link
 *     #MAX_WAL_RETENTION}, in whole seconds
 * @param addsColumns whether columns that a stream has and the table hasn't are added to it,
 *     instead of refused. {@code wings.schema.evolution}, {@code strict} or {@code add-columns}
 */
public record TableSettings(
    int lanes,
    Duration commitInterval,
    int maxSnapshots,
    Duration walRetention,
    boolean addsColumns) {
  public static final String PREFIX = "wings.";
  public static final String LANES = "wings.wal.lanes";
  public static final String COMMIT_INTERVAL = "wings.commit-interval";
  public static final String MAX_SNAPSHOTS = "wings.max-snapshots";
  public static final String WAL_RETENTION = "wings.wal.retention";
  public static final String SCHEMA_EVOLUTION = "wings.schema.evolution";
  public static final String ENTITY_VERSION = "wings.entity.version";

  public static final Duration MIN_COMMIT_INTERVAL = Duration.ofMillis(100);
  public static final Duration MAX_COMMIT_INTERVAL = Duration.ofHours(1);

  public static final Duration MIN_WAL_RETENTION = Duration.ofSeconds(1);
  public static final Duration MAX_WAL_RETENTION = Duration.ofDays(3650);

  private static final int DEFAULT_LANES = 1;
  private static final Duration DEFAULT_COMMIT_INTERVAL = Duration.ofSeconds(5);
  static final Duration DEFAULT_WAL_RETENTION = Duration.ofDays(1);
  private static final int DEFAULT_MAX_SNAPSHOTS = 500;
  private static final int LEAST_MAX_SNAPSHOTS = 2;
  private static final int GREATEST_MAX_SNAPSHOTS = 100_000;

  private static final List<String> KEYS =
      List.of(
          LANES, COMMIT_INTERVAL, MAX_SNAPSHOTS, WAL_RETENTION, SCHEMA_EVOLUTION, ENTITY_VERSION);
  private static final String INTERVALS = "100ms to 1h, as in 500ms, 5s, 1m";
  private static final String RETENTIONS = "1s to 3650d, in whole seconds, as in 90s, 6h, 7d";

  /** Those of a table without any property under {@code wings.}. */
  public static TableSettings defaults() {
    return parse(Map.of());
  }

  /**
   * Reads the settings among a table's properties.
   *
   * @throws WingsException {@code table-setting-unknown}, {@code table-setting-invalid}, {@code
   *     table-setting-unsupported} (known, not in this version)
   */
  public static TableSettings parse(Map<String, String> properties) {
    properties.keySet().stream()
        .filter(key -> key.startsWith(PREFIX) && !key.startsWith(Watermarks.PREFIX))
        .sorted()
        .forEach(TableSettings::requireKnown);
    if (properties.containsKey(ENTITY_VERSION)) {
      throw unsupported(ENTITY_VERSION, "entity tables are not in this version; remove it");
    }
    return new TableSettings(
        lanes(properties.get(LANES)),
        commitInterval(properties.get(COMMIT_INTERVAL)),
        maxSnapshots(properties.get(MAX_SNAPSHOTS)),
        walRetention(properties.get(WAL_RETENTION)),
        addsColumns(properties.getOrDefault(SCHEMA_EVOLUTION, "strict")));
  }

  private static void requireKnown(String key) {
    if (KEYS.contains(key)) {
      return;
    }
    throw Suggestion.unknown("table-setting-unknown", "table property", Printable.of(key), KEYS);
  }

  private static int lanes(@Nullable String text) {
    return text == null ? DEFAULT_LANES : integer(LANES, text, 1, LaneId.MAX_LANES);
  }

  private static Duration commitInterval(@Nullable String text) {
    return text == null
        ? DEFAULT_COMMIT_INTERVAL
        : duration(COMMIT_INTERVAL, text, MIN_COMMIT_INTERVAL, MAX_COMMIT_INTERVAL, INTERVALS);
  }

  private static Duration walRetention(@Nullable String text) {
    if (text == null) {
      return DEFAULT_WAL_RETENTION;
    }
    Duration retention =
        duration(WAL_RETENTION, text, MIN_WAL_RETENTION, MAX_WAL_RETENTION, RETENTIONS);
    if (retention.toMillisPart() != 0) {
      throw invalid(WAL_RETENTION, RETENTIONS, text);
    }
    return retention;
  }

  private static Duration duration(
      String key, String text, Duration least, Duration greatest, String expected) {
    Duration duration;
    try {
      duration = Durations.parse(text);
    } catch (WingsException _) {
      throw invalid(key, expected, text);
    }
    if (duration.compareTo(least) < 0 || duration.compareTo(greatest) > 0) {
      throw invalid(key, expected, text);
    }
    return duration;
  }

  private static int maxSnapshots(@Nullable String text) {
    return text == null
        ? DEFAULT_MAX_SNAPSHOTS
        : integer(MAX_SNAPSHOTS, text, LEAST_MAX_SNAPSHOTS, GREATEST_MAX_SNAPSHOTS);
  }

  private static boolean addsColumns(String evolution) {
    return switch (evolution) {
      case "strict" -> false;
      case "add-columns" -> true;
      default -> throw invalid(SCHEMA_EVOLUTION, "strict or add-columns", evolution);
    };
  }

  private static int integer(String key, String text, int least, int greatest) {
    String expected = "a whole number from %d to %d".formatted(least, greatest);
    try {
      int value = Integer.parseInt(text);
      if (value >= least && value <= greatest) {
        return value;
      }
    } catch (NumberFormatException _) {
      // Told below, like a number out of range.
    }
    throw invalid(key, expected, text);
  }

  private static WingsException invalid(String key, String expected, String got) {
    return WingsException.invalid(
        "table-setting-invalid",
        "table property %s: expected %s, got \"%s\"".formatted(key, expected, Printable.of(got)));
  }

  private static WingsException unsupported(String key, String detail) {
    return WingsException.invalid(
        "table-setting-unsupported", "table property " + key + ": " + detail);
  }
}
