package io.wings.worker.materialize;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.wings.catalog.table.AdoptedTable;
import io.wings.common.cluster.Keys;
import io.wings.common.error.WingsException;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.apache.iceberg.catalog.TableIdentifier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tables that don't load under the name that they had: dropped, replaced, renamed, forgotten. */
class UnfoundTableTest {
  private final Workbench bench = new Workbench();

  @AfterEach
  void close() {
    bench.close();
  }

  private void assertEachRowOnce() {
    assertEquals(LongStream.rangeClosed(1, bench.rows()).boxed().toList(), bench.visible());
  }

  private String error(AdoptedTable table) {
    return assertThrows(WingsException.class, () -> bench.run(table)).code();
  }

  /** Trap 15. */
  @Test
  void theWalOfADroppedTableStaysOutOfItsNamesake() {
    AdoptedTable table = bench.create(Map.of());
    bench.segments(table, 1, 2);
    bench.catalog.dropTable(Workbench.TABLE, false);
    AdoptedTable second = bench.create(Map.of());
    assertEquals("table-replaced", error(table));
    assertEquals(List.of(), bench.visible());
    assertEquals(List.of(0L), bench.file(second.id()).watermarks());
    assertTrue(bench.store.head(Keys.segment(table.lane(0), 2)).isPresent());
  }

  @Test
  void aNameThatIsGoneIsAnErrorAndTheWalStays() {
    AdoptedTable table = bench.create(Map.of());
    bench.segments(table, 1, 2);
    bench.catalog.dropTable(Workbench.TABLE, false);
    WingsException error = assertThrows(WingsException.class, () -> bench.run(table));
    assertEquals("table-not-found", error.code());
    assertTrue(error.detail().contains("; 2 segments ("), error.detail());
    assertTrue(error.detail().contains("`wings table forget`"), error.detail());
    assertTrue(bench.store.head(Keys.segment(table.lane(0), 2)).isPresent());
  }

  /** A worker that tried for ever would hide the tables for which something has to be done. */
  @Test
  void aDroppedTableOfWhichNothingWaitsIsDone() throws InterruptedException {
    AdoptedTable table = bench.create(Map.of());
    bench.segments(table, 1, 2);
    bench.run(table);
    List<String> before = bench.keys();
    bench.catalog.dropTable(Workbench.TABLE, false);
    assertEquals(MaterializePass.Result.DONE, bench.run(table));
    assertEquals(before, bench.keys());
    AdoptedTable namesake = bench.create(Map.of());
    assertEquals(MaterializePass.Result.DONE, bench.run(table));
    bench.segment(table, 3, 1);
    assertEquals("table-replaced", error(table));
    bench.catalog.dropTable(Workbench.TABLE, false);
    assertEquals("table-not-found", error(table));
    assertEquals(List.of(0L), bench.file(namesake.id()).watermarks());
  }

  /** A lost grant isn't a drop, but of a table of which nothing waits nobody has to be told. */
  @Test
  void aTableThatMayNoLongerBeSeenIsDoneOnceNothingWaits() throws InterruptedException {
    AdoptedTable table = bench.create(Map.of());
    bench.segments(table, 1, 2);
    bench.run(table);
    bench.catalog.forbid(true);
    assertEquals(MaterializePass.Result.DONE, bench.run(table));
    bench.segment(table, 3, 1);
    WingsException error = assertThrows(WingsException.class, () -> bench.run(table));
    assertEquals("search-incomplete", error.code());
    assertTrue(error.detail().contains("; 1 segments ("), error.detail());
    bench.catalog.forbid(false);
    bench.run(table);
    assertEachRowOnce();
  }

  @Test
  void aForgottenTableIsDone() throws InterruptedException {
    AdoptedTable table = bench.create(Map.of());
    bench.segments(table, 1, 2);
    bench.catalog.dropTable(Workbench.TABLE, false);
    bench.store.delete(Keys.tableJson(table.id()));
    assertEquals(MaterializePass.Result.DONE, bench.run(table));
  }

  @Test
  void aRenamedTableGoesOnUnderItsNewName() throws InterruptedException {
    AdoptedTable table = bench.create(Map.of());
    bench.segments(table, 1, 2);
    TableIdentifier renamed = TableIdentifier.of("db", "renamed");
    bench.catalog.renameTable(Workbench.TABLE, renamed);
    bench.run(table);
    assertEquals(renamed, bench.file(table.id()).identifier());
    bench.catalog.renameTable(renamed, Workbench.TABLE);
    assertEachRowOnce();
  }
}
