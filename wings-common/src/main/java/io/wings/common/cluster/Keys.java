package io.wings.common.cluster;

import io.wings.common.objectstore.StoreProbe;

/**
 * Keys of a cluster's objects, relative to the cluster prefix. See {@code docs/formats/layout.md}.
 */
public final class Keys {
  public static final String CLUSTER = "cluster.json";
  public static final String QUEUE = "queue.json";
  public static final String TENANTS = "tenants/";
  public static final String CATALOGS = "catalogs/";

  /** Objects that the start-up probe writes and removes. */
  public static final String PROBE = StoreProbe.PREFIX;

  private static final String WAL_SUFFIX = ".wal";

  private Keys() {}

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
    return table(table) + "passes/" + pass;
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
}
