package io.wings.catalog.commit;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.SnapshotParser;
import org.apache.iceberg.SnapshotRef;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.types.Types;
import org.junit.jupiter.api.Test;

/** Snapshots 1 to n of main, an hour apart; more where a test adds them. */
class SnapshotCapTest {
  private static final long HOUR = Duration.ofHours(1).toMillis();

  private static TableMetadata.Builder table(Map<String, String> properties) {
    return TableMetadata.buildFrom(
        TableMetadata.newTableMetadata(
            new Schema(Types.NestedField.required(1, "id", Types.LongType.get())),
            PartitionSpec.unpartitioned(),
            "memory://t",
            properties));
  }

  private static Snapshot snapshot(long id, long parent, long hour) {
    return SnapshotParser.fromJson(
        """
        {"snapshot-id": %d, %s "sequence-number": %d, "timestamp-ms": %d,
         "manifest-list": "m%d", "summary": {"operation": "append"}, "schema-id": 0}
        """
            .formatted(
                id,
                parent == 0 ? "" : "\"parent-snapshot-id\": " + parent + ",",
                id,
                BASE + hour * HOUR,
                id));
  }

  private static final long BASE = System.currentTimeMillis() - Duration.ofDays(30).toMillis();

  private static TableMetadata.Builder main(Map<String, String> properties, int snapshots) {
    TableMetadata.Builder builder = table(properties);
    for (int id = 1; id <= snapshots; id++) {
      builder.setBranchSnapshot(snapshot(id, id - 1, id), SnapshotRef.MAIN_BRANCH);
    }
    return builder;
  }

  private static List<Long> expired(TableMetadata metadata, int cap) {
    return new ArrayList<>(new TreeSet<>(SnapshotCap.excess(metadata, cap)));
  }

  @Test
  void theOldestOfMainGoAboveTheCap() {
    assertEquals(List.of(1L, 2L), expired(main(Map.of(), 7).build(), 5));
    assertEquals(List.of(), expired(main(Map.of(), 5).build(), 5));
  }

  @Test
  void aTenthAboveTheCapIsWaitedFor() {
    assertEquals(List.of(), expired(main(Map.of(), 22).build(), 20));
    assertEquals(List.of(1L, 2L, 3L), expired(main(Map.of(), 23).build(), 20));
  }

  @Test
  void theTablesAgeExpiresBelowTheCap() {
    Map<String, String> properties =
        Map.of("history.expire.max-snapshot-age-ms", String.valueOf(3 * HOUR));
    assertEquals(List.of(1L, 2L), expired(main(properties, 6).build(), 100));
  }

  @Test
  void theLeastNumberIsKeptWhateverTheirAge() {
    Map<String, String> properties =
        Map.of(
            "history.expire.max-snapshot-age-ms", "1",
            "history.expire.min-snapshots-to-keep", "4");
    assertEquals(List.of(1L, 2L), expired(main(properties, 6).build(), 2));
  }

  @Test
  void aBranchKeepsWhatItsRetentionAsksFor() {
    TableMetadata metadata =
        main(Map.of(), 10)
            .setRef(
                "audit",
                SnapshotRef.branchBuilder(4).minSnapshotsToKeep(2).maxSnapshotAgeMs(1L).build())
            .build();
    assertEquals(List.of(1L, 2L, 5L), expired(metadata, 5));
  }

  @Test
  void aBranchWithoutARetentionHasTheTables() {
    TableMetadata metadata =
        main(Map.of(), 10).setRef("audit", SnapshotRef.branchBuilder(4).build()).build();
    assertEquals(List.of(5L), expired(metadata, 5), "all of it is younger than five days");
  }

  @Test
  void aRetentionGivenToMainGoesBeforeTheCap() {
    TableMetadata metadata =
        main(Map.of(), 10)
            .setRef(
                SnapshotRef.MAIN_BRANCH,
                SnapshotRef.branchBuilder(10).maxSnapshotAgeMs(7 * HOUR).build())
            .build();
    assertEquals(List.of(1L, 2L), expired(metadata, 5));
  }

  @Test
  void whatATagPointsAtStays() {
    TableMetadata metadata =
        main(Map.of(), 10).setRef("release", SnapshotRef.tagBuilder(2).build()).build();
    assertEquals(List.of(1L, 3L, 4L, 5L), expired(metadata, 5));
  }

  /** A writer audits before it publishes: its snapshot is on no branch yet. */
  @Test
  void stagedSnapshotsStayForTheTablesAge() {
    TableMetadata.Builder builder = main(Map.of(), 4);
    builder.addSnapshot(snapshot(50, 4, 5));
    for (long id = 51; id < 60; id++) {
      builder.setBranchSnapshot(
          snapshot(id, id == 51 ? 4 : id - 1, id - 46), SnapshotRef.MAIN_BRANCH);
    }
    assertEquals(List.of(1L, 2L, 3L, 4L, 51L, 52L, 53L, 54L), expired(builder.build(), 5));
    builder.setBranchSnapshot(snapshot(60, 59, 5 * 24 + 6), SnapshotRef.MAIN_BRANCH);
    assertEquals(
        Set.of(50L), kept(expired(builder.build(), 5), 50L), "five days later it has had its time");
  }

  private static Set<Long> kept(List<Long> ids, long id) {
    return ids.contains(id) ? Set.of(id) : Set.of();
  }

  @Test
  void nothingGoesWhereNobodyNotesIt() {
    assertEquals(List.of(), expired(main(Map.of(), 9).build(), CommitRequest.NO_EXPIRY));
  }
}
