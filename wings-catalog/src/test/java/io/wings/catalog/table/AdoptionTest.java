package io.wings.catalog.table;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.wings.catalog.commit.FaultyCatalog;
import io.wings.catalog.commit.FaultyCatalog.Fault;
import io.wings.catalog.commit.SeededIds;
import io.wings.catalog.commit.UnhurriedTime;
import io.wings.common.cluster.CatalogName;
import io.wings.common.cluster.Keys;
import io.wings.common.cluster.LaneId;
import io.wings.common.cluster.TableId;
import io.wings.common.concurrent.Threads;
import io.wings.common.error.WingsException;
import io.wings.common.objectstore.Body;
import io.wings.common.objectstore.Fault.NoSpace;
import io.wings.common.objectstore.Faults;
import io.wings.common.objectstore.FaultyStore;
import io.wings.common.objectstore.ObjectStore;
import io.wings.common.objectstore.PutCondition;
import io.wings.common.objectstore.memory.MemoryStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.types.Types;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

@ParameterizedClass
@ValueSource(booleans = {false, true})
class AdoptionTest {
  private static final CatalogName MAIN = new CatalogName("main");
  private static final String CLUSTER = "c1";
  private static final TableIdentifier TABLE = TableIdentifier.of("db", "t");
  private static final Schema SCHEMA =
      new Schema(Types.NestedField.required(1, "id", Types.LongType.get()));

  private final FaultyCatalog catalog;
  private final UnhurriedTime time = new UnhurriedTime();
  private final ObjectStore store = new MemoryStore("cluster", time);
  private final SeededIds ids = new SeededIds(1);
  private final Adoption adoption = new Adoption(CLUSTER, store, time, ids, Threads.virtual());

  AdoptionTest(boolean rest) {
    catalog = new FaultyCatalog(rest);
  }

  @Test
  void oneCommitWithAnEmptySnapshotThenBoundariesThenTheTableFile() {
    create(Map.of());
    AdoptedTable adopted = adopt();
    Table table = catalog.loadTable(TABLE);
    Snapshot snapshot = table.currentSnapshot();
    assertEquals("0", snapshot.summary().get("total-records"));
    assertEquals(
        CLUSTER + "/main/" + table.uuid() + "/" + adopted.incarnation() + "/0",
        table.properties().get("wings.watermark.0"));
    assertEquals(
        table.properties().get("wings.watermark.0"), snapshot.summary().get("wings.watermark.0"));
    assertEquals(1, catalog.posts());
    assertTrue(store.head(Keys.boundary(adopted.lane(0))).isPresent());
    TableFile file = new TableFiles(store, time, ids).read(adopted.id()).orElseThrow();
    assertEquals(
        new TableFile(
            List.of("db"), "t", adopted.incarnation(), 1, List.of(0L), List.of(List.of()), 86_400L),
        file);
  }

  @Test
  void isDoneOnce() {
    create(Map.of());
    AdoptedTable first = adopt();
    AdoptedTable again = adopt();
    assertEquals(first.watermarks(), again.watermarks());
    assertEquals(first.watermarks(), adoption.load(MAIN, catalog, TABLE).watermarks());
    assertEquals(1, catalog.posts());
  }

  @ParameterizedTest
  @EnumSource(Fault.class)
  void onePostLandsWhateverBecomesOfIt(Fault fault) {
    create(Map.of());
    catalog.next(fault);
    AdoptedTable adopted = adopt();
    catalog.deliver();
    assertEquals(adopted.watermarks(), adopt().watermarks());
    int snapshots = 0;
    for (Snapshot _ : catalog.loadTable(TABLE).snapshots()) {
      snapshots++;
    }
    assertEquals(1, snapshots);
  }

