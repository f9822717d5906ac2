package io.wings.ingestor.table;

import io.wings.catalog.table.AdoptedTable;
import io.wings.catalog.table.Alignment;
import io.wings.catalog.table.ArrowSchemas;
import io.wings.catalog.table.ColumnAdditions;
import io.wings.catalog.table.PartitionFloor;
import io.wings.catalog.table.Writable;
import io.wings.common.cluster.LaneId;
import io.wings.common.cluster.TableId;
import io.wings.common.error.WingsException;
import io.wings.common.flight.StreamRequest;
import io.wings.common.flight.TableName;
import java.time.Duration;
import java.util.List;
import org.apache.arrow.vector.types.pojo.Schema;

/** An adopted table as of one look at its catalog. Immutable; holds nothing open. */
public final class StreamTable {
  private final TableName name;
  private final TableId id;
  private final String incarnation;
  private final List<Long> watermarks;
  private final Duration commitInterval;
  private final boolean addsColumns;
  private final org.apache.iceberg.Schema iceberg;
  private final Schema schema;
  private final List<PartitionFloor> floors;

  StreamTable(TableName name, AdoptedTable table) {
    this.name = name;
    this.id = table.id();
    this.incarnation = table.incarnation();
    this.watermarks = table.watermarks().numbers();
    this.commitInterval = table.settings().commitInterval();
    this.addsColumns = table.settings().addsColumns();
    this.iceberg = table.table().schema();
    this.schema = ArrowSchemas.expected(iceberg);
    this.floors = PartitionFloor.of(table.table().spec(), iceberg);
  }

  public TableName name() {
    return name;
  }

  public TableId id() {
    return id;
  }

  public String incarnation() {
    return incarnation;
  }

  public int lanes() {
    return watermarks.size();
  }

  public LaneId lane(int lane) {
    return new LaneId(id, incarnation, lane);
  }

  /**
   * The lane that a stream belongs to, if that is the one it was sent to: whoever routed it may
   * know another table's number of lanes, and one producer in two lanes would be two producers.
   *
   * @throws WingsException UNAVAILABLE {@code lane-unknown}
   */
  public LaneId laneOf(StreamRequest asked) {
    int lane = asked.laneOf(lanes());
    if (asked.lane() != lane) {
      throw laneUnknown(asked.lane());
    }
    return lane(lane);
  }

  /** That something was sent to a lane of a table with another number of lanes. */
  private WingsException laneUnknown(int asked) {
    return WingsException.unavailable(
        "lane-unknown",
        "table \"%s\" has %d lanes, which don't make it lane %d; it was made anew, send again"
            .formatted(name, lanes(), asked),
        null);
  }

  /** Up to which number a lane's rows were in the table. */
  public long watermark(int lane) {
    return watermarks.get(lane);
  }

  /** How long rows may wait so that commits gather. */
  public Duration commitInterval() {
    return commitInterval;
  }

  /** What batches look like in the log, with field ids. */
  public Schema schema() {
    return schema;
  }

  /** Which values the table's partition fields don't take. */
  public List<PartitionFloor> partitionFloors() {
    return floors;
  }

  /**
   * How batches of {@code incoming} become batches of this table.
   *
   * @throws io.wings.common.error.WingsException {@code schema-mismatch}
   */
  public Alignment align(Schema incoming) {
    return ArrowSchemas.align(incoming, iceberg);
  }

  /**
   * Whether the table is to be given columns before batches of {@code incoming} can be its own.
   *
   * @throws WingsException {@code schema-mismatch} for columns that can't be added
   */
  public boolean needsColumnsOf(Schema incoming) {
    return addsColumns && ColumnAdditions.areNeeded(incoming, iceberg);
  }

  /**
   * How batches of {@code incoming} will become batches of this table once it has been given their
   * columns.
   *
   * @throws WingsException {@code schema-mismatch}
   */
  public Alignment alignmentAfterAdding(Schema incoming) {
    return ColumnAdditions.alignmentAfter(incoming, iceberg);
  }

  /**
   * How batches of {@code incoming} become batches of a table that was made from it.
   *
   * @throws io.wings.common.error.WingsException {@code schema-invalid}, {@code type-unsupported},
   *     {@code table-unsupported}
   */
  public static Alignment alignmentOfNew(Schema incoming) {
    org.apache.iceberg.Schema made = ArrowSchemas.toIceberg(incoming);
    Writable.requireColumns(made);
    return ArrowSchemas.align(incoming, made);
  }

  /** Whether both are one table with one log. */
  public boolean sameLogAs(StreamTable other) {
    return id.equals(other.id) && incarnation.equals(other.incarnation);
  }

  /** Whether a batch that was aligned to one is aligned to the other. */
  public boolean sameSchemaAs(StreamTable other) {
    return schema.equals(other.schema) && iceberg.asStruct().equals(other.iceberg.asStruct());
  }
}
