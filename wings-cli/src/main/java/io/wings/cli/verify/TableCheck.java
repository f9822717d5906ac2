package io.wings.cli.verify;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import org.apache.iceberg.BaseTable;
import org.apache.iceberg.CatalogUtil;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.SnapshotSummary;
import org.apache.iceberg.StaticTableOperations;
import org.apache.iceberg.Table;
import org.apache.iceberg.data.IcebergGenerics;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.io.FileIO;

/**
 * Reads a table at one metadata file with Iceberg's generic reader and compares its rows with what
 * was sent.
 */
public final class TableCheck {
  private TableCheck() {}

  /**
   * What the comparison found.
   *
   * @param visible rows that the table has
   * @param lost rows sent that the table lacks, counted as a multiset
   * @param doubled rows of the table beyond those sent, counted as a multiset
   * @param checksumMatch whether the sums of the row hashes agree
   * @param dataFiles live data files
   * @param snapshots in the metadata
   */
  public record Report(
      @JsonProperty("visible") long visible,
      @JsonProperty("lost") long lost,
      @JsonProperty("doubled") long doubled,
      @JsonProperty("checksum_match") boolean checksumMatch,
      @JsonProperty("data_files") long dataFiles,
      @JsonProperty("snapshots") int snapshots) {}

  /**
   * Compares.
   *
   * @param metadata location of the table's metadata file
   * @param ioImplementation class name of the FileIO to read with
   * @param ioProperties its properties
   * @param sent a file that {@link RowHashes} wrote
   */
  public static Report run(
      String metadata, String ioImplementation, Map<String, String> ioProperties, Path sent)
      throws IOException {
    try (FileIO io = CatalogUtil.loadFileIO(ioImplementation, ioProperties, null)) {
      Table table = new BaseTable(new StaticTableOperations(metadata, io), metadata);
      long[] expected = RowHashes.sorted(sent);
      long[] actual = hashes(table, expected.length);
      Arrays.sort(actual);
      return compare(expected, actual, table);
    }
  }

  private static long[] hashes(Table table, int expected) throws IOException {
    long[] hashes = new long[Math.max(expected, 16)];
    int count = 0;
    try (CloseableIterable<Record> rows = IcebergGenerics.read(table).build()) {
      for (Record row : rows) {
        if (count == hashes.length) {
          hashes = Arrays.copyOf(hashes, hashes.length + (hashes.length >> 1));
        }
        long hash = RowHash.start();
        for (int i = 0; i < row.size(); i++) {
          hash = RowHash.fold(hash, row.get(i));
        }
        hashes[count++] = hash;
      }
    }
    return Arrays.copyOf(hashes, count);
  }

  private static Report compare(long[] expected, long[] actual, Table table) {
    long lost = 0;
    long doubled = 0;
    long sums = 0;
    int e = 0;
    int a = 0;
    while (e < expected.length || a < actual.length) {
      if (a == actual.length || (e < expected.length && expected[e] < actual[a])) {
        lost++;
        sums += expected[e++];
      } else if (e == expected.length || actual[a] < expected[e]) {
        doubled++;
        sums -= actual[a++];
      } else {
        e++;
        a++;
      }
    }
    Snapshot current = table.currentSnapshot();
    long files =
        current == null
            ? 0
            : Long.parseLong(
                current.summary().getOrDefault(SnapshotSummary.TOTAL_DATA_FILES_PROP, "0"));
    int snapshots = 0;
    for (Snapshot ignored : table.snapshots()) {
      snapshots++;
    }
    return new Report(actual.length, lost, doubled, sums == 0, files, snapshots);
  }
}
