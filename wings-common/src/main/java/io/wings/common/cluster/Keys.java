package io.wings.common.cluster;

import io.wings.common.objectstore.StoreProbe;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Keys of a cluster's objects, relative to the cluster prefix. See {@code docs/formats/layout.md}.
 */
public final class Keys {
  public static final String CLUSTER = "cluster.json";
  public static final String QUEUE = "queue.json";
  public static final String TENANTS = "tenants/";

  /** Who may do what. */
  public static final String GRANTS = "grants.json";

  /** What operators' commands did. */
  public static final String ACTS = "acts/";

  public static final String CATALOGS = "catalogs/";

  /** Written to learn the store's time; its content is of no account. */
  public static final String CLOCK = "clock";

  /** Objects that the start-up probe writes and removes. */
  public static final String PROBE = StoreProbe.PREFIX;

  private static final String WAL_SUFFIX = ".wal";
  private static final DateTimeFormatter ACT_TIME =
      DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmss.SSS'Z'", Locale.ROOT).withZone(ZoneOffset.UTC);
  private static final Pattern SEGMENT = Pattern.compile("([0-9]{20})\\.wal");

  private Keys() {}

  /** In the order of the keys, acts are in the order of their commands' clocks. */
  public static String act(Instant at, String id) {
    return ACTS + ACT_TIME.format(at) + "-" + id + ".json";
  }

  /** Before the keys of all acts from then on, after those of all earlier ones. */
  public static String actsFrom(Instant at) {
    return ACTS + ACT_TIME.format(at);
  }

  public static String tenant(CatalogName catalog) {
    return TENANTS + catalog + ".json";
  }

  /** Everything of a table: {@code catalogs/{catalog}/tables/{uuid}/}. */
  public static String table(TableId table) {
    return CATALOGS + table.catalog() + "/tables/" + table.uuid() + "/";
  }

  public static String tableJson(TableId table) {
    return table(table) + "table.json";
  }

  public static String ledger(TableId table, String pass) {
    return ledgers(table) + pass;
  }

  /** All ledgers of a table. */
  public static String ledgers(TableId table) {
    return table(table) + "passes/";
  }

  /** Everything of a lane: {@code …/{incarnation}/{lane:02d}/}. */
  public static String lane(LaneId lane) {
    return "%s%s/%02d/".formatted(table(lane.table()), lane.incarnation(), lane.lane());
  }

  public static String boundary(LaneId lane) {
    return lane(lane) + "boundary";
  }

  /** A segment's key; numbers begin at 1. */
  public static String segment(LaneId lane, long number) {
    return "%s%020d%s".formatted(lane(lane), number, WAL_SUFFIX);
  }

  /**
   * The number of the segment whose key this is; empty for a key that is no segment's of the lane.
   */
  public static OptionalLong segmentNumber(LaneId lane, String key) {
    String prefix = lane(lane);
    Matcher name = SEGMENT.matcher(key.startsWith(prefix) ? key.substring(prefix.length()) : "");
    return name.matches() ? OptionalLong.of(Long.parseLong(name.group(1))) : OptionalLong.empty();
  }

  /** Where a copy of a quarantined segment is kept, for people. */
  public static String quarantined(LaneId lane, long number) {
    return "%squarantine/%s/%02d/%020d%s"
        .formatted(table(lane.table()), lane.incarnation(), lane.lane(), number, WAL_SUFFIX);
  }
}
