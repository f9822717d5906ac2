package io.wings.catalog.table;

import io.wings.catalog.Tenants;
import io.wings.common.cas.CasObject;
import io.wings.common.cas.JsonCodec;
import io.wings.common.cluster.CatalogName;
import io.wings.common.cluster.Keys;
import io.wings.common.cluster.LaneId;
import io.wings.common.cluster.TableId;
import io.wings.common.error.WingsException;
import io.wings.common.id.Ids;
import io.wings.common.objectstore.ObjectStore;
import io.wings.common.retry.Backoff;
import io.wings.common.time.Time;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.apache.iceberg.catalog.TableIdentifier;

/** The cluster's {@code table.json} objects. */
public final class TableFiles {
  private static final JsonCodec<TableFile> CODEC = JsonCodec.tolerant(TableFile.class);

  private final ObjectStore store;
  private final Time time;
  private final Ids ids;

  public TableFiles(ObjectStore store, Time time, Ids ids) {
    this.store = store;
    this.time = time;
    this.ids = ids;
  }

  /** Empty when the table is not adopted here, or its adoption stopped half-way. */
  public Optional<TableFile> read(TableId table) {
    return object(table).read();
  }

  /**
   * Under which other catalog's name the log that {@code watermarks} count is; empty: none that is
   * a tenant.
   */
  Optional<CatalogName> adopter(TableId table, Watermarks watermarks) {
    for (CatalogName other : Tenants.names(store)) {
      if (!other.equals(table.catalog())
          && read(new TableId(other, table.uuid())).filter(it -> it.isOf(watermarks)).isPresent()) {
        return Optional.of(other);
      }
    }
    return Optional.empty();
  }

  /** Ends an adoption. Returns what is there in the end. */
  TableFile createIfAbsent(TableId table, TableFile file) {
    return object(table).createIfAbsent(file);
  }

  /**
   * Ends a re-adoption: the table goes on under {@code next}'s incarnation.
   *
   * @param over the incarnations that are closed; a file of another one is left alone
   * @return what is there in the end
   */
  TableFile succeed(TableId table, Set<String> over, TableFile next) {
    return object(table)
        .update(
            current ->
                current.isEmpty() || over.contains(current.get().incarnation())
                    ? Optional.of(next)
                    : Optional.empty())
        .orElseThrow();
  }

  /**
   * Notes where the table was loaded, how far it is and what it asks for. Watermarks only rise; a
   * note of another incarnation is left alone.
   */
  public void note(
      TableId table, TableIdentifier identifier, Watermarks watermarks, TableSettings settings) {
    object(table)
        .update(
            current -> {
              TableFile file = current.orElseThrow(() -> missing(table));
              TableFile noted = file.noting(identifier, watermarks, settings);
              return noted.equals(file) ? Optional.empty() : Optional.of(noted);
            });
  }

  /**
   * Notes that readers skip a segment; {@link Quarantine} says when that is allowed.
   *
   * @return what is there in the end
   * @throws WingsException {@code table-file-missing}; {@code incarnation-over} when the table's
   *     WAL is another by now
   */
  TableFile quarantine(LaneId lane, long number) {
    return object(lane.table())
        .update(
            current -> {
              TableFile file = current.orElseThrow(() -> missing(lane.table()));
              if (!file.incarnation().equals(lane.incarnation()) || lane.lane() >= file.lanes()) {
                throw WingsException.invalid(
                    "incarnation-over",
                    "lane %s isn't of table.json, which has incarnation %s with %d lanes"
                        .formatted(lane, file.incarnation(), file.lanes()));
              }
              return file.quarantined().get(lane.lane()).contains(number)
                  ? Optional.empty()
                  : Optional.of(file.quarantining(lane.lane(), number));
            })
        .orElseThrow();
  }

  private CasObject<TableFile> object(TableId table) {
    return new CasObject<>(store, Keys.tableJson(table), CODEC, time, ids, Backoff.STORE);
  }

  private static WingsException missing(TableId table) {
    return WingsException.corrupt(
        "table-file-missing", Keys.tableJson(table) + " of an adopted table is gone");
  }

  /** What an adoption writes. */
  static TableFile initial(
      TableIdentifier identifier, Watermarks watermarks, TableSettings settings) {
    return new TableFile(
        List.of(identifier.namespace().levels()),
        identifier.name(),
        watermarks.incarnation(),
        watermarks.lanes(),
        watermarks.numbers(),
        watermarks.numbers().stream().map(_ -> List.<Long>of()).toList(),
        settings.walRetention().toSeconds());
  }
}
