package io.wings.catalog.table;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableIdentifier;
import org.jspecify.annotations.Nullable;

/**
 * The cluster's own note of an adopted table: {@code table.json}, written last in an adoption and
 * changed by CAS. It says where the table was last seen, how far it was and how long its WAL stays,
 * so that a sweep needs no catalog; the truth about all of it is the table's own.
 *
 * @param namespace levels of the table's namespace, as last loaded
 * @param name the table's name, as last loaded
 * @param incarnation of the WAL
 * @param lanes how many
 * @param watermarks last known, by lane; never ahead of the table's own
 * @param quarantined by lane, segment numbers that readers skip, ascending
 * @param walRetentionSeconds as last loaded; null: a version without it wrote this
 */
public record TableFile(
    List<String> namespace,
    String name,
    String incarnation,
    int lanes,
    List<Long> watermarks,
    List<List<Long>> quarantined,
    @Nullable Long walRetentionSeconds) {
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

  /**
   * How long WAL segments stay although their rows are in the table, as last loaded; the default
   * until then.
   */
  public Duration walRetention() {
    return walRetentionSeconds == null
        ? TableSettings.DEFAULT_WAL_RETENTION
        : Duration.ofSeconds(walRetentionSeconds);
  }

  /** With one more number that readers skip. */
  TableFile quarantining(int lane, long number) {
    TreeSet<Long> numbers = new TreeSet<>(quarantined.get(lane));
    numbers.add(number);
    List<List<Long>> all = new ArrayList<>(quarantined);
    all.set(lane, List.copyOf(numbers));
    return new TableFile(namespace, name, incarnation, lanes, watermarks, all, walRetentionSeconds);
  }

  TableFile noting(TableIdentifier identifier, Watermarks table, TableSettings settings) {
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
        quarantined,
        settings.walRetention().toSeconds());
  }
}
