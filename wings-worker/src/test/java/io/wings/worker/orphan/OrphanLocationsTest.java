package io.wings.worker.orphan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.wings.catalog.table.AdoptedTable;
import io.wings.worker.materialize.Workbench;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.HasTableOperations;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.SnapshotParser;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableOperations;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.io.CloseableIterable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whoever may commit to one table and read another has Wings delete none of the other's files. */
class OrphanLocationsTest extends OrphanCase {
  private static final TableIdentifier VICTIM = TableIdentifier.of("db", "victim");
  private static final long STAGED = 666;

  /** The victim's location: beside the table, with its name in it, and within. */
  @ParameterizedTest
  @ValueSource(strings = {"/db/victim", "/db/t2", "/db/t/victim", "/db/t/data2", "/db/t/metadata2"})
  void anExpiredSnapshotLeadsToNoOtherTablesFiles(String location) throws Exception {
    bench
        .catalog
        .buildTable(VICTIM, Workbench.SCHEMA)
        .withLocation(location)
        .withProperty("format-version", "3")
        .create();
    AdoptedTable victim = bench.adopt(VICTIM);
    bench.segment(victim, 1, 10);
    bench.run(victim);
    AdoptedTable table = bench.create(Map.of("history.expire.max-snapshot-age-ms", "1"));
    assertEquals("/db/t", bench.table().location());
    commits(table, 1, 2);
    String removed = bench.paths().getFirst();
    bench.table().newDelete().deleteFile(removed).commit();
    stage(bench.catalog.loadTable(VICTIM).currentSnapshot());
    for (int number = 2; number < 6; number++) {
      bench.time.sleep(java.time.Duration.ofMinutes(1));
      commits(table, number, number + 1);
    }
    assertNull(bench.table().snapshot(STAGED), "it is expired");
    for (int i = 0; i < 2; i++) {
      later();
      run(table);
    }
    assertFalse(files.data().contains(removed), "the table's own files go");
    assertEquals(List.of(), bench.ledgers(table.id()));
    Set<String> of = new TreeSet<>(files.deleted);
    of.removeIf(file -> file.startsWith("/db/t/data/") || file.startsWith("/db/t/metadata/"));
    assertEquals(Set.of(), of);
    try (CloseableIterable<FileScanTask> planned =
        bench.catalog.loadTable(VICTIM).newScan().planFiles()) {
      assertTrue(planned.iterator().hasNext(), "its lists and manifests are read");
    }
  }

  /** What a REST client says with {@code add-snapshot} and no ref. */
  private void stage(Snapshot of) {
    TableOperations operations = ((HasTableOperations) bench.table()).operations();
    TableMetadata base = operations.current();
    Snapshot staged =
        SnapshotParser.fromJson(
            """
            {"snapshot-id":%d,"sequence-number":%d,"timestamp-ms":%d,"schema-id":0,
             "summary":{"operation":"append"},"manifest-list":"%s",
             "first-row-id":%d,"added-rows":10}
            """
                .formatted(
                    STAGED,
                    base.lastSequenceNumber() + 1,
                    base.lastUpdatedMillis(),
                    of.manifestListLocation(),
                    base.nextRowId()));
    operations.commit(base, TableMetadata.buildFrom(base).addSnapshot(staged).build());
  }
}
