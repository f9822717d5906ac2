package io.wings.worker.orphan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.wings.catalog.commit.FaultyCatalog.Fault;
import io.wings.catalog.table.AdoptedTable;
import io.wings.common.cluster.Keys;
import io.wings.common.error.WingsException;
import io.wings.common.objectstore.Body;
import io.wings.common.objectstore.ForwardingStore;
import io.wings.common.objectstore.ObjectHead;
import io.wings.common.objectstore.ObjectStore;
import io.wings.common.objectstore.PutCondition;
import io.wings.common.objectstore.PutOutcome;
import io.wings.common.objectstore.StoreException;
import io.wings.common.objectstore.StoredObject;
import io.wings.worker.ledger.Ledgers;
import io.wings.worker.materialize.MaterializePass;
import io.wings.worker.materialize.MaterializeSettings;
import io.wings.worker.materialize.RowWriter;
import io.wings.worker.materialize.Workbench;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.iceberg.HasTableOperations;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.SortOrder;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableOperations;
import org.junit.jupiter.api.Test;

class OrphanRemovalTest extends OrphanCase {
  /** A pass whose post is sent and arrives only when it is delivered; then its worker dies. */
  private void delayedPass(AdoptedTable table) {
    bench.catalog.next(Fault.DELAYED);
    RowWriter dying =
        (target, batches) -> {
          var written = bench.writer.append(target, batches);
          bench.catalog.failLoadsAfterPost(1_000);
          return written;
        };
    assertThrows(WingsException.class, () -> bench.pass().run(table.id(), bench.tenant, dying));
    bench.catalog.failLoads(0);
  }

  @Test
  void removesWhatADeadPassUploaded() throws InterruptedException {
    AdoptedTable table = bench.create(Map.of());
    bench.segments(table, 1, 3);
    deadPass(table);
    bench.run(table);
    assertEquals(2, files.data().size());
    later();
    assertEquals(new OrphanRemoval.Report(1, 0, 0, List.of()), run(table));
    assertEquals(2, files.data().size(), "closed, and left alone once more");
    assertEquals(OrphanRemoval.Report.NOTHING, run(table), "not yet");
    later();
    assertEquals(1, run(table).files().size());
    assertEquals(new TreeSet<>(bench.paths()), files.data());
    assertEquals(List.of(), bench.ledgers(table.id()));
  }

  @Test
  void theGraceTimeProtectsAPassThatRuns() throws InterruptedException {
    AdoptedTable table = bench.create(Map.of());
    bench.segments(table, 1, 3);
    deadPass(table);
    bench.time.sleep(GRACE.minusMillis(1));
    assertEquals(OrphanRemoval.Report.NOTHING, run(table));
  }

  /** Trap 42: a pass that slept through all of it posts nothing. */
  @Test
  void noPostFollowsAClosedLedger() throws InterruptedException {
    AdoptedTable table = bench.create(Map.of());
    bench.segments(table, 1, 3);
    RowWriter sleeping =
        (target, batches) -> {
          var written = bench.writer.append(target, batches);
          later();
          run(table);
          later();
          run(table);
          return written;
        };
    WingsException error =
        assertThrows(
            WingsException.class, () -> bench.pass().run(table.id(), bench.tenant, sleeping));
    assertEquals("ledger-closed", error.code());
    assertEquals(List.of(), bench.paths());
    bench.run(table);
    assertNoneNeededIsGone();
  }

  /** Its ledger is gone by the time that it writes manifests, and nobody else knows of them. */
  @Test
  void whatAPassWritesAfterItsLedgerWasWorkedThroughIsRemoved() throws InterruptedException {
    AdoptedTable table = bench.create(Map.of());
    bench.segments(table, 1, 3);
    RowWriter sleeping =
        (target, batches) -> {
          later();
          run(table);
          later();
          run(table);
          assertEquals(List.of(), bench.ledgers(table.id()));
          return bench.writer.append(target, batches);
        };
    WingsException error =
        assertThrows(
            WingsException.class, () -> bench.pass().run(table.id(), bench.tenant, sleeping));
    assertEquals("ledger-closed", error.code());
    assertEquals(1, files.data().size());
    bench.run(table);
    later();
    assertEquals(3, run(table).files().size(), "a data file, a manifest and its list");
    assertEquals(new TreeSet<>(bench.paths()), files.data());
    assertEquals(List.of(), bench.ledgers(table.id()));
  }

