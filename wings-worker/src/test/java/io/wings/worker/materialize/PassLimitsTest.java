package io.wings.worker.materialize;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.wings.catalog.table.AdoptedTable;
import io.wings.catalog.table.MaterializeTask;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.apache.iceberg.Snapshot;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What bounds a pass, a task and the table's metadata. */
class PassLimitsTest {
  private final Workbench bench = new Workbench(9, true);

  @AfterEach
  void close() {
    bench.close();
  }

  private void assertEachRowOnce() {
    assertEquals(LongStream.rangeClosed(1, bench.rows()).boxed().toList(), bench.visible());
  }

  /** Trap 20. */
  @Test
  void metadataDoesNotGrowWithEveryCommit() throws InterruptedException {
    AdoptedTable table =
        bench.create(
            Map.of("wings.max-snapshots", "5", "write.metadata.previous-versions-max", "3"));
    for (int number = 1; number <= 20; number++) {
      bench.segments(table, number, number);
      bench.run(table);
    }
    int snapshots = 0;
    for (Snapshot _ : bench.table().snapshots()) {
      snapshots++;
    }
    assertEquals(5, snapshots);
    var metadata = ((org.apache.iceberg.HasTableOperations) bench.table()).operations().current();
    assertTrue(metadata.previousFiles().size() <= 3);
    assertEachRowOnce();
  }

  @Test
  void aBacklogDrainsInLargePasses() throws InterruptedException {
    AdoptedTable table = bench.create(Map.of());
    bench.segments(table, 1, 100);
    MaterializeSettings small = new MaterializeSettings(1L << 30, 40, 16, 4096, 3, 64L << 20);
    MaterializePass pass = bench.pass(bench.store, small);
    int before = bench.catalog.posts();
    assertEquals(MaterializePass.Result.MORE, pass.run(table.id(), bench.tenant, bench.writer));
    assertEquals("40", bench.watermark());
    assertEquals(MaterializePass.Result.MORE, pass.run(table.id(), bench.tenant, bench.writer));
    assertEquals(MaterializePass.Result.DONE, pass.run(table.id(), bench.tenant, bench.writer));
    assertEquals(before + 3, bench.catalog.posts());
    assertEachRowOnce();
  }

  @Test
  void aPassIsBoundedInBytesButTakesASegment() throws InterruptedException {
    AdoptedTable table = bench.create(Map.of());
    bench.segments(table, 1, 3);
    MaterializeSettings tiny = new MaterializeSettings(1, 100, 16, 1, 2, 64L << 20);
    MaterializePass pass = bench.pass(bench.store, tiny);
    assertEquals(MaterializePass.Result.MORE, pass.run(table.id(), bench.tenant, bench.writer));
    assertEquals("1", bench.watermark());
  }

  @Test
  void theHandlerGoesOnUntilTheBacklogIsIn() throws InterruptedException {
    AdoptedTable table = bench.create(Map.of());
    bench.segments(table, 1, 10);
    MaterializeSettings small = new MaterializeSettings(1L << 30, 2, 3, 4096, 3, 64L << 20);
    RecordingScheduler scheduler = new RecordingScheduler();
    MaterializePass pass = bench.pass(bench.store, small);
    MaterializeTask task = new MaterializeTask(table.id());
    MaterializeHandler handler =
        new MaterializeHandler(
            bench.tenant, work -> work.with(bench.writer), pass, small, scheduler);
    handler.run(scheduler.leased(task.spec(java.time.Duration.ZERO)));
    assertEquals("6", bench.watermark());
    assertEquals(List.of(task.key()), scheduler.keys());
    handler.run(scheduler.leased(task.spec(java.time.Duration.ZERO)));
    assertEquals("10", bench.watermark());
    assertEquals(1, scheduler.keys().size());
    assertEachRowOnce();
  }
}
