package io.wings.catalog.table;

import io.wings.common.cluster.CatalogName;
import io.wings.common.cluster.LaneId;
import io.wings.common.cluster.TableId;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.TableIdentifier;

/**
 * A table under Wings, as of one load of it.
 *
 * @param identifier the name under which it was loaded
 * @param id catalog and uuid
 * @param watermarks of this cluster and this uuid, as loaded
 * @param table Iceberg's view; its own commits are never used ({@code io.wings.catalog.commit})
 */
public record AdoptedTable(
    TableIdentifier identifier,
    TableId id,
    Watermarks watermarks,
    TableSettings settings,
    Table table) {
  public CatalogName catalog() {
    return id.catalog();
  }

  public String incarnation() {
    return watermarks.incarnation();
  }

  /** How many lanes the table has: the number of its watermarks. */
  public int lanes() {
    return watermarks.lanes();
  }

  public LaneId lane(int lane) {
    return new LaneId(id, watermarks.incarnation(), lane);
  }
}