  /** Between its manifests and the note that it is about to post, in an attempt after the first. */
  @Test
  void whatAPassWroteAndDidntComeToPostIsRemoved() throws InterruptedException {
    AdoptedTable table = bench.create(Map.of());
    bench.segments(table, 1, 3);
    AtomicInteger notes = new AtomicInteger();
    ObjectStore dying =
        new ForwardingStore(bench.store) {
          @Override
          public PutOutcome put(String key, Body body, PutCondition condition) {
            if (key.contains("/passes/") && notes.incrementAndGet() > 2) {
              throw new StoreException("killed", false, null);
            }
            return super.put(key, body, condition);
          }
        };
    bench.catalog.next(Fault.LOST);
    assertThrows(
        StoreException.class,
        () ->
            bench
                .pass(dying, MaterializeSettings.DEFAULT)
                .run(table.id(), bench.tenant, bench.writer));
    bench.run(table);
    assertEquals(1 + 6, files.metadata().size(), "adoption's list; a manifest and a list thrice");
    later();
    run(table);
    later();
    assertEquals(1 + 4, run(table).files().size(), "a data file, and what two attempts wrote");
    assertEquals(1 + 2, files.metadata().size());
    assertNoneNeededIsGone();
    assertEquals(30, bench.visible().size());
    assertEquals(List.of(), bench.ledgers(table.id()));
  }

  /** The commit lands, and what its first attempt wrote is nobody's. */
  @Test
  void whatAnAttemptBeforeTheLandingOneWroteIsRemoved() throws InterruptedException {
    AdoptedTable table = bench.create(Map.of());
    bench.segments(table, 1, 3);
    bench.catalog.next(Fault.LOST);
    bench.run(table);
    assertEquals(1 + 4, files.metadata().size());
    later();
    run(table);
    later();
    assertEquals(2, run(table).files().size());
    assertEquals(1 + 2, files.metadata().size());
    assertEquals(30, bench.visible().size());
    assertEquals(List.of(), bench.ledgers(table.id()));
  }

  /** The ledger's id isn't the first part of their names. */
  @Test
  void filesInTheLayoutOfObjectStoresAreFoundToo() throws InterruptedException {
    AdoptedTable table =
        bench.create(
            Map.of(
                "write.object-storage.enabled",
                "true",
                "write.object-storage.partitioned-paths",
                "false"));
    bench.segments(table, 1, 3);
    deadPass(table);
    bench.run(table);
    later();
    run(table);
    later();
    assertEquals(1, run(table).files().size());
    assertEquals(new TreeSet<>(bench.paths()), files.data());
    assertNoneNeededIsGone();
  }

  /** Between the ledger's opening and the commit, by another engine. */
  @Test
  void noManifestIsWrittenWhereTheLedgerDoesntSay() throws InterruptedException {
    AdoptedTable table = bench.create(Map.of());
    bench.segments(table, 1, 3);
    RowWriter overtaken =
        (target, batches) -> {
          var written = bench.writer.append(target, batches);
          bench
              .table()
              .updateProperties()
              .set("write.metadata.path", bench.table().location() + "/elsewhere")
              .commit();
          return written;
        };
    assertEquals(
        MaterializePass.Result.MORE, bench.pass().run(table.id(), bench.tenant, overtaken));
    bench.run(table);
    later();
    run(table);
    later();
    assertEquals(1, run(table).files().size(), "the first pass's data file");
    assertEquals(30, bench.visible().size());
    assertEquals(List.of(), bench.ledgers(table.id()));
  }

