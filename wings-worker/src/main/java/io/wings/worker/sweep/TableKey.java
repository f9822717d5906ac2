package io.wings.worker.sweep;

import io.wings.common.cluster.CatalogName;
import io.wings.common.cluster.TableId;
import io.wings.common.error.WingsException;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What a key below {@code catalogs/} says. */
sealed interface TableKey {
  TableId table();

  record Segment(TableId table, String incarnation, int lane, long number) implements TableKey {}

  /** {@code table.json}. */
  record File(TableId table) implements TableKey {}

  /** A pass's. */
  record Ledger(TableId table) implements TableKey {}

  /** Anything else of a table. */
  record Other(TableId table) implements TableKey {}

  Pattern TABLE =
      Pattern.compile("catalogs/([^/]+)/tables/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})/(.+)");
  Pattern SEGMENT = Pattern.compile("([0-9a-f]{32})/([0-9]{2})/([0-9]{20})\\.wal");

  /** Empty for a key that is no table's. */
  static Optional<TableKey> parse(String key) {
    Matcher matcher = TABLE.matcher(key);
    if (!matcher.matches()) {
      return Optional.empty();
    }
    TableId table;
    try {
      table = new TableId(new CatalogName(matcher.group(1)), UUID.fromString(matcher.group(2)));
    } catch (WingsException _) {
      return Optional.empty();
    }
    String rest = matcher.group(3);
    if (rest.equals("table.json")) {
      return Optional.of(new File(table));
    }
    if (rest.startsWith("passes/")) {
      return Optional.of(new Ledger(table));
    }
    Matcher segment = SEGMENT.matcher(rest);
    return Optional.of(
        segment.matches()
            ? new Segment(
                table,
                segment.group(1),
                Integer.parseInt(segment.group(2)),
                Long.parseLong(segment.group(3)))
            : new Other(table));
  }
}
