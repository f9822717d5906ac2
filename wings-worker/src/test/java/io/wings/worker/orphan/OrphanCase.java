package io.wings.worker.orphan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.wings.catalog.table.AdoptedTable;
import io.wings.common.concurrent.Threads;
import io.wings.common.objectstore.ObjectStore;
import io.wings.common.retry.Backoff;
import io.wings.worker.ledger.Ledgers;
import io.wings.worker.materialize.RowWriter;
import io.wings.worker.materialize.Workbench;
import io.wings.worker.table.TableLooks;
import java.time.Duration;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;

/** A table, passes that leave something, and the removal of that. */
abstract class OrphanCase {
  static final Duration GRACE = Duration.ofHours(1);

  final Workbench bench = new Workbench(11, true);
  final StoredFiles files = new StoredFiles(bench);

  @AfterEach
  void close() {
    bench.close();
  }

  OrphanRemoval.Report run(AdoptedTable table) throws InterruptedException {
    return run(table, new OrphanSettings(GRACE, false));
  }

  OrphanRemoval.Report run(AdoptedTable table, OrphanSettings settings)
      throws InterruptedException {
    return run(table, settings, bench.store);
  }

  /**
   * @param store that ledgers are read from
   */
  OrphanRemoval.Report run(AdoptedTable table, OrphanSettings settings, ObjectStore store)
      throws InterruptedException {
    return run(table, settings, OrphanLimits.DEFAULT, store);
  }

  OrphanRemoval.Report run(AdoptedTable table, OrphanLimits limits) throws InterruptedException {
    return run(table, new OrphanSettings(GRACE, false), limits, bench.store);
  }

  private OrphanRemoval.Report run(
      AdoptedTable table, OrphanSettings settings, OrphanLimits limits, ObjectStore store)
      throws InterruptedException {
    return new OrphanRemoval(
            bench.store,
            new Ledgers(store, "w", bench.time, bench.ids),
            new TableLooks(
                Workbench.CLUSTER,
                bench.store,
                bench.time,
                bench.ids,
                Backoff.STORE,
                Threads.virtual()),
            settings,
            limits,
            OrphanObserver.none(),
            bench.ids,
            Threads.virtual())
        .run(table.id(), files);
  }

  /** A pass whose worker dies after its uploads. */
  void deadPass(AdoptedTable table) {
    RowWriter dying =
        (target, batches) -> {
          var _ = bench.writer.append(target, batches);
          throw new IllegalStateException("killed");
        };
    assertThrows(
        IllegalStateException.class, () -> bench.pass().run(table.id(), bench.tenant, dying));
  }

  /** Of the segments from {@code first} to before {@code end}, a commit each. */
  void commits(AdoptedTable table, int first, int end) throws InterruptedException {
    for (int number = first; number < end; number++) {
      bench.segment(table, number, 10);
      bench.run(table);
    }
  }

  void later() {
    bench.time.sleep(GRACE);
  }

  void assertNoneNeededIsGone() {
    Set<String> needed = new TreeSet<>(bench.paths());
    needed.removeAll(files.data());
    assertEquals(Set.of(), needed);
  }
}