  /** Decision 8: what older versions have written is read. */
  @Test
  void aLedgerOfAnOlderVersionIsWorkedThrough() throws InterruptedException {
    AdoptedTable table = bench.create(Map.of());
    String older =
        """
        {"worker":"w","opened":"2026-11-01T00:00:00Z","incarnation":"i","ranges":[],
         "location":"%s/data","closed":false,"base_snapshot":0,"base_sequence":-1,
         "manifest_lists":["/db/t/metadata/snap-1.avro"],"expired":[],"put_id":"x"}
        """
            .formatted(bench.table().location());
    bench.store.put(
        Keys.ledger(table.id(), "a".repeat(32)),
        Body.of(older.getBytes(StandardCharsets.UTF_8)),
        PutCondition.ifAbsent());
    later();
    assertEquals(1, run(table).closed());
    later();
    assertEquals(1, run(table).done());
    assertEquals(List.of(), bench.ledgers(table.id()));
  }

  /** Iceberg merges manifests; one that was merged before a list named it is nobody's. */
  @Test
  void aManifestThatWasMergedBeforeAListNamedItIsRemoved() throws InterruptedException {
    AdoptedTable table = bench.create(Map.of("commit.manifest.min-count-to-merge", "2"));
    commits(table, 1, 4);
    later();
    run(table);
    later();
    List<String> removed = run(table).files();
    assertFalse(removed.isEmpty());
    assertTrue(removed.stream().allMatch(file -> file.endsWith("-m0.avro")), removed.toString());
    assertNoneNeededIsGone();
    assertEquals(30, bench.visible().size());
    assertEquals(List.of(), bench.ledgers(table.id()));
  }

  /** Trap 22: while main is where the last post was made, that post may still land. */
  @Test
  void whatMayStillLandStays() throws InterruptedException {
    AdoptedTable table = bench.create(Map.of());
    bench.segments(table, 1, 3);
    delayedPass(table);
    for (int i = 0; i < 3; i++) {
      later();
      run(table);
    }
    assertEquals(1, files.data().size());
    assertEquals(1, bench.catalog.deliver());
    later();
    assertEquals(0, run(table).files().size());
    assertNoneNeededIsGone();
    assertEquals(30, bench.visible().size());
    assertEquals(List.of(), bench.ledgers(table.id()));
  }

  /** Trap 22: another branch's commits raise the table's sequence number, not main's. */
  @Test
  void aCommitToAnotherBranchPassesNothing() throws InterruptedException {
    AdoptedTable table = bench.create(Map.of());
    bench.segments(table, 1, 3);
    TableOperations operations = ((HasTableOperations) bench.table()).operations();
    TableMetadata base = operations.current();
    operations.commit(
        base,
        base.buildReplacement(
            base.schema(),
            PartitionSpec.unpartitioned(),
            SortOrder.unsorted(),
            base.location(),
            Map.of()));
    delayedPass(table);
    bench.table().newFastAppend().toBranch("other").commit();
    for (int i = 0; i < 3; i++) {
      later();
      run(table);
    }
    assertEquals(1, files.data().size());
    assertEquals(1, bench.catalog.deliver());
    assertNoneNeededIsGone();
    assertEquals(30, bench.visible().size());
  }

  /** Trap 22: once main has passed it, it can't. */
  @Test
  void whatCantLandAnyMoreGoes() throws InterruptedException {
    AdoptedTable table = bench.create(Map.of());
    bench.segments(table, 1, 3);
    delayedPass(table);
    bench.run(table);
    assertEquals(0, bench.catalog.deliver());
    later();
    run(table);
    later();
    List<String> gone = run(table).files();
    assertTrue(gone.stream().anyMatch(name -> name.endsWith(".parquet")));
    assertTrue(gone.stream().anyMatch(name -> name.contains("snap-")), "its manifest list too");
    assertNoneNeededIsGone();
    assertEquals(30, bench.visible().size());
  }

  @Test
  void aTagOrABranchKeepsWhatMainNoLongerHas() throws InterruptedException {
    AdoptedTable table = bench.create(Map.of("wings.max-snapshots", "2"));
    bench.segments(table, 1, 1);
    bench.run(table);
    Snapshot first = bench.table().currentSnapshot();
    bench.table().manageSnapshots().createTag("kept", first.snapshotId()).commit();
    bench.table().newDelete().deleteFile(bench.paths().getFirst()).commit();
    for (int number = 2; number < 8; number++) {
      bench.segment(table, number, 10);
      bench.run(table);
    }
    assertFalse(bench.ledgers(table.id()).isEmpty(), "they tell of expired snapshots");
    for (int i = 0; i < 2; i++) {
      later();
      run(table);
    }
    assertEquals(7, files.data().size(), "the tag's file stays");
    assertEquals(List.of(), bench.ledgers(table.id()));
    bench.table().manageSnapshots().removeTag("kept").commit();
  }

