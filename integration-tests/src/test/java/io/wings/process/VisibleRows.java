package io.wings.process;

import io.wings.catalog.io.LocalFileIO;
import io.wings.cli.client.TableName;
import io.wings.cli.client.WingsClient;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.BaseTable;
import org.apache.iceberg.StaticTableOperations;
import org.apache.iceberg.Table;
import org.apache.iceberg.data.IcebergGenerics;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.io.FileIO;

/** Rows of {@link Writers} as Iceberg's own reader sees them. */
final class VisibleRows {
  private VisibleRows() {}

  /** The first column of all rows, repeated ones included. */
  static List<Long> read(WingsClient client, TableName name) throws Exception {
    try (LocalFileIO io = new LocalFileIO()) {
      io.initialize(Map.of());
      return read(client, name, io);
    }
  }

  /** The same, over any storage. */
  static List<Long> read(WingsClient client, TableName name, FileIO io) throws Exception {
    String metadata =
        client
            .action("describe-table", TestCluster.request(name))
            .path("metadata_location")
            .asText();
    return read(new BaseTable(new StaticTableOperations(metadata, io), metadata));
  }

  /** The same of a table that a catalog gave. */
  static List<Long> read(Table table) throws IOException {
    List<Long> rows = new ArrayList<>();
    try (CloseableIterable<Record> records = IcebergGenerics.read(table).build()) {
      records.forEach(row -> rows.add((Long) row.get(0)));
    }
    return rows;
  }
}
