package io.wings.process;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import io.wings.catalog.io.LocalFileIO;
import io.wings.cli.client.TableName;
import io.wings.cli.client.WingsClient;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.BaseTable;
import org.apache.iceberg.StaticTableOperations;
import org.apache.iceberg.Table;
import org.apache.iceberg.aws.s3.S3FileIO;
import org.apache.iceberg.data.IcebergGenerics;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.io.FileIO;

/** Rows of {@link Writers} as Iceberg's own reader sees them. */
final class VisibleRows {
  private VisibleRows() {}

  /**
   * Fails unless the table, in a bucket, soon has the acknowledged rows of {@code writers} once
   * each, and no other.
   */
  static void assertHolds(TestCluster cluster, WingsClient client, TableName table, Writers writers)
      throws Exception {
    JsonNode description = client.action("describe-table", TestCluster.request(table));
    JsonNode _ =
        client.action(
            "await-visible",
            TestCluster.request(table)
                .put("incarnation", description.path("incarnation").asText())
                .put("lane", 0)
                .put("position", writers.highestPosition())
                .put("timeout_ms", 60_000));
    try (S3FileIO io = new S3FileIO()) {
      io.initialize(cluster.properties());
      List<Long> visible = read(client, table, io);
      assertEquals(visible.size(), new HashSet<>(visible).size(), "no row is visible twice");
      assertEquals(writers.acknowledged(), new HashSet<>(visible));
    }
  }

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
