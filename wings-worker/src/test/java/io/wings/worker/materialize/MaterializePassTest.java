package io.wings.worker.materialize;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.wings.catalog.commit.FaultyCatalog.Fault;
import io.wings.catalog.commit.TableCommits;
import io.wings.catalog.table.AdoptedTable;
import io.wings.catalog.table.Quarantine;
import io.wings.common.cas.JsonCodec;
import io.wings.common.cluster.Keys;
import io.wings.common.error.ErrorKind;
import io.wings.common.error.WingsException;
import io.wings.common.objectstore.Body;
import io.wings.common.objectstore.Faults;
import io.wings.common.objectstore.FaultyStore;
import io.wings.common.objectstore.ObjectStore;
import io.wings.common.objectstore.PutCondition;
import io.wings.common.retry.Backoff;
import io.wings.common.wal.Boundaries;
import io.wings.common.wal.Boundary;
import io.wings.worker.ledger.LedgerFile;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.LongStream;
import org.apache.iceberg.DataFiles;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.types.Types;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

@ParameterizedClass
@ValueSource(booleans = {false, true})
class MaterializePassTest {
  private final Workbench bench;

  MaterializePassTest(boolean rest) {
    bench = new Workbench(7, rest);
  }

  @AfterEach
  void close() {
    bench.close();
  }

  private void assertEachRowOnce() {
    assertEquals(LongStream.rangeClosed(1, bench.rows()).boxed().toList(), bench.visible());
  }

  /** P1, P5. */
  @Test
  void filesAndWatermarkAreOneCommit() throws InterruptedException {
    AdoptedTable table = bench.create(Map.of());
    bench.segments(table, 1, 5);
    int before = bench.catalog.posts();
    assertEquals(MaterializePass.Result.DONE, bench.run(table));
    assertEachRowOnce();
    assertEquals("5", bench.watermark());
    assertEquals(before + 1, bench.catalog.posts());
    Snapshot snapshot = bench.table().currentSnapshot();
    assertEquals("50", snapshot.summary().get("added-records"));
    assertTrue(snapshot.summary().containsKey(TableCommits.ATTEMPT));
    assertEquals(List.of(5L), bench.file(table.id()).watermarks());
  }

  @Test
  void nothingToDoIsNoCommit() throws InterruptedException {
    AdoptedTable table = bench.create(Map.of());
    int before = bench.catalog.posts();
    assertEquals(MaterializePass.Result.DONE, bench.run(table));
    assertEquals(before, bench.catalog.posts());
    assertEquals(List.of(), bench.ledgers(table.id()));
  }

  @Test
  void segmentsWithoutRowsMoveTheWatermarkToo() throws InterruptedException {
    AdoptedTable table = bench.create(Map.of());
    bench.segment(table, 1, 0);
    bench.segment(table, 2, 3);
    bench.segment(table, 3, 0);
    bench.run(table);
    assertEachRowOnce();
    assertEquals("3", bench.watermark());
    bench.segment(table, 4, 0);
    bench.run(table);
    assertEquals("4", bench.watermark());
    assertEachRowOnce();
  }

  /** Traps 6 and 7. */
  @ParameterizedTest
  @EnumSource(Fault.class)
  void eachRowOnceWhateverBecomesOfThePost(Fault fault) throws InterruptedException {
    AdoptedTable table = bench.create(Map.of());
    bench.segments(table, 1, 3);
    bench.catalog.next(fault);
    bench.run(table);
    bench.catalog.deliver();
    bench.segments(table, 4, 5);
    bench.run(table);
    assertEachRowOnce();
    assertEquals("5", bench.watermark());
    assertEquals(List.of(), bench.catalog.deletes());
    int left =
        switch (fault) {
          // It tells of the manifests of a post that failed.
          case LOST, ERROR, DELAYED -> 1;
          case NONE, LANDED_UNKNOWN, LANDED_CONFLICT, LANDED_ERROR -> 0;
        };
    assertEquals(left, bench.ledgers(table.id()).size());
  }

  /** Trap 6: the worker died after its post, or never heard how it ended. */
  @Test
  void theNextWorkerSeesACommitWhoseAnswerWasLost() throws InterruptedException {
    AdoptedTable table = bench.create(Map.of());
    bench.segments(table, 1, 3);
    bench.catalog.next(Fault.LANDED_UNKNOWN);
    bench.catalog.onceLanded(() -> bench.catalog.failLoads(1000));
    WingsException error = assertThrows(WingsException.class, () -> bench.run(table));
    assertEquals(ErrorKind.UNAVAILABLE, error.kind());
    assertEquals(1, bench.ledgers(table.id()).size(), "nobody knows: the ledger stays");
    bench.catalog.failLoads(0);
    bench.run(table);
    assertEachRowOnce();
    assertEquals(1, bench.writer.calls());
  }