  @Test
  void filesOfExpiredSnapshotsGo() throws InterruptedException {
    AdoptedTable table = bench.create(Map.of("wings.max-snapshots", "2"));
    bench.segments(table, 1, 1);
    bench.run(table);
    String removed = bench.paths().getFirst();
    bench.table().newDelete().deleteFile(removed).commit();
    List<String> lists = new java.util.ArrayList<>();
    for (int number = 2; number < 8; number++) {
      bench.segment(table, number, 10);
      bench.run(table);
      lists.add(bench.table().currentSnapshot().manifestListLocation());
    }
    for (int i = 0; i < 2; i++) {
      later();
      run(table);
    }
    assertFalse(files.data().contains(removed));
    assertTrue(files.deleted.contains(lists.getFirst()));
    assertFalse(files.deleted.contains(lists.getLast()));
    assertNoneNeededIsGone();
    assertEquals(60, bench.visible().size());
  }

  /** The ledger is old, its file left main of late: whoever reads that snapshot still needs it. */
  @Test
  void whatWasInMainOfLateStaysForItsReaders() throws InterruptedException {
    AdoptedTable table = bench.create(Map.of("wings.max-snapshots", "2"));
    bench.segments(table, 1, 1);
    bench.run(table);
    String file = bench.paths().getFirst();
    commits(table, 2, 6);
    later();
    run(table);
    later();
    bench.table().newDelete().deleteFile(file).commit();
    commits(table, 6, 10);
    assertFalse(run(table).files().isEmpty(), "the old ledgers are worked through");
    assertTrue(files.data().contains(file));
    for (int i = 0; i < 2; i++) {
      later();
      run(table);
    }
    assertFalse(files.data().contains(file));
    assertEquals(List.of(), bench.ledgers(table.id()));
  }

  /** However many ledgers there are, and whichever of them says so. */
  @Test
  void whatAnyOfManyLedgersExpiredOfLateStays() throws InterruptedException {
    AdoptedTable table = bench.create(Map.of("wings.max-snapshots", "2"));
    bench.segments(table, 1, 1);
    bench.run(table);
    String file = bench.paths().getFirst();
    commits(table, 2, 6);
    later();
    run(table);
    later();
    Ledgers ledgers = new Ledgers(bench.store, "w", bench.time, bench.ids);
    for (int i = 0; i < 300; i++) {
      var _ =
          ledgers.open(
              table.id(),
              table.watermarks().incarnation(),
              List.of(),
              "memory:/none",
              "memory:/none");
    }
    bench.time.sleep(Duration.ofSeconds(1));
    bench.table().newDelete().deleteFile(file).commit();
    commits(table, 6, 10);
    assertFalse(run(table).files().isEmpty(), "the old ledgers are worked through");
    assertTrue(files.data().contains(file));
  }

  /** A table that is busy has so many that some reads of them fail, in every run. */
  @Test
  void oneFailedReadOfManyEndsNoRun() throws InterruptedException {
    AdoptedTable table = bench.create(Map.of());
    bench.segments(table, 1, 3);
    deadPass(table);
    bench.run(table);
    later();
    run(table);
    later();
    Ledgers ledgers = new Ledgers(bench.store, "w", bench.time, bench.ids);
    for (int i = 0; i < 500; i++) {
      var _ =
          ledgers.open(
              table.id(),
              table.watermarks().incarnation(),
              List.of(),
              "memory:/none",
              "memory:/none");
    }
    AtomicInteger calls = new AtomicInteger();
    Runnable maybe =
        () -> {
          if (calls.incrementAndGet() % 50 == 0) {
            throw new StoreException("503", true, null);
          }
        };
    ObjectStore flaky =
        new ForwardingStore(bench.store) {
          @Override
          public Optional<StoredObject> get(String key) {
            maybe.run();
            return super.get(key);
          }

          @Override
          public Iterator<ObjectHead> list(String prefix, String startAfter) {
            Iterator<ObjectHead> all = super.list(prefix, startAfter);
            return new Iterator<>() {
              @Override
              public boolean hasNext() {
                maybe.run();
                return all.hasNext();
              }

              @Override
              public ObjectHead next() {
                return all.next();
              }
            };
          }
        };
    assertEquals(1, run(table, new OrphanSettings(GRACE, false), flaky).files().size());
    assertTrue(calls.get() > 1_500, "two listings, and each ledger was read: " + calls);
    assertEquals(500, bench.ledgers(table.id()).size());
  }

