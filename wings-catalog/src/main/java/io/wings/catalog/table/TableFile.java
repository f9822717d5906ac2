package io.wings.catalog.table;

import java.util.ArrayList;
import java.util.List;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableIdentifier;

/**
 * The cluster's own note of an adopted table: {@code table.json}, written last in an adoption and
 * changed by CAS. It says where the table was last seen and how far it was, so that a sweep needs
 * no catalog; the truth about watermarks is the table's own.
 *
 * @param namespace levels of the table's namespace, as last loaded
 * @param name the table's name, as last loaded
 * @param incarnation of the WAL
 * @param lanes how many
 * @param watermarks last known, by lane; never ahead of the table's own
 * @param quarantined by lane, segment numbers that readers skip
 */
public record TableFile(
    List<String> namespace,
    String name,
    String incarnation,
    int lanes,
    List<Long> watermarks,
    List<List<Long>> quarantined) {
  public TableFile {
    namespace = List.copyOf(namespace);
    watermarks = List.copyOf(watermarks);
    quarantined = quarantined.stream().map(List::copyOf).toList();
    if (watermarks.size() != lanes || quarantined.size() != lanes) {
      throw new IllegalArgumentException("a table file needs an entry for each lane");
    }
  }

  /** Under which name the table was last loaded. */
  public TableIdentifier identifier() {
    return TableIdentifier.of(Namespace.of(namespace.toArray(String[]::new)), name);
  }

  /** Whether {@code table}'s watermarks count the WAL that this file is about. */
  public boolean isOf(Watermarks table) {
    return incarnation.equals(table.incarnation()) && lanes == table.lanes();
  }

  /** Whether {@code table} is at least as far, in every lane, as this file knows. */
  public boolean notAheadOf(Watermarks table) {
    for (int lane = 0; lane < lanes; lane++) {
      if (watermarks.get(lane) > table.number(lane)) {
        return false;
      }
    }
    return true;
  }

  TableFile noting(TableIdentifier identifier, Watermarks table) {
    if (!isOf(table)) {
      return this;
    }
    List<Long> raised = new ArrayList<>(watermarks);
    for (int lane = 0; lane < lanes; lane++) {
      raised.set(lane, Math.max(raised.get(lane), table.number(lane)));
    }
    return new TableFile(
        List.of(identifier.namespace().levels()),
        identifier.name(),
        incarnation,
        lanes,
        raised,
        quarantined);
  }
}
