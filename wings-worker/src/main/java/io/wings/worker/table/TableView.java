package io.wings.worker.table;

import io.wings.catalog.table.AdoptedTable;
import io.wings.catalog.table.TableFile;
import io.wings.common.wal.Boundary;
import java.util.List;

/**
 * What one look at a table shows.
 *
 * @param file {@code table.json}, read first
 * @param boundaries by lane, read after it
 * @param table loaded after those
 */
public record TableView(TableFile file, List<Boundary> boundaries, AdoptedTable table) {
  public TableView {
    boundaries = List.copyOf(boundaries);
  }
}