  @Test
  void nothingGoesWhereCollectionIsOff() throws InterruptedException {
    AdoptedTable table = bench.create(Map.of("gc.enabled", "false"));
    bench.segments(table, 1, 3);
    deadPass(table);
    bench.run(table);
    for (int i = 0; i < 3; i++) {
      later();
      assertEquals(OrphanRemoval.Report.NOTHING, run(table));
    }
    assertEquals(2, files.data().size());
  }

  /** P6. */
  @Test
  void aTableThatDoesntLoadLosesNothing() throws InterruptedException {
    AdoptedTable table = bench.create(Map.of());
    bench.segments(table, 1, 3);
    deadPass(table);
    later();
    bench.catalog.dropTable(Workbench.TABLE, false);
    for (int i = 0; i < 3; i++) {
      later();
      assertThrows(WingsException.class, () -> run(table));
    }
    assertEquals(1, files.data().size());
    assertEquals(1, bench.ledgers(table.id()).size());
  }

  @Test
  void aRunThatFailsHalfWayIsDoneAgain() throws InterruptedException {
    AdoptedTable table = bench.create(Map.of());
    bench.segments(table, 1, 3);
    deadPass(table);
    bench.run(table);
    later();
    run(table);
    later();
    files.failDeletes(true);
    assertEquals(
        "orphans-unavailable", assertThrows(WingsException.class, () -> run(table)).code());
    assertEquals(1, bench.ledgers(table.id()).size());
    files.failDeletes(false);
    assertEquals(OrphanRemoval.Report.NOTHING, run(table), "it comes back in its time");
    later();
    assertEquals(1, run(table).files().size());
    assertEquals(List.of(), bench.ledgers(table.id()));
  }

  /** An object under a lock, say. */
  @Test
  void aFileThatCantBeDeletedKeepsNoneOfTheOthers() throws InterruptedException {
    AdoptedTable table = bench.create(Map.of());
    bench.segments(table, 1, 3);
    deadPass(table);
    String locked = files.data().iterator().next();
    deadPass(table);
    bench.run(table);
    later();
    run(table);
    later();
    files.failDeletesOf(locked);
    WingsException error = assertThrows(WingsException.class, () -> run(table));
    assertTrue(error.toString().contains("1 of 2 can't be deleted"), error.toString());
    assertTrue(error.toString().contains(locked), error.toString());
    Set<String> there = new TreeSet<>(bench.paths());
    there.add(locked);
    assertEquals(there, files.data());
    assertEquals(1, bench.ledgers(table.id()).size());
    files.failDeletes(false);
    later();
    assertEquals(List.of(locked), List.copyOf(shortened(run(table).files())));
    assertEquals(List.of(), bench.ledgers(table.id()));
  }

  private static Set<String> shortened(List<String> locations) {
    Set<String> shortened = new TreeSet<>();
    locations.forEach(each -> shortened.add(each.replaceFirst("^//+", "/")));
    return shortened;
  }

  @Test
  void aDryRunSaysAndDoesNothing() throws InterruptedException {
    AdoptedTable table = bench.create(Map.of());
    bench.segments(table, 1, 3);
    deadPass(table);
    bench.run(table);
    later();
    OrphanSettings dry = new OrphanSettings(GRACE, true);
    assertEquals(1, run(table, dry).closed());
    assertEquals(1, run(table, dry).closed(), "it was not closed");
    run(table);
    later();
    assertEquals(1, run(table, dry).files().size());
    assertEquals(2, files.data().size());
    assertEquals(1, bench.ledgers(table.id()).size());
  }
}
