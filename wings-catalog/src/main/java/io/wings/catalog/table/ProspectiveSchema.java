package io.wings.catalog.table;

import java.util.Map;
import org.apache.arrow.vector.types.pojo.Schema;
import org.apache.iceberg.BaseTable;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableOperations;
import org.apache.iceberg.UpdateSchema;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.io.LocationProvider;

/**
 * A table's schema as it will be with the columns that a stream brings. Field ids in it are
 * nobody's: batches are checked against it, never written by it.
 */
final class ProspectiveSchema {
  private ProspectiveSchema() {}

  /**
   * How batches would become the table's.
   *
   * @throws io.wings.common.error.WingsException {@code schema-mismatch}, as it would be then
   */
  static Alignment align(Schema incoming, org.apache.iceberg.Schema table) {
    TableMetadata metadata =
        TableMetadata.newTableMetadata(
            table, PartitionSpec.unpartitioned(), "memory:", Map.of("format-version", "3"));
    UpdateSchema update = new BaseTable(new Unstored(metadata), "prospective").updateSchema();
    MissingColumns.of(incoming, metadata.schema()).addTo(update);
    return ArrowSchemas.align(incoming, update.apply());
  }

  /** A table that is nowhere. */
  private record Unstored(TableMetadata current) implements TableOperations {
    @Override
    public TableMetadata refresh() {
      return current;
    }

    @Override
    public void commit(TableMetadata base, TableMetadata metadata) {
      throw new UnsupportedOperationException("nowhere");
    }

    @Override
    public FileIO io() {
      throw new UnsupportedOperationException("nowhere");
    }

    @Override
    public String metadataFileLocation(String fileName) {
      throw new UnsupportedOperationException("nowhere");
    }

    @Override
    public LocationProvider locationProvider() {
      throw new UnsupportedOperationException("nowhere");
    }
  }
}
