package io.wings.worker.orphan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.wings.catalog.table.AdoptedTable;
import io.wings.common.concurrent.Threads;
import io.wings.common.error.WingsException;
import io.wings.worker.ledger.LedgerFile;
import io.wings.worker.ledger.Ledgers;
import io.wings.worker.materialize.RowWriter;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Whatever won't go, and however much there is: the rest goes. */
class OrphanProgressTest extends OrphanCase {
  private static final OrphanLimits USUAL = OrphanLimits.DEFAULT;

  private static OrphanLimits ledgers(int most) {
    return new OrphanLimits(most, USUAL.kept(), USUAL.files(), USUAL.failuresInARow());
  }

  private static OrphanLimits kept(int ledgers, int most) {
    return new OrphanLimits(ledgers, most, USUAL.files(), USUAL.failuresInARow());
  }

  private static OrphanLimits files(int most) {
    return new OrphanLimits(USUAL.ledgers(), USUAL.kept(), most, USUAL.failuresInARow());
  }

  private static OrphanLimits failuresInARow(int most) {
    return new OrphanLimits(USUAL.ledgers(), USUAL.kept(), USUAL.files(), most);
  }

  private static String name(String key) {
    return key.substring(key.lastIndexOf('/') + 1);
  }

  /** Files of the passes that never landed. */
  private Set<String> orphans() {
    Set<String> orphans = new TreeSet<>(files.data());
    orphans.removeAll(bench.paths());
    return orphans;
  }

  private LedgerFile ledger(AdoptedTable table, String name) {
    return new Ledgers(bench.store, "w", bench.time, bench.ids)
        .read(table.id(), name)
        .orElseThrow();
  }

  /** Dead passes over segments that another one brings into the table. */
  private AdoptedTable afterDeadPasses(int passes) throws InterruptedException {
    AdoptedTable table = bench.create(Map.of());
    bench.segments(table, 1, 3);
    for (int i = 0; i < passes; i++) {
      deadPass(table);
    }
    bench.run(table);
    return table;
  }

  /** A dead pass with so many files, closed and due. */
  private AdoptedTable afterADeadPassOf(int fileCount) throws InterruptedException {
    AdoptedTable table = bench.create(Map.of());
    bench.segment(table, 1, fileCount * 100);
    deadPass(table);
    later();
    run(table);
    later();
    assertEquals(fileCount, orphans().size());
    return table;
  }

  @Test
  void aFileThatCantBeDeletedHoldsUpNoOtherPass() throws InterruptedException {
    AdoptedTable table = afterDeadPasses(4);
    String first = bench.ledgers(table.id()).getFirst();
    files.failDeletesOf(name(first));
    int refused = 0;
    for (int i = 0; i < 8; i++) {
      later();
      try {
        OrphanRemoval.Report _ = run(table, ledgers(1));
        OrphanRemoval.Report _ = run(table, ledgers(1));
        OrphanRemoval.Report _ = run(table, ledgers(1));
      } catch (WingsException e) {
        assertEquals("orphans-unavailable", e.code());
        refused++;
      }
    }
    assertTrue(refused > 1, "it is tried, and told of, again and again: " + refused);
    assertEquals(1, orphans().size());
    assertTrue(orphans().iterator().next().contains(name(first)));
    assertEquals(List.of(first), bench.ledgers(table.id()));
    files.failDeletes(false);
    later();
    assertEquals(1, run(table).files().size());
    assertEquals(Set.of(), orphans());
  }

  @Test
  void manyFilesThatCantBeDeletedHoldUpNoneBehindThem() throws InterruptedException {
    AdoptedTable table = afterADeadPassOf(102);
    String last = new TreeSet<>(orphans()).last();
    files.failDeletesBut(last);
    WingsException error = assertThrows(WingsException.class, () -> run(table));
    assertTrue(error.toString().contains("101 of 102"), error.toString());
    assertFalse(files.data().contains(last));
    assertEquals(101, orphans().size());
    assertEquals(1, bench.ledgers(table.id()).size());
  }

  @Test
  void aStorageThatIsAwayIsNotAskedForEachFile() throws InterruptedException {
    AdoptedTable table = afterADeadPassOf(300);
    files.failDeletes(true);
    assertEquals(
        "orphans-unavailable",
        assertThrows(WingsException.class, () -> run(table, failuresInARow(100))).code());
    assertEquals(OrphanLimits.BATCH, files.asked.get());
    assertEquals(1, bench.ledgers(table.id()).size());
    files.failDeletes(false);
    later();
    assertEquals(300, run(table).files().size());
    assertEquals(List.of(), bench.ledgers(table.id()));
  }

  /** The list and the manifest that lead to it, and the ledger: else it would never be found. */
  @Test
  void whatLeadsToAFileThatStaysIsKept() throws InterruptedException {
    AdoptedTable table = bench.create(Map.of("wings.max-snapshots", "2"));
    bench.segments(table, 1, 1);
    bench.run(table);
    String removed = bench.paths().getFirst();
    bench.table().newDelete().deleteFile(removed).commit();
    commits(table, 2, 8);
    files.failDeletesOf(removed);
    later();
    run(table);
    later();
    assertEquals(
        "orphans-unavailable", assertThrows(WingsException.class, () -> run(table)).code());
    assertFalse(files.deleted.isEmpty(), "others went");
    assertTrue(files.data().contains(removed));
    files.failDeletes(false);
    later();
    assertFalse(run(table).files().isEmpty());
    assertFalse(files.data().contains(removed));
    assertNoneNeededIsGone();
    assertEquals(List.of(), bench.ledgers(table.id()));
  }

