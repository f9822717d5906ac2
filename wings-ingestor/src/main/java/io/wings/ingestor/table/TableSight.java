package io.wings.ingestor.table;

import io.wings.catalog.table.Watermarks;
import io.wings.common.cluster.Printable;
import io.wings.common.cluster.TableId;
import io.wings.common.error.WingsException;
import io.wings.common.flight.TableName;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.apache.iceberg.HasTableOperations;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableMetadata;
import org.jspecify.annotations.Nullable;

/** How far a table's rows are, as of one look at its catalog. */
public final class TableSight {
  private final TableName name;
  private final TableMetadata metadata;
  private final UUID uuid;
  private final @Nullable Watermarks own;

  private TableSight(TableName name, TableMetadata metadata, UUID uuid, @Nullable Watermarks own) {
    this.name = name;
    this.metadata = metadata;
    this.uuid = uuid;
    this.own = own;
  }

  static TableSight of(TableName name, Table table, String cluster) {
    TableMetadata metadata = ((HasTableOperations) table).operations().current();
    UUID uuid = UUID.fromString(metadata.uuid());
    return new TableSight(
        name,
        metadata,
        uuid,
        Watermarks.read(metadata.properties(), cluster, name.catalog(), uuid)
                instanceof Watermarks.Reading.Own(Watermarks watermarks)
            ? watermarks
            : null);
  }

  /**
   * Refuses another table, or another log of this one.
   *
   * @throws WingsException NOT_FOUND {@code table-replaced}
   */
  void requireLog(TableId id, String incarnation) {
    if (!uuid.equals(id.uuid()) || own == null || !own.incarnation().equals(incarnation)) {
      throw WingsException.notFound(
          "table-replaced",
          "table \"%s\" was replaced or adopted anew (was %s, is %s)"
              .formatted(name, id.uuid(), uuid));
    }
  }

  /**
   * The watermark of a lane.
   *
   * @throws WingsException {@code position-unknown} for another incarnation or a lane that the
   *     table hasn't got
   */
  public long watermark(String incarnation, int lane) {
    return require(incarnation, lane).number(lane);
  }

  /** By lane; empty for a table that this cluster hasn't adopted. */
  List<Long> watermarks() {
    return own == null ? List.of() : own.numbers();
  }

  private Watermarks require(String incarnation, int lane) {
    if (own == null || !own.incarnation().equals(incarnation) || lane < 0 || lane >= own.lanes()) {
      throw WingsException.notFound(
          "position-unknown",
          "table \"%s\" has no lane %d of incarnation %s; it was replaced or adopted anew"
              .formatted(name, lane, Printable.of(incarnation)));
    }
    return own;
  }

  /**
   * The snapshot that brought a position in which the watermark has reached, where main's current
   * snapshot still comes from it; empty where that can't be told any more, or its rows were rolled
   * back: the watermark stays, and snapshots after a rollback repeat it without those rows.
   */
  public Optional<Long> firstHolding(String incarnation, int lane, long number) {
    return history(incarnation, lane).holding(number, number);
  }

  /** What tells which snapshots have what of a lane. */
  public LaneHistory history(String incarnation, int lane) {
    return new LaneHistory(metadata, require(incarnation, lane), lane);
  }
}
