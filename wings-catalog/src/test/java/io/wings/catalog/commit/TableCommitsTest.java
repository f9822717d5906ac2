package io.wings.catalog.commit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.wings.catalog.commit.FaultyCatalog.Fault;
import io.wings.common.error.WingsException;
import io.wings.common.retry.Backoff;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DataFiles;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.types.Types;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** With a catalog that compares pointers, and with one that compares requirements. */
@ParameterizedClass
@ValueSource(booleans = {false, true})
class TableCommitsTest {
  private static final TableIdentifier TABLE = TableIdentifier.of("db", "t");
  private static final String PREFIX = "wings.watermark.";
  private static final String KEY = PREFIX + "0";
  private static final Schema SCHEMA =
      new Schema(Types.NestedField.required(1, "id", Types.LongType.get()));

  private final FaultyCatalog catalog;
  private final TableCommits commits =
      new TableCommits(new UnhurriedTime(), new SeededIds(7), Backoff.STORE);
  private final UUID uuid;

  TableCommitsTest(boolean rest) {
    catalog = new FaultyCatalog(rest);
    Table created = catalog.buildTable(TABLE, SCHEMA).withProperty("format-version", "3").create();
    uuid = created.uuid();
  }

  @Test
  void everyCommitAddsASnapshotThatNamesItsAttempt() {
    commit(0, 1);
    Snapshot snapshot = load().currentSnapshot();
    assertTrue(snapshot.summary().getOrDefault(TableCommits.ATTEMPT, "").matches("[0-9a-f]{32}"));
    assertEquals("1", snapshot.summary().get(KEY));
    assertEquals("1", load().properties().get(KEY));
    commits.commit(request(1, 1, TableChange.none(), 100));
    assertEquals(2, snapshots());
  }

  /** Traps 6 and 7: a lost reply, a re-post by the client, garbage: never twice. */
  @ParameterizedTest
  @EnumSource(Fault.class)
  void landsOnceWhateverBecomesOfThePost(Fault fault) {
    catalog.next(fault);
    assertInstanceOf(CommitOutcome.Landed.class, commit(0, 1));
    catalog.deliver();
    assertInstanceOf(CommitOutcome.Landed.class, commit(1, 2));
    assertEquals(List.of("1", "2"), files());
    assertEquals("2", load().properties().get(KEY));
  }

  @Test
  void anAttemptThatLandedWhileTheCatalogWasAwayIsFound() {
    catalog.next(Fault.LANDED_UNKNOWN);
    catalog.failLoads(0);
    CommitRequest request = request(0, 1, append("1"), 100, _ -> catalog.failLoads(3));
    assertInstanceOf(CommitOutcome.Landed.class, commits.commit(request));
    assertEquals(1, catalog.posts());
    assertEquals(List.of("1"), files());
  }

  @Test
  void postsNoMetadataThatIsTooLargeToBeRead() {
    String large = "x".repeat(17 * 1024 * 1024);
    load().updateProperties().set("a", large).set("b", large).commit();
    int posts = catalog.posts();
    WingsException e = assertThrows(WingsException.class, () -> commit(0, 1));
    assertEquals("metadata-too-large", e.code());
    assertEquals(posts, catalog.posts());
  }

  @Test
  void tellsWhetherManifestsMayBeLeft() {
    assertFalse(leaves(commit(0, 1)));
    catalog.next(Fault.LANDED_UNKNOWN);
    assertFalse(leaves(commit(1, 2)), "found again: it was the only attempt");
    catalog.next(Fault.LOST);
    assertTrue(leaves(commit(2, 3)), "those of the lost attempt");
    load().updateProperties().set("commit.manifest.min-count-to-merge", "2").commit();
    assertTrue(leaves(commit(3, 4)), "the manifest that was merged at once");
  }

  private static boolean leaves(CommitOutcome outcome) {
    return assertInstanceOf(CommitOutcome.Landed.class, outcome).leaves();
  }

  @Test
  void postsAtMostOncePerAttempt() {
    catalog.next(Fault.LOST, Fault.ERROR, Fault.DELAYED);
    List<Long> bases = new ArrayList<>();
    commits.commit(request(0, 1, append("1"), 100, post -> bases.add(post.sequenceNumber())));
    assertEquals(4, catalog.posts());
    assertEquals(4, bases.size());
    assertEquals(0, catalog.deliver(), "the delayed post must fail");
    assertEquals(List.of("1"), files());
  }

