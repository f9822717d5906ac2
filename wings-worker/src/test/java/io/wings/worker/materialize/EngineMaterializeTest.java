package io.wings.worker.materialize;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.wings.catalog.table.AdoptedTable;
import io.wings.common.time.Time;
import io.wings.worker.engine.DataEngine;
import io.wings.worker.engine.EngineSettings;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.apache.iceberg.data.IcebergGenerics;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.types.Types;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Passes with the real data engine, read back by Iceberg's own reader. */
class EngineMaterializeTest {
  /** With ids of its own: all tests of a JVM share the files that are in its memory. */
  private final Workbench bench = new Workbench(System.nanoTime(), true);

  private final DataEngine engine;

  EngineMaterializeTest(@TempDir Path scratch) {
    engine =
        DataEngine.open(
            new EngineSettings(scratch, 64L << 20, 256L << 20, 1, 2),
            bench.allocator,
            Time.system(),
            (name, task) -> Thread.ofPlatform().name(name).start(task));
  }

  @AfterEach
  void close() {
    engine.close();
    bench.close();
  }

  /** P5. */
  @Test
  void aStockReaderSeesEachRowOnce() throws Exception {
    AdoptedTable table = bench.create(Map.of());
    bench.segments(table, 1, 8);
    MaterializePass pass = bench.pass();
    pass.run(table.id(), bench.tenant, engine::append);
    bench.segments(table, 9, 9);
    pass.run(table.id(), bench.tenant, engine::append);
    assertEquals(LongStream.rangeClosed(1, bench.rows()).boxed().toList(), ids());
    assertTrue(bench.table().currentSnapshot().summary().containsKey("wings.watermark.0"));
  }

  /** Trap 27: renamed, and another column took the name, between write and materialise. */
  @Test
  void columnsAreFollowedByIdNotByName() throws Exception {
    AdoptedTable table = bench.create(Map.of());
    bench.segments(table, 1, 1);
    bench.table().updateSchema().renameColumn("note", "remark").commit();
    bench.table().updateSchema().addColumn("note", Types.StringType.get()).commit();
    bench.pass().run(table.id(), bench.tenant, engine::append);
    Record first =
        records().stream().filter(row -> row.getField("id").equals(1L)).findFirst().orElseThrow();
    assertEquals("first", first.getField("remark"));
    assertEquals(null, first.getField("note"));
  }

  /** Trap 27: a column that was dropped meanwhile is left out, whatever is added under its name. */
  @Test
  void aDroppedColumnIsLeftOut() throws Exception {
    AdoptedTable table = bench.create(Map.of());
    bench.segments(table, 1, 2);
    bench.table().updateSchema().deleteColumn("note").commit();
    bench.table().updateSchema().addColumn("note", Types.LongType.get()).commit();
    bench.pass().run(table.id(), bench.tenant, engine::append);
    assertEquals(20, records().size());
    assertTrue(records().stream().allMatch(row -> row.getField("note") == null));
  }

  /** Trap 27: nor is it the same column once one of its name and its type is added. */
  @Test
  void aColumnThatComesBackIsAnother() throws Exception {
    AdoptedTable table = bench.create(Map.of());
    bench.segments(table, 1, 2);
    bench.table().updateSchema().deleteColumn("note").commit();
    bench.table().updateSchema().addColumn("note", Types.StringType.get()).commit();
    bench.pass().run(table.id(), bench.tenant, engine::append);
    assertEquals(20, records().size());
    assertTrue(records().stream().allMatch(row -> row.getField("note") == null));
  }

  private List<Long> ids() throws IOException {
    return records().stream().map(row -> (Long) row.getField("id")).sorted().toList();
  }

  private List<Record> records() throws IOException {
    List<Record> records = new ArrayList<>();
    try (CloseableIterable<Record> rows = IcebergGenerics.read(bench.table()).build()) {
      rows.forEach(records::add);
    }
    return records;
  }
}