  /** The tenant may use it no longer, say. */
  @Test
  void aLocationThatCantBeListedHoldsUpNoOther() throws InterruptedException {
    AdoptedTable table = afterDeadPasses(2);
    Ledgers ledgers = new Ledgers(bench.store, "w", bench.time, bench.ids);
    String refused =
        ledgers
            .open(table.id(), table.watermarks().incarnation(), List.of(), "/refused", "/refused")
            .id();
    files.failListingsOf("/refused");
    later();
    run(table);
    later();
    WingsException error = assertThrows(WingsException.class, () -> run(table));
    assertEquals("orphans-unavailable", error.code());
    assertTrue(error.toString().contains("location-refused"), error.toString());
    assertEquals(Set.of(), orphans());
    assertEquals(
        List.of(refused),
        bench.ledgers(table.id()).stream().map(OrphanProgressTest::name).toList());
    assertEquals(OrphanRemoval.Report.NOTHING, run(table), "it comes back in its time");
  }

  @Test
  void moreLedgersThanARunCanLookAtBecomeFewerWhenAllAreDue() throws InterruptedException {
    AdoptedTable table = afterDeadPasses(6);
    later();
    assertEquals(6, run(table).closed());
    later();
    for (int left = 4; left >= 0; left -= 2) {
      assertEquals(2, run(table, kept(2, 3)).files().size());
      assertEquals(left, bench.ledgers(table.id()).size());
    }
    assertEquals(Set.of(), orphans());
  }

  @Test
  void nothingGoesWhileTooManyLedgersAreWithinTheirGraceTime() throws InterruptedException {
    AdoptedTable table = afterDeadPasses(1);
    later();
    run(table);
    later();
    bench.segment(table, 4, 10);
    for (int i = 0; i < 4; i++) {
      deadPass(table);
    }
    WingsException error = assertThrows(WingsException.class, () -> run(table, kept(2, 3)));
    assertEquals("too-many-ledgers", error.code());
    assertEquals(5, orphans().size());
    assertEquals(5, bench.ledgers(table.id()).size());
  }

  @Test
  void whatIsTooMuchForOneRunIsDoneInSeveral() throws InterruptedException {
    AdoptedTable table = afterDeadPasses(5);
    later();
    run(table);
    later();
    int runs = 0;
    while (!orphans().isEmpty()) {
      OrphanRemoval.Report done = run(table, files(2));
      assertTrue(!done.files().isEmpty() && done.files().size() <= 2, done.toString());
      runs++;
    }
    assertEquals(3, runs);
    assertEquals(List.of(), bench.ledgers(table.id()));
  }

  @Test
  void aPassThatLeftTooMuchForARunHoldsUpNoOther() throws InterruptedException {
    AdoptedTable table = afterADeadPassOf(3);
    String big = bench.ledgers(table.id()).getFirst();
    WingsException error = assertThrows(WingsException.class, () -> run(table, files(2)));
    assertEquals("too-many-orphans", error.code());
    assertEquals(3, orphans().size());
    assertEquals(List.of(big), bench.ledgers(table.id()));
    assertEquals(OrphanRemoval.Report.NOTHING, run(table, files(2)), "others have their turn");
    later();
    assertEquals(3, run(table, files(3)).files().size());
  }

  /** It slept until its files were being deleted, and notes what it staged meanwhile. */
  @Test
  void whatAPassNotesWhileItsFilesAreDeletedIsNotForgotten()
      throws InterruptedException, ExecutionException {
    AdoptedTable table = bench.create(Map.of());
    bench.segments(table, 1, 3);
    CountDownLatch deleting = new CountDownLatch(1);
    CountDownLatch noted = new CountDownLatch(1);
    files.beforeDelete(
        () -> {
          deleting.countDown();
          await(noted);
        });
    FutureTask<OrphanRemoval.Report> removal = new FutureTask<>(() -> run(table));
    RowWriter sleeping =
        (target, batches) -> {
          var written = bench.writer.append(target, batches);
          later();
          run(table);
          later();
          Thread _ = Threads.virtual().start("removal", removal);
          await(deleting);
          return written;
        };
    WingsException error =
        assertThrows(
            WingsException.class, () -> bench.pass().run(table.id(), bench.tenant, sleeping));
    assertEquals("ledger-closed", error.code());
    noted.countDown();
    assertEquals(1, removal.get().files().size(), "the data file");
    String ledger = name(bench.ledgers(table.id()).getFirst());
    assertEquals(1, ledger(table, ledger).refused());
    assertEquals(OrphanRemoval.Report.NOTHING, run(table));
    later();
    assertEquals(2, run(table).files().size(), "a manifest and its list");
    assertEquals(List.of(), bench.ledgers(table.id()));
  }

  private static void await(CountDownLatch latch) {
    try {
      assertTrue(latch.await(1, TimeUnit.MINUTES), "nobody came");
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