  /** Trap 7: Iceberg neither cleans up nor rolls back after a post. */
  @ParameterizedTest
  @EnumSource(Fault.class)
  void nothingIsDeleted(Fault fault) {
    for (int n = 0; n < 5; n++) {
      catalog.next(fault, Fault.LOST);
      commit(n, n + 1);
    }
    catalog.deliver();
    assertEquals(List.of(), catalog.deletes());
    assertEquals(List.of("1", "2", "3", "4", "5"), files());
  }

  @Test
  void givesUpWithoutAGuessWhenTheCatalogStaysAway() {
    catalog.next(Fault.LANDED_UNKNOWN);
    CommitRequest request = request(0, 1, append("1"), 100, _ -> catalog.failLoads(1000));
    WingsException error = assertThrows(WingsException.class, () -> commits.commit(request));
    assertEquals("retries-exhausted", error.code());
    catalog.failLoads(0);
    assertInstanceOf(CommitOutcome.Moved.class, commit(0, 1), "it had landed");
    assertEquals(List.of("1"), files());
  }

  /** Trap 8: what a commit sets is computed for the base that it is posted on. */
  @Test
  void stopsWhenSomeoneElseMovedTheWatermark() {
    commit(0, 1);
    CommitOutcome outcome = commit(0, 1);
    CommitOutcome.Moved moved = assertInstanceOf(CommitOutcome.Moved.class, outcome);
    assertEquals(Map.of(KEY, "1"), moved.marks());
    assertEquals(List.of("1"), files());
  }

  /** Trap 8. */
  @Test
  void aCommitBetweenLoadAndPostIsNotOverwritten() {
    CommitRequest inner = request(0, 1, append("winner"), 100);
    List<CommitOutcome> winners = new ArrayList<>();
    BaseListener first = _ -> commitOnce(inner, winners);
    CommitRequest outer = request(0, 2, append("loser"), 100, first);
    assertInstanceOf(CommitOutcome.Moved.class, commits.commit(outer));
    assertEquals(List.of("winner"), files());
    assertEquals("1", load().properties().get(KEY));
  }

  private void commitOnce(CommitRequest request, List<CommitOutcome> outcomes) {
    if (outcomes.isEmpty()) {
      outcomes.add(commits.commit(request));
    }
  }

  @Test
  void appliesAgainToABaseThatAForeignAppendMade() {
    List<Long> bases = new ArrayList<>();
    CommitRequest request =
        request(
            0,
            1,
            append("1"),
            100,
            post -> {
              if (bases.isEmpty()) {
                load().newAppend().appendFile(file("foreign")).commit();
              }
              bases.add(post.sequenceNumber());
            });
    assertInstanceOf(CommitOutcome.Landed.class, commits.commit(request));
    assertEquals(List.of(0L, 1L), bases);
    assertEquals(List.of("1", "foreign"), files());
  }

  /** Trap 26: a property-only commit of an old watermark is seen, not taken for progress undone. */
  @Test
  void seesThatAPropertyOnlyCommitPutAnOldWatermarkBack() {
    commit(0, 1);
    commit(1, 2);
    catalog.next(Fault.LANDED_UNKNOWN);
    CommitRequest request = request(2, 3, append("3"), 100);
    catalog.onceLanded(() -> load().updateProperties().set(KEY, "2").commit());
    WingsException error = assertThrows(WingsException.class, () -> commits.commit(request));
    assertEquals("watermark-lost", error.code());
    assertEquals(List.of("1", "2", "3"), files());
  }

  @Test
  void refusesACatalogThatStripsProperties() {
    catalog.stripProperties();
    WingsException error = assertThrows(WingsException.class, () -> commit(0, 1));
    assertEquals("watermark-lost", error.code());
    assertEquals(1, catalog.posts());
  }

  /** Trap 15. */
  @Test
  void refusesTheNamesakeOfADroppedTable() {
    catalog.dropTable(TABLE, false);
    catalog.buildTable(TABLE, SCHEMA).withProperty("format-version", "3").create();
    WingsException error = assertThrows(WingsException.class, () -> commit(0, 1));
    assertEquals("table-replaced", error.code());
    assertEquals(List.of(), files());
  }

