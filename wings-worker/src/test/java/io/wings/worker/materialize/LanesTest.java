package io.wings.worker.materialize;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.wings.catalog.table.AdoptedTable;
import io.wings.common.cluster.Keys;
import io.wings.common.error.WingsException;
import io.wings.worker.ledger.LedgerFile;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tables of several lanes: one pass, one commit, a fair share for each. */
class LanesTest {
  private static final Map<String, String> THREE = Map.of("wings.wal.lanes", "3");

  private final Workbench bench = new Workbench();

  @AfterEach
  void close() {
    bench.close();
  }

  private List<Long> watermarks(AdoptedTable table) {
    return bench.adopt(table.identifier()).watermarks().numbers();
  }

  /** A pass that takes so many segments. */
  private MaterializePass pass(int segments) {
    return bench.pass(
        bench.store, new MaterializeSettings(1L << 30, segments, 4, 1 << 20, 2, 64L << 20));
  }

  private MaterializePass.Result run(MaterializePass pass, AdoptedTable table)
      throws InterruptedException {
    return pass.run(table.id(), bench.tenant, bench.writer);
  }

  private void assertEachRowOnce() {
    assertEquals(LongStream.rangeClosed(1, bench.rows()).boxed().toList(), bench.visible());
  }

  /** P1, P5. */
  @Test
  void watermarksOfAllLanesMoveInOneCommit() throws InterruptedException {
    AdoptedTable table = bench.create(THREE);
    bench.segment(table, 0, 1, 5);
    bench.segment(table, 2, 1, 5);
    bench.segment(table, 2, 2, 5);
    int before = bench.catalog.posts();
    assertEquals(MaterializePass.Result.DONE, bench.run(table));
    assertEquals(before + 1, bench.catalog.posts());
    assertEquals(List.of(1L, 0L, 2L), watermarks(table));
    assertEquals(List.of(1L, 0L, 2L), bench.file(table.id()).watermarks());
    assertEachRowOnce();
  }

  /** A lane with a backlog leaves room for the others. */
  @Test
  void aPassTakesFromEachLaneInTurn() throws InterruptedException {
    AdoptedTable table = bench.create(THREE);
    for (int number = 1; number <= 20; number++) {
      bench.segment(table, 0, number, 1);
    }
    bench.time.sleep(Duration.ofMinutes(1));
    bench.segment(table, 1, 1, 1);
    bench.segment(table, 2, 1, 1);
    bench.segment(table, 2, 2, 1);
    assertEquals(MaterializePass.Result.MORE, run(pass(6), table));
    assertEquals(List.of(3L, 1L, 2L), watermarks(table));
    MaterializePass.Result result = MaterializePass.Result.MORE;
    while (result == MaterializePass.Result.MORE) {
      result = run(pass(6), table);
    }
    assertEquals(List.of(20L, 1L, 2L), watermarks(table));
    assertEachRowOnce();
  }

  /** More lanes than a pass has room for: the lane that waits longest is never passed over. */
  @Test
  void noLaneStarvesWhileOthersGrow() throws InterruptedException {
    AdoptedTable table = bench.create(THREE);
    long[] heads = new long[3];
    for (int lane = 0; lane < 3; lane++) {
      bench.segment(table, lane, ++heads[lane], 1);
      bench.time.sleep(Duration.ofSeconds(1));
    }
    for (int round = 0; round < 3; round++) {
      assertEquals(MaterializePass.Result.MORE, run(pass(1), table));
      for (int lane = 0; lane < 2; lane++) {
        bench.segment(table, lane, ++heads[lane], 1);
        bench.time.sleep(Duration.ofSeconds(1));
      }
    }
    assertEquals(List.of(1L, 1L, 1L), watermarks(table));
  }

  /** Bytes count over all lanes; the first segment is taken whatever its size. */
  @Test
  void thePassIsBoundedInBytesWhateverTheNumberOfLanes() throws InterruptedException {
    AdoptedTable table = bench.create(THREE);
    for (int lane = 0; lane < 3; lane++) {
      bench.segment(table, lane, 1, 10);
    }
    MaterializeSettings tiny = new MaterializeSettings(1, 100, 4, 1 << 20, 2, 64L << 20);
    for (int pass = 1; pass <= 3; pass++) {
      run(bench.pass(bench.store, tiny), table);
      assertEquals(pass, watermarks(table).stream().mapToLong(Long::longValue).sum());
    }
    assertEachRowOnce();
  }

  @Test
  void aHoleInOneLaneStopsTheTableAndSaysWhichLane() {
    AdoptedTable table = bench.create(THREE);
    bench.segment(table, 0, 1, 1);
    for (long number = 1; number <= 3; number++) {
      bench.segment(table, 1, number, 1);
    }
    bench.store.delete(Keys.segment(table.lane(1), 2));
    WingsException error = assertThrows(WingsException.class, () -> bench.run(table));
    assertEquals("segment-missing", error.code());
    assertTrue(String.valueOf(error.getMessage()).contains(table.incarnation() + "/01 has"));
    assertEquals(List.of(0L, 0L, 0L), watermarks(table));
  }

  @Test
  void theLedgerNamesTheRangeOfEachLane() throws InterruptedException {
    AdoptedTable table = bench.create(THREE);
    bench.segment(table, 1, 1, 1);
    bench.segment(table, 2, 1, 1);
    bench.segment(table, 2, 2, 1);
    LedgerFile[] seen = new LedgerFile[1];
    bench
        .pass()
        .run(
            table.id(),
            bench.tenant,
            (target, batches) -> {
              seen[0] =
                  new io.wings.common.cas.JsonCodec<>(LedgerFile.class)
                      .decode(
                          bench
                              .store
                              .get(bench.ledgers(table.id()).getFirst())
                              .orElseThrow()
                              .bytes())
                      .value();
              return bench.writer.append(target, batches);
            });
    assertEquals(
        List.of(new LedgerFile.Range(1, 1, 1), new LedgerFile.Range(2, 1, 2)), seen[0].ranges());
  }
}