  /** Trap 4: a foreign replace snapshot hides the watermark. */
  @Test
  void aForeignCompactionHidesNothing() throws InterruptedException {
    AdoptedTable table = bench.create(Map.of());
    bench.segments(table, 1, 3);
    bench.run(table);
    Table loaded = bench.table();
    var rewrite = loaded.newRewrite();
    try (var tasks = loaded.newScan().planFiles()) {
      tasks.forEach(
          task -> {
            rewrite.deleteFile(task.file());
            rewrite.addFile(
                DataFiles.builder(loaded.spec())
                    .copy(task.file())
                    .withPath(task.file().location() + ".rewritten")
                    .build());
          });
    } catch (java.io.IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
    rewrite.commit();
    assertEquals("replace", bench.table().currentSnapshot().operation());
    bench.segments(table, 4, 4);
    bench.run(table);
    assertEquals("4", bench.watermark());
    assertEquals(2, bench.paths().size());
    assertEquals(LongStream.rangeClosed(31, 40).boxed().toList(), bench.visible());
  }

  /** Trap 5: expire_snapshots(retain_last = 1) after a foreign commit. */
  @Test
  void expiryOfEveryWingsSnapshotLosesNothing() throws InterruptedException {
    AdoptedTable table = bench.create(Map.of());
    bench.segments(table, 1, 3);
    bench.run(table);
    bench
        .table()
        .newAppend()
        .appendFile(
            DataFiles.builder(bench.table().spec())
                .withPath("foreign")
                .withFormat(FileFormat.PARQUET)
                .withFileSizeInBytes(1)
                .withRecordCount(1)
                .build())
        .commit();
    bench
        .table()
        .expireSnapshots()
        .expireOlderThan(Long.MAX_VALUE)
        .retainLast(1)
        .cleanupLevel(org.apache.iceberg.ExpireSnapshots.CleanupLevel.NONE)
        .commit();
    bench.segments(table, 4, 5);
    bench.run(table);
    assertEachRowOnce();
  }

  @Test
  void rowsThatWereRolledBackStayAway() throws InterruptedException {
    AdoptedTable table = bench.create(Map.of());
    bench.segments(table, 1, 1);
    bench.run(table);
    long good = bench.table().currentSnapshot().snapshotId();
    bench.segments(table, 2, 2);
    bench.run(table);
    bench.table().manageSnapshots().rollbackTo(good).commit();
    bench.segments(table, 3, 3);
    bench.run(table);
    List<Long> expected =
        LongStream.concat(LongStream.rangeClosed(1, 10), LongStream.rangeClosed(21, 30))
            .boxed()
            .toList();
    assertEquals(expected, bench.visible());
  }

  /** Trap 13. */
  @Test
  void aPoisonedSegmentStopsItsTableAlone() throws InterruptedException {
    AdoptedTable sick = bench.create(TableIdentifier.of("db", "sick"), Map.of());
    AdoptedTable well = bench.create(Map.of());
    bench.segments(well, 1, 2);
    long rows = bench.rows();
    bench.segments(sick, 1, 3);
    String key = Keys.segment(sick.lane(0), 2);
    byte[] bytes = bench.store.get(key).orElseThrow().bytes();
    bytes[100] ^= 1;
    bench.store.put(key, Body.of(bytes), PutCondition.any());
    WingsException error = assertThrows(WingsException.class, () -> bench.run(sick));
    assertEquals("segment-corrupt", error.code());
    bench.run(well);
    assertEquals(LongStream.rangeClosed(1, rows).boxed().toList(), bench.visible());
    assertEquals(List.of(0L), bench.file(sick.id()).watermarks(), "nothing is skipped silently");
  }

  @Test
  void aHoleStopsTheTable() {
    AdoptedTable table = bench.create(Map.of());
    bench.segments(table, 1, 4);
    bench.store.delete(Keys.segment(table.lane(0), 3));
    assertEquals("segment-missing", error(table));
    assertEquals("0", bench.watermark());
    bench.store.delete(Keys.segment(table.lane(0), 1));
    assertEquals("segment-missing", error(table));
  }

  /** Trap 33: a prefix that was restored to an older state. */
  @Test
  void aWatermarkBeyondTheLogStopsTheTable() throws InterruptedException {
    AdoptedTable table = bench.create(Map.of());
    bench.segments(table, 1, 4);
    bench.run(table);
    bench.store.delete(Keys.segment(table.lane(0), 4));
    assertEquals("watermark-ahead", error(table));
    bench.segment(table, 4, 1);
    assertEquals(MaterializePass.Result.DONE, bench.run(table));
  }

  @Test
  void aTableThatAnotherCatalogAdoptedGetsNoRows() throws InterruptedException {
    AdoptedTable table = bench.create(Map.of());
    bench.segments(table, 1, 2);
    String mark = bench.table().properties().getOrDefault("wings.watermark.0", "");
    String others = mark.replace("/main/", "/other/");
    bench.table().updateProperties().set("wings.watermark.0", others).commit();
    assertEquals("table-adopted-elsewhere", error(table));
    assertEquals(List.of(), bench.paths());
  }

  @Test
  void aMissingWatermarkIsNeverZero() throws InterruptedException {
    AdoptedTable table = bench.create(Map.of());
    bench.segments(table, 1, 2);
    bench.run(table);
    bench.table().updateProperties().remove("wings.watermark.0").commit();
    assertEquals("watermark-missing", error(table));
    assertEachRowOnce();
  }

  /** Trap 26. */
  @Test
  void aWatermarkThatFellStopsTheTable() throws InterruptedException {
    AdoptedTable table = bench.create(Map.of());
    bench.segments(table, 1, 2);
    bench.run(table);
    String old = bench.table().properties().getOrDefault("wings.watermark.0", "");
    bench.segments(table, 3, 4);
    bench.run(table);
    bench.table().updateProperties().set("wings.watermark.0", old).commit();
    assertEquals("watermark-fell", error(table));
    assertEachRowOnce();
  }

  @Test
  void aRenameIsFollowedIntoAnotherNamespaceAndPastANamesake() throws InterruptedException {
    AdoptedTable table = bench.create(Map.of());
    bench.segments(table, 1, 2);
    bench.catalog.createNamespace(Namespace.of("archive"));
    TableIdentifier renamed = TableIdentifier.of("archive", "old");
    bench.catalog.renameTable(Workbench.TABLE, renamed);
    AdoptedTable namesake = bench.create(Map.of());
    bench.run(table);
    assertEquals(renamed, bench.file(table.id()).identifier());
    assertEquals(Workbench.TABLE, bench.file(namesake.id()).identifier());
    assertEquals(List.of(), bench.visible(), "the namesake has none of its rows");
    assertEquals(2, bench.file(table.id()).watermarks().getFirst());
  }

  /** A worker that slept through another's pass and the prune after it. */
  @Test
  void aPassWhoseSegmentsWerePrunedBeginsAnew() throws InterruptedException {
    AdoptedTable table = bench.create(Map.of());
    bench.segments(table, 1, 4);
    boolean[] first = {true};
    MaterializePass.Result result =
        bench
            .pass()
            .run(
                table.id(),
                bench.tenant,
                (target, batches) -> {
                  if (first[0]) {
                    first[0] = false;
                    bench.run(table);
                    prune(table, 3);
                    for (long number = 1; number <= 3; number++) {
                      bench.store.delete(Keys.segment(table.lane(0), number));
                    }
                  }
                  return bench.writer.append(target, batches);
                });
    assertEquals(MaterializePass.Result.MORE, result);
    assertEachRowOnce();
    assertEquals("4", bench.watermark());
  }

  @Test
  void whatAQuarantinedSegmentHeldIsReportedAndItsNumberAudited() throws InterruptedException {
    AdoptedTable table = bench.create(Map.of());
    bench.segments(table, 1, 3);
    String key = Keys.segment(table.lane(0), 2);
    byte[] whole = bench.store.get(key).orElseThrow().bytes();
    whole[whole.length / 3] ^= 1;
    bench.store.put(key, Body.of(whole), PutCondition.any());
    assertEquals("segment-corrupt", error(table));
    Quarantine quarantine = new Quarantine(bench.store, bench.time, bench.ids);
    assertEquals(Optional.of(Keys.quarantined(table.lane(0), 2)), quarantine.put(table.lane(0), 2));
    bench.run(table);
    assertEquals("3", bench.watermark());
    assertEquals(20, bench.visible().size());
    assertEquals("0/2", bench.table().currentSnapshot().summary().get("wings.quarantined"));
    assertTrue(bench.store.head(Keys.quarantined(table.lane(0), 2)).isPresent());
  }

  /** Trap 3: age alone never loses a segment. */
  @Test
  void segmentsOfAnyAgeWaitForTheirTable() throws InterruptedException {
    AdoptedTable table = bench.create(Map.of());
    bench.segments(table, 1, 3);
    bench.time.sleep(java.time.Duration.ofDays(3650));
    List<String> before = bench.keys();
    bench.catalog.failLoads(1000);
    assertThrows(WingsException.class, () -> bench.run(table));
    assertEquals(before, bench.keys());
    bench.catalog.failLoads(0);
    bench.run(table);
    assertEachRowOnce();
  }

  /** Trap 46: prune passes by between the read of the boundary and the listing. */
  @Test
  void aBoundaryThatMovesUnderTheLookIsNoContradiction() throws InterruptedException {
    AdoptedTable table = bench.create(Map.of());
    bench.segments(table, 1, 6);
    bench.run(table);
    bench.segments(table, 7, 8);
    String lane = Keys.lane(table.lane(0));
    boolean[] pruned = {false};
    ObjectStore racing =
        new FaultyStore(
            bench.store,
            new Faults() {
              @Override
              public io.wings.common.objectstore.Fault onPut(String key, PutCondition condition) {
                return new io.wings.common.objectstore.Fault.None();
              }

              @Override
              public io.wings.common.objectstore.Fault onOther(String key) {
                if (key.equals(lane) && !pruned[0]) {
                  pruned[0] = true;
                  prune(table, 6);
                }
                return new io.wings.common.objectstore.Fault.None();
              }
            },
            bench.time);
    bench.pass(racing, MaterializeSettings.DEFAULT).run(table.id(), bench.tenant, bench.writer);
    assertTrue(pruned[0]);
    assertEachRowOnce();
  }

  /** Trap 46: after a prune, the segment at the watermark is rightly gone. */
  @Test
  void aPrunedLaneIsReadFromItsWatermark() throws InterruptedException {
    AdoptedTable table = bench.create(Map.of());
    bench.segments(table, 1, 3);
    bench.run(table);
    prune(table, 3);
    assertEquals(MaterializePass.Result.DONE, bench.run(table));
    bench.segments(table, 4, 4);
    bench.run(table);
    assertEachRowOnce();
  }

  @Test
  void aBoundaryBeyondTheWatermarkStopsTheTable() {
    AdoptedTable table = bench.create(Map.of());
    bench.segments(table, 1, 4);
    prune(table, 2);
    assertEquals("boundary-ahead", error(table));
    bench.store.delete(Keys.boundary(table.lane(0)));
    assertEquals("boundary-missing", error(table));
  }

  private void prune(AdoptedTable table, long to) {
    Optional<Boundary> _ =
        new Boundaries(bench.store, bench.time, bench.ids, Backoff.NONE)
            .object(table.lane(0))
            .update(_ -> Optional.of(new Boundary(to, false)));
    for (long number = 1; number <= to; number++) {
      bench.store.delete(Keys.segment(table.lane(0), number));
    }
  }

  /** Trap 42: the ledger names the base before each post, and closing it ends posting. */
  @Test
  void theLedgerKnowsTheBaseOfEveryPost() throws InterruptedException {
    AdoptedTable table = bench.create(Map.of());
    bench.segments(table, 1, 2);
    long main = bench.table().currentSnapshot().snapshotId();
    bench.catalog.next(Fault.LOST, Fault.LANDED_UNKNOWN);
    bench.catalog.onceLanded(() -> bench.catalog.failLoads(1000));
    assertThrows(WingsException.class, () -> bench.run(table));
    LedgerFile ledger = ledger(table);
    assertEquals(main, ledger.baseSnapshot());
    assertEquals(1, ledger.baseSequence());
    assertEquals(List.of(new LedgerFile.Range(0, 1, 2)), ledger.ranges());
    assertFalse(ledger.closed());
    bench.catalog.failLoads(0);
    String id = bench.ledgers(table.id()).getFirst();
    String prefix = id.substring(id.lastIndexOf('/') + 1);
    assertTrue(bench.paths().stream().allMatch(path -> path.contains("/" + prefix)));
  }

  /** Trap 42. */
  @Test
  void noPostFollowsAClosedLedger() {
    AdoptedTable table = bench.create(Map.of());
    bench.segments(table, 1, 2);
    int before = bench.catalog.posts();
    WingsException error =
        assertThrows(
            WingsException.class,
            () -> bench.pass().run(table.id(), bench.tenant, closingItsLedger(table)));
    assertEquals("ledger-closed", error.code());
    assertEquals(before, bench.catalog.posts());
    assertEquals(List.of(), bench.visible());
  }

  private RowWriter closingItsLedger(AdoptedTable table) {
    return (target, batches) -> {
      close(Keys.ledger(table.id(), target.filePrefix()));
      return bench.writer.append(target, batches);
    };
  }

  private void close(String key) {
    var codec = new JsonCodec<>(LedgerFile.class);
    LedgerFile open = codec.decode(bench.store.get(key).orElseThrow().bytes()).value();
    LedgerFile closed =
        new LedgerFile(
            open.worker(),
            open.opened(),
            open.incarnation(),
            open.ranges(),
            open.location(),
            open.metadataLocation(),
            true,
            open.refused(),
            open.baseSnapshot(),
            open.baseSequence(),
            open.expired());
    bench.store.put(key, codec.encode(closed, "x"), PutCondition.any());
  }

  private LedgerFile ledger(AdoptedTable table) {
    String key = bench.ledgers(table.id()).getFirst();
    return new JsonCodec<>(LedgerFile.class)
        .decode(bench.store.get(key).orElseThrow().bytes())
        .value();
  }

  /** Trap 42: two workers with one task; the loser deletes nothing. */
  @Test
  void aPassThatAnotherOvertookStopsWithoutDeleting() throws InterruptedException {
    AdoptedTable table = bench.create(Map.of());
    bench.segments(table, 1, 3);
    assertEquals(
        MaterializePass.Result.MORE,
        bench.pass().run(table.id(), bench.tenant, overtakenBy(table)));
    assertEachRowOnce();
    assertEquals(List.of(), bench.catalog.deletes());
    assertEquals(1, bench.ledgers(table.id()).size(), "its files are nobody's yet");
  }

  @Test
  void aForeignAppendCostsNoRewrite() throws InterruptedException {
    AdoptedTable table = bench.create(Map.of());
    bench.segments(table, 1, 3);
    bench.pass().run(table.id(), bench.tenant, withAForeignAppend());
    assertEquals(1, bench.writer.calls());
    assertEachRowOnce();
    assertEquals(2, bench.paths().size());
  }

  /** Trap 27: files of an older schema are written anew, not committed under the new one. */
  @Test
  void aSchemaThatChangesDuringThePassIsSeen() throws InterruptedException {
    AdoptedTable table = bench.create(Map.of());
    bench.segments(table, 1, 3);
    assertEquals(
        MaterializePass.Result.MORE,
        bench.pass().run(table.id(), bench.tenant, alteringTheSchema()));
    assertEquals(List.of(), bench.visible());
    bench.run(table);
    assertEachRowOnce();
  }

  @Test
  void anEngineThatLosesRowsIsNotBelieved() {
    AdoptedTable table = bench.create(Map.of());
    bench.segments(table, 1, 3);
    WingsException error =
        assertThrows(
            WingsException.class,
            () -> bench.pass().run(table.id(), bench.tenant, losingItsFiles()));
    assertEquals("rows-lost", error.code());
    assertEquals("0", bench.watermark());
  }

  private RowWriter overtakenBy(AdoptedTable table) {
    return (target, batches) -> {
      var written = bench.writer.append(target, batches);
      bench.run(table);
      return written;
    };
  }

  private RowWriter withAForeignAppend() {
    return (target, batches) -> {
      var written = bench.writer.append(target, batches);
      bench
          .table()
          .newAppend()
          .appendFile(
              DataFiles.builder(bench.table().spec())
                  .withPath("foreign")
                  .withFormat(FileFormat.PARQUET)
                  .withFileSizeInBytes(1)
                  .withRecordCount(1)
                  .build())
          .commit();
      return written;
    };
  }

  private RowWriter alteringTheSchema() {
    return (target, batches) -> {
      var written = bench.writer.append(target, batches);
      bench.table().updateSchema().addColumn("more", Types.LongType.get()).commit();
      return written;
    };
  }

  private RowWriter losingItsFiles() {
    return (target, batches) -> {
      var written = bench.writer.append(target, batches);
      return new io.wings.worker.engine.AppendResult(List.of(), written.rows());
    };
  }

  private String error(AdoptedTable table) {
    return assertThrows(WingsException.class, () -> bench.run(table)).code();
  }
}