  @Test
  void saysWhenTheTableIsGone() {
    catalog.dropTable(TABLE, false);
    WingsException error = assertThrows(WingsException.class, () -> commit(0, 1));
    assertEquals("table-not-found", error.code());
  }

  /** Trap 20. */
  @Test
  void expiresTheOldestSnapshotsAboveTheCap() {
    for (int n = 0; n < 12; n++) {
      commits.commit(request(n, n + 1, append("" + n), 5));
    }
    assertEquals(5, snapshots());
    assertEquals(12, files().size());
  }

  /** Trap 20. */
  @Test
  void keepsSnapshotsThatATagNeeds() {
    commit(0, 1);
    long tagged = load().currentSnapshot().snapshotId();
    load().manageSnapshots().createTag("release", tagged).commit();
    for (int n = 1; n < 12; n++) {
      commits.commit(request(n, n + 1, append("" + n), 5));
    }
    assertEquals(6, snapshots());
    assertTrue(load().snapshot(tagged) != null);
  }

  /**
   * Trap 41: an expiry that was staged before a rollback fails with its commit, and the next
   * attempt keeps what main reaches by then.
   */
  @Test
  void anExpiryThatMeetsARollbackEmptiesNothing() {
    commit(0, 1);
    long first = load().currentSnapshot().snapshotId();
    for (int n = 1; n < 5; n++) {
      commit(n, n + 1);
    }
    boolean[] rolledBack = {false};
    BaseListener another =
        post -> {
          if (!rolledBack[0]) {
            rolledBack[0] = true;
            assertTrue(post.expired().stream().anyMatch(expired -> expired.snapshotId() == first));
            load().manageSnapshots().rollbackTo(first).commit();
          }
        };
    assertInstanceOf(
        CommitOutcome.Landed.class, commits.commit(request(5, 6, append("6"), 2, another)));
    assertTrue(rolledBack[0]);
    assertEquals(List.of("1", "6"), files());
    assertTrue(load().snapshot(first) != null);
  }

  @Test
  void expiresNothingWhereCollectionIsOff() {
    load().updateProperties().set("gc.enabled", "false").commit();
    for (int n = 0; n < 8; n++) {
      commits.commit(request(n, n + 1, append("" + n), 5));
    }
    assertEquals(8, snapshots());
  }

  @Test
  void aChangeThatNoLongerAppliesIsDoneOver() {
    CommitOutcome outcome = commits.commit(request(0, 1, _ -> null, 100));
    assertInstanceOf(CommitOutcome.Stale.class, outcome);
    assertEquals(0, catalog.posts());
  }

  private CommitOutcome commit(int before, int after) {
    return commits.commit(request(before, after, append("" + after), 100));
  }

  private CommitRequest request(int before, int after, TableChange change, int cap) {
    return request(before, after, change, cap, _ -> {});
  }

  private CommitRequest request(
      int before, int after, TableChange change, int cap, BaseListener listener) {
    Map<String, String> expected = before == 0 ? Map.of() : Map.of(KEY, "" + before);
    return new CommitRequest(
        catalog,
        TABLE,
        uuid,
        new CommitRequest.Marks(PREFIX, expected, Map.of(KEY, "" + after)),
        change,
        Map.of(),
        cap,
        "",
        listener);
  }

  private static TableChange append(String name) {
    return base -> base.newAppend().appendFile(file(name));
  }

  private static DataFile file(String name) {
    return DataFiles.builder(org.apache.iceberg.PartitionSpec.unpartitioned())
        .withPath("data/" + name)
        .withFormat(FileFormat.PARQUET)
        .withFileSizeInBytes(10)
        .withRecordCount(1)
        .build();
  }

  private Table load() {
    return catalog.loadTable(TABLE);
  }

  private int snapshots() {
    int count = 0;
    for (Snapshot _ : load().snapshots()) {
      count++;
    }
    return count;
  }

  private List<String> files() {
    List<String> names = new ArrayList<>();
    try (CloseableIterable<FileScanTask> tasks = load().newScan().planFiles()) {
      tasks.forEach(task -> names.add(task.file().location().substring("data/".length())));
    } catch (java.io.IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
    return names.stream().sorted().toList();
  }
}