  @Test
  void racingAdoptersAgree() throws InterruptedException {
    create(Map.of());
    Set<String> incarnations = ConcurrentHashMap.newKeySet();
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      Adoption racer =
          new Adoption(
              CLUSTER, store, new UnhurriedTime(), new SeededIds(100 + i), Threads.virtual());
      threads.add(
          Thread.ofVirtual()
              .start(() -> incarnations.add(racer.adopt(MAIN, catalog, TABLE).incarnation())));
    }
    for (Thread thread : threads) {
      thread.join();
    }
    assertEquals(1, incarnations.size());
    assertEquals(adopt().incarnation(), incarnations.iterator().next());
  }

  /** Stops after the commit, after the boundary, and not at all. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2})
  void anAdoptionThatStoppedHalfWayIsCompletedWithItsIncarnation(int puts) {
    create(Map.of());
    AtomicInteger left = new AtomicInteger(puts);
    ObjectStore failing =
        new FaultyStore(
            store,
            (_, _) ->
                left.getAndDecrement() > 0
                    ? new io.wings.common.objectstore.Fault.None()
                    : new NoSpace(),
            time);
    Adoption dying = new Adoption(CLUSTER, failing, time, ids, Threads.virtual());
    if (puts < 2) {
      assertThrows(WingsException.class, () -> dying.adopt(MAIN, catalog, TABLE));
      assertEquals(
          "table-not-adopted",
          assertThrows(WingsException.class, () -> adoption.load(MAIN, catalog, TABLE)).code());
    } else {
      dying.adopt(MAIN, catalog, TABLE);
    }
    Table table = catalog.loadTable(TABLE);
    Watermarks.Reading.Own committed =
        assertInstanceOf(
            Watermarks.Reading.Own.class,
            Watermarks.read(table.properties(), CLUSTER, MAIN, table.uuid()));
    AdoptedTable adopted = adopt();
    assertEquals(committed.watermarks(), adopted.watermarks());
    assertTrue(store.head(Keys.boundary(adopted.lane(0))).isPresent());
    assertEquals(1, catalog.posts());
  }

  /** Trap 33. */
  @Test
  void anotherClustersWatermarksAreRefused() {
    create(Map.of());
    adopt();
    Adoption other =
        new Adoption("c2", new MemoryStore("other", time), time, ids, Threads.virtual());
    WingsException error =
        assertThrows(WingsException.class, () -> other.adopt(MAIN, catalog, TABLE));
    assertEquals("table-adopted-elsewhere", error.code());
  }

  /** Two names of one catalog would have a log each, and the table one count for both. */
  @Test
  void anotherCatalogOfTheClusterIsRefused() {
    create(Map.of());
    AdoptedTable adopted = adopt();
    CatalogName second = new CatalogName("second");
    for (int i = 0; i < 2; i++) {
      WingsException error =
          assertThrows(WingsException.class, () -> adoption.adopt(second, catalog, TABLE));
      assertEquals("table-adopted-elsewhere", error.code());
      assertTrue(error.toString().contains("under catalog main"), error.toString());
      assertTrue(error.toString().contains("--from-catalog main"), error.toString());
    }
    assertEquals(
        Optional.empty(),
        new TableFiles(store, time, ids).read(new TableId(second, adopted.id().uuid())));
    assertEquals(adopted.watermarks(), adopt().watermarks());
  }

  /** Its own table.json, of a version that let it adopt, doesn't help it. */
  @Test
  void anotherCatalogWithATableFileIsRefused() {
    create(Map.of());
    AdoptedTable adopted = adopt();
    TableId second = new TableId(new CatalogName("second"), adopted.id().uuid());
    new TableFiles(store, time, ids)
        .createIfAbsent(
            second, TableFiles.initial(TABLE, adopted.watermarks(), adopted.settings()));
    for (boolean adopts : List.of(true, false)) {
      WingsException error =
          assertThrows(
              WingsException.class,
              () -> {
                var _ =
                    adopts
                        ? adoption.adopt(second.catalog(), catalog, TABLE)
                        : adoption.load(second.catalog(), catalog, TABLE);
              });
      assertEquals("table-adopted-elsewhere", error.code());
    }
  }

  /** Whose watermarks, of an older version, name no catalog. */
  @Test
  void aTableOfAnOlderVersionStaysWhereItIs() {
    create(Map.of());
    for (String tenant : List.of("main", "second")) {
      store.put(
          Keys.tenant(new CatalogName(tenant)), Body.of(new byte[] {1}), PutCondition.ifAbsent());
    }
    store.put(Keys.TENANTS + "a", Body.of(new byte[] {1}), PutCondition.ifAbsent());
    AdoptedTable adopted = adopt();
    Watermarks older =
        new Watermarks(CLUSTER, null, adopted.id().uuid(), adopted.incarnation(), List.of(0L));
    catalog
        .loadTable(TABLE)
        .updateProperties()
        .set("wings.watermark.0", older.toProperties().getOrDefault("wings.watermark.0", ""))
        .commit();
    assertEquals(older, adopt().watermarks());
    assertEquals(
        "table-adopted-elsewhere",
        assertThrows(
                WingsException.class,
                () -> adoption.adopt(new CatalogName("second"), catalog, TABLE))
            .code());
    assertEquals(older, adopt().watermarks());
  }

  /** Traps 15 and 33: a property copied from another table counts for nothing. */
  @Test
  void copiedWatermarksAreReplacedByANewIncarnation() {
    create(Map.of());
    AdoptedTable original = adopt();
    TableIdentifier copy = TableIdentifier.of("db", "copy");
    catalog
        .buildTable(copy, SCHEMA)
        .withProperties(
            Map.of(
                "format-version",
                "3",
                "wings.watermark.0",
                original
                    .watermarks()
                    .raise(0, 41)
                    .toProperties()
                    .getOrDefault("wings.watermark.0", ""),
                "wings.watermark.1",
                original.watermarks().toProperties().getOrDefault("wings.watermark.0", "")))
        .create();
    AdoptedTable adopted = adoption.adopt(MAIN, catalog, copy);
    assertNotEquals(original.incarnation(), adopted.incarnation());
    assertEquals(List.of(0L), adopted.watermarks().numbers());
    assertEquals(adopted.watermarks(), adoption.adopt(MAIN, catalog, copy).watermarks());
  }

  /** Trap 15. */
  @Test
  void aRecreatedTableGetsAnIncarnationOfItsOwn() {
    create(Map.of());
    AdoptedTable first = adopt();
    catalog.dropTable(TABLE, false);
    create(Map.of());
    AdoptedTable second = adopt();
    assertNotEquals(first.id(), second.id());
    assertNotEquals(first.incarnation(), second.incarnation());
  }

  /** Never zero: P1. */
  @Test
  void missingWatermarksOfAnAdoptedTableAreAnError() {
    create(Map.of());
    adopt();
    catalog.loadTable(TABLE).updateProperties().remove("wings.watermark.0").commit();
    assertEquals("watermark-missing", adoptError());
  }

  /** Trap 26. */
  @Test
  void aWatermarkBelowTheLastKnownIsAnError() {
    create(Map.of());
    AdoptedTable adopted = adopt();
    new TableFiles(store, time, ids)
        .note(adopted.id(), TABLE, adopted.watermarks().raise(0, 9), adopted.settings());
    assertEquals("watermark-fell", adoptError());
  }

  /** Trap 46: the table file, read after the table, may rightly be ahead of it. */
  @Test
  void looksTwiceBeforeItCallsAWatermarkWrong() {
    create(Map.of());
    AdoptedTable adopted = adopt();
    Watermarks ahead = adopted.watermarks().raise(0, 9);
    int[] reads = {0};
    ObjectStore racing =
        new FaultyStore(
            store,
            new Faults() {
              @Override
              public io.wings.common.objectstore.Fault onPut(
                  String key, io.wings.common.objectstore.PutCondition condition) {
                return new io.wings.common.objectstore.Fault.None();
              }

              @Override
              public io.wings.common.objectstore.Fault onOther(String key) {
                if (reads[0]++ == 0) {
                  // Between the load of the table and the read of the file, a pass commits.
                  catalog
                      .loadTable(TABLE)
                      .updateProperties()
                      .set(
                          "wings.watermark.0",
                          ahead.toProperties().getOrDefault("wings.watermark.0", ""))
                      .commit();
                  new TableFiles(store, time, ids)
                      .note(adopted.id(), TABLE, ahead, adopted.settings());
                }
                return new io.wings.common.objectstore.Fault.None();
              }
            },
            time);
    assertEquals(
        ahead,
        new Adoption(CLUSTER, racing, time, ids, Threads.virtual())
            .load(MAIN, catalog, TABLE)
            .watermarks());
  }

  @Test
  void watermarksOfAnotherIncarnationAreAnError() {
    create(Map.of());
    AdoptedTable adopted = adopt();
    Watermarks other = Watermarks.initial(CLUSTER, MAIN, adopted.id().uuid(), "f".repeat(32), 1);
    catalog
        .loadTable(TABLE)
        .updateProperties()
        .set("wings.watermark.0", other.toProperties().getOrDefault("wings.watermark.0", ""))
        .commit();
    assertEquals("watermark-invalid", adoptError());
  }

  @Test
  void aRenamedTableKeepsItsWal() {
    create(Map.of());
    AdoptedTable first = adopt();
    TableIdentifier renamed = TableIdentifier.of("db", "renamed");
    catalog.renameTable(TABLE, renamed);
    AdoptedTable second = adoption.adopt(MAIN, catalog, renamed);
    assertEquals(first.watermarks(), second.watermarks());
    TableFile file = new TableFiles(store, time, ids).read(first.id()).orElseThrow();
    assertEquals(renamed, file.identifier());
  }

  /** The old name may be another table's by then: that isn't the recorded table. */
  @Test
  void aRenameIsFollowedThoughTheOldNameIsTakenAgain() {
    create(Map.of());
    AdoptedTable first = adopt();
    TableIdentifier renamed = TableIdentifier.of("db", "renamed");
    catalog.renameTable(TABLE, renamed);
    create(Map.of());
    assertNotEquals(first.id(), adopt().id());
    AdoptedTable second = adoption.adopt(MAIN, catalog, renamed);
    assertEquals(first.watermarks(), second.watermarks());
    assertEquals(
        renamed, new TableFiles(store, time, ids).read(first.id()).orElseThrow().identifier());
    catalog.renameTable(renamed, TableIdentifier.of("db", "again"));
    assertEquals(
        first.watermarks(),
        adoption.adopt(MAIN, catalog, TableIdentifier.of("db", "again")).watermarks());
  }

  /** Not found is known, but a catalog that is away says nothing about the old name. */
  @Test
  void aSecondNameIsNoRenameWhileTheCatalogIsAway() {
    create(Map.of());
    AdoptedTable first = adopt();
    TableIdentifier renamed = TableIdentifier.of("db", "renamed");
    catalog.renameTable(TABLE, renamed);
    Adoption looking =
        new Adoption(
            CLUSTER,
            new FaultyStore(
                store,
                new Faults() {
                  @Override
                  public io.wings.common.objectstore.Fault onPut(
                      String key, io.wings.common.objectstore.PutCondition condition) {
                    return new io.wings.common.objectstore.Fault.None();
                  }

                  @Override
                  public io.wings.common.objectstore.Fault onOther(String key) {
                    // After the load of the new name, before that of the old one.
                    catalog.failLoads(1);
                    return new io.wings.common.objectstore.Fault.None();
                  }
                },
                time),
            time,
            ids,
            Threads.virtual());
    assertEquals(
        "catalog-unavailable",
        assertThrows(WingsException.class, () -> looking.adopt(MAIN, catalog, renamed)).code());
    assertEquals(
        TABLE, new TableFiles(store, time, ids).read(first.id()).orElseThrow().identifier());
  }

  /** Trap 33: register_table gives a second name the same uuid. */
  @Test
  void aSecondNameIsRefusedWhileTheFirstStillLoads() {
    create(Map.of());
    adopt();
    String metadata =
        ((org.apache.iceberg.HasTableOperations) catalog.loadTable(TABLE))
            .operations()
            .current()
            .metadataFileLocation();
    TableIdentifier second = TableIdentifier.of("db", "second");
    catalog.registerTable(second, metadata);
    WingsException error =
        assertThrows(WingsException.class, () -> adoption.adopt(MAIN, catalog, second));
    assertEquals("table-name-ambiguous", error.code());
  }

  @Test
  void refusesATableThatNamesAClassToLoad() {
    create(Map.of("write.location-provider.impl", "java.lang.Object"));
    WingsException error = assertThrows(WingsException.class, this::adopt);
    assertEquals("table-property-refused", error.code());
  }

  @Test
  void refusesAnOlderFormatAndSaysWhatToDo() {
    create(Map.of("format-version", "2"));
    WingsException error = assertThrows(WingsException.class, this::adopt);
    assertEquals("table-format-unsupported", error.code());
    assertTrue(String.valueOf(error.getMessage()).contains("'format-version'='3'"));
    assertEquals(0, catalog.posts());
  }

  /** Trap 25. */
  @Test
  void refusesAMisspeltSettingBeforeAnythingIsWritten() {
    create(Map.of("wings.comit-interval", "1s"));
    WingsException error = assertThrows(WingsException.class, this::adopt);
    assertEquals("table-setting-unknown", error.code());
    assertTrue(String.valueOf(error.getMessage()).contains("wings.commit-interval"));
    assertEquals(0, catalog.posts());
  }

  @Test
  void saysWhenThereIsNoSuchTable() {
    assertEquals("table-not-found", adoptError());
  }

  @Test
  void aCatalogThatIsAwayIsUnavailable() {
    create(Map.of());
    catalog.failLoads(1);
    assertEquals("catalog-unavailable", adoptError());
  }

  @Test
  void lanesAreThoseOfTheWatermarksNotOfTheProperty() {
    create(Map.of());
    AdoptedTable adopted = adopt();
    assertEquals(1, adopted.lanes());
    assertEquals(new LaneId(adopted.id(), adopted.incarnation(), 0), adopted.lane(0));
    catalog.loadTable(TABLE).updateProperties().set("wings.wal.lanes", "4").commit();
    assertEquals(1, adopt().lanes());
    assertEquals(adopted.watermarks(), adopt().watermarks());
  }

  @Test
  void theAdoptingCommitGivesEachLaneAWatermarkAndABoundary() {
    create(Map.of("wings.wal.lanes", "3"));
    AdoptedTable adopted = adopt();
    assertEquals(List.of(0L, 0L, 0L), adopted.watermarks().numbers());
    for (int lane = 0; lane < 3; lane++) {
      assertTrue(store.head(Keys.boundary(adopted.lane(lane))).isPresent());
    }
    assertEquals(1, catalog.posts());
    catalog.loadTable(TABLE).updateProperties().remove("wings.wal.lanes").commit();
    assertEquals(3, adopt().lanes());
    TableFile file = new TableFiles(store, time, ids).read(adopted.id()).orElseThrow();
    assertEquals(3, file.lanes());
  }

  /** Each boundary comes before {@code table.json}, after which a missing one is an error. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3})
  void anAdoptionThatStoppedBetweenTwoLanesIsCompleted(int puts) {
    create(Map.of("wings.wal.lanes", "3"));
    AtomicInteger left = new AtomicInteger(puts);
    ObjectStore failing =
        new FaultyStore(
            store,
            (_, _) ->
                left.getAndDecrement() > 0
                    ? new io.wings.common.objectstore.Fault.None()
                    : new NoSpace(),
            time);
    assertThrows(
        WingsException.class,
        () ->
            new Adoption(CLUSTER, failing, time, ids, Threads.virtual())
                .adopt(MAIN, catalog, TABLE));
    AdoptedTable adopted = adopt();
    for (int lane = 0; lane < 3; lane++) {
      assertTrue(store.head(Keys.boundary(adopted.lane(lane))).isPresent());
    }
    assertEquals(1, catalog.posts());
  }

  /** Never fewer, and never guessed: a lane's WAL would be forgotten. */
  @Test
  void aLaneWhoseWatermarkIsGoneIsAnError() {
    create(Map.of("wings.wal.lanes", "3"));
    adopt();
    catalog.loadTable(TABLE).updateProperties().remove("wings.watermark.2").commit();
    assertEquals("watermark-invalid", adoptError());
    catalog.loadTable(TABLE).updateProperties().remove("wings.watermark.0").commit();
    assertEquals("watermark-invalid", adoptError());
  }

  private String adoptError() {
    return assertThrows(WingsException.class, this::adopt).code();
  }

  private AdoptedTable adopt() {
    AdoptedTable adopted = adoption.adopt(MAIN, catalog, TABLE);
    assertEquals(new TableId(MAIN, catalog.loadTable(TABLE).uuid()), adopted.id());
    return adopted;
  }

  private void create(Map<String, String> properties) {
    var builder = catalog.buildTable(TABLE, SCHEMA).withProperty("format-version", "3");
    properties.forEach(builder::withProperty);
    builder.create();
  }
}
