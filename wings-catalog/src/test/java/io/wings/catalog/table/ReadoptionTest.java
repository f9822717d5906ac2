package io.wings.catalog.table;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.wings.catalog.commit.FaultyCatalog;
import io.wings.catalog.commit.SeededIds;
import io.wings.catalog.commit.UnhurriedTime;
import io.wings.catalog.table.Readoption.Standing;
import io.wings.common.cluster.CatalogName;
import io.wings.common.cluster.Keys;
import io.wings.common.cluster.LaneId;
import io.wings.common.concurrent.Threads;
import io.wings.common.error.WingsException;
import io.wings.common.objectstore.Body;
import io.wings.common.objectstore.Fault;
import io.wings.common.objectstore.Faults;
import io.wings.common.objectstore.FaultyStore;
import io.wings.common.objectstore.ObjectStore;
import io.wings.common.objectstore.PutCondition;
import io.wings.common.objectstore.memory.MemoryStore;
import io.wings.common.retry.Backoff;
import io.wings.common.wal.Boundaries;
import io.wings.common.wal.EpochRecord;
import io.wings.common.wal.LaneOpener;
import io.wings.common.wal.LaneState;
import io.wings.common.wal.ProducerKey;
import io.wings.common.wal.RejectedEntry;
import io.wings.common.wal.SegmentWriter;
import io.wings.common.wal.Verdict;
import io.wings.common.wal.WalEntry;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.Schema;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.types.Types;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ReadoptionTest {
  private static final CatalogName MAIN = new CatalogName("main");
  private static final String CLUSTER = "c1";
  private static final Readoption.Home HOME = new Readoption.Home(CLUSTER, MAIN);
  private static final TableIdentifier TABLE = TableIdentifier.of("db", "t");
  private static final ProducerKey PRODUCER = ProducerKey.named("etl", "loader");

  private final FaultyCatalog catalog = new FaultyCatalog(true);
  private final UnhurriedTime time = new UnhurriedTime();
  private final SeededIds ids = new SeededIds(1);
  private final ObjectStore store = new MemoryStore("cluster", time);
  private final Adoption adoption = new Adoption(CLUSTER, store, time, ids, Threads.virtual());
  private final Readoption readoption = readoption(CLUSTER, store, store);
  private AdoptedTable old = adopted();

  private AdoptedTable adopted() {
    catalog.createTable(
        TABLE,
        new Schema(Types.NestedField.required(1, "id", Types.LongType.get())),
        org.apache.iceberg.PartitionSpec.unpartitioned(),
        Map.of("format-version", "3"));
    return adoption.adopt(MAIN, catalog, TABLE);
  }

  private Readoption readoption(String cluster, ObjectStore here, ObjectStore there) {
    return new Readoption(cluster, here, there, time, ids, Threads.virtual());
  }

  /** Number 1 opens the producer's epoch, 2 to 4 decide its sequences 1 to 3. */
  @BeforeEach
  void writeFourSegments() {
    LaneState state = new LaneState(old.lane(0));
    append(state, new EpochRecord(PRODUCER));
    for (int sequence = 1; sequence <= 3; sequence++) {
      append(state, new RejectedEntry(PRODUCER, 1, sequence, "no data in this test"));
    }
  }

  private void append(LaneState state, WalEntry entry) {
    long number = state.head() + 1;
    SegmentWriter writer = new SegmentWriter(state.lane(), number, ids.hex(), "test", time.now());
    writer.entry(entry);
    SegmentWriter.Segment segment = writer.finish();
    store.put(Keys.segment(state.lane(), number), segment.body(), PutCondition.ifAbsent());
    state.apply(segment.footer());
  }

  /** As a pass would have. */
  private void materialise(long number) {
    Watermarks raised = old.watermarks().raise(0, number);
    setMark(raised.toProperties().getOrDefault("wings.watermark.0", ""));
    new TableFiles(store, time, ids).note(old.id(), TABLE, raised, old.settings());
  }

  private void setMark(String value) {
    catalog.loadTable(TABLE).updateProperties().set("wings.watermark.0", value).commit();
  }

  private Standing look() {
    return readoption.look(MAIN, catalog, TABLE, HOME);
  }

  private void close() {
    readoption.close(MAIN, catalog, TABLE, HOME);
  }

  private AdoptedTable readopt() {
    return readoption.adopt(MAIN, catalog, TABLE, HOME);
  }

  private LaneState open(ObjectStore from, AdoptedTable table) {
    return new LaneOpener(from, time, ids, Threads.virtual(), Backoff.NONE)
        .open(table.lane(0), table.watermarks().number(0));
  }

  private Verdict verdict(AdoptedTable table, long epoch, long sequence) {
    return open(store, table).draft().look(PRODUCER, epoch, sequence);
  }

  @Test
  void aSoundTableIsLeftAlone() {
    materialise(4);
    assertInstanceOf(Standing.Sound.class, look());
    WingsException error = assertThrows(WingsException.class, this::readopt);
    assertEquals("lane-open", error.code());
    assertEquals(4, adoption.load(MAIN, catalog, TABLE).watermarks().number(0));
  }

  @Test
  void aClosedLogGoesOnUnderAnotherIncarnationWithItsProducers() {
    materialise(4);
    close();
    assertInstanceOf(Standing.Closed.class, look());
    assertTrue(readoption.left(MAIN, catalog, TABLE, HOME).getFirst().nothing());

    AdoptedTable next = readopt();

    assertNotEquals(old.incarnation(), next.incarnation());
    assertEquals(256, next.watermarks().number(0));
    assertNull(
        catalog.loadTable(TABLE).currentSnapshot().summary().get("wings.before.0"),
        "the earlier log's number says nothing of this one");
    assertEquals(new Verdict.Rejected(4), verdict(next, 1, 3));
    assertEquals(new Verdict.Accepted(), verdict(next, 1, 4));
    assertEquals(next.watermarks(), adoption.adopt(MAIN, catalog, TABLE).watermarks());
    assertInstanceOf(Standing.Sound.class, look());
  }

  /** Nobody acknowledged what is left behind as stored: who sends it again is not refused. */
  @Test
  void whatIsLeftBehindIsToldAndMayBeSentAgain() {
    materialise(3);
    close();
    Readoption.Left left = readoption.left(MAIN, catalog, TABLE, HOME).getFirst();
    assertEquals(3, left.since());
    assertEquals(1, left.remains().segments());

    AdoptedTable next = readopt();

    assertEquals(new Verdict.Rejected(3), verdict(next, 1, 2));
    assertEquals(new Verdict.Accepted(), verdict(next, 1, 3));
  }

  /** The producers are those as of the watermarks that the commit replaces, and no others. */
  @Test
  void aPassThatLandsMeanwhileIsNotForgotten() {
    materialise(2);
    close();
    ObjectStore racing =
        new FaultyStore(
            store,
            new Faults() {
              private boolean raced;

              @Override
              public Fault onPut(String key, PutCondition condition) {
                if (!raced && key.endsWith("256.wal")) {
                  raced = true;
                  materialise(4);
                }
                return new Fault.None();
              }

              @Override
              public Fault onOther(String key) {
                return new Fault.None();
              }
            },
            time);
    AdoptedTable next = readoption(CLUSTER, racing, racing).adopt(MAIN, catalog, TABLE, HOME);
    assertEquals(new Verdict.Rejected(4), verdict(next, 1, 3));
  }

  /** Trap 33, trap 34: a restored table counts another log, and takes no producer for new. */
  @Test
  void aRestoredTableForgetsItsProducersAndSaysSo() {
    String before = catalog.loadTable(TABLE).properties().getOrDefault("wings.watermark.0", "");
    materialise(3);
    setMark(before);
    assertEquals(
        "watermark-fell",
        assertThrows(WingsException.class, () -> adoption.adopt(MAIN, catalog, TABLE)).code());
    Standing.Apart apart = assertInstanceOf(Standing.Apart.class, look());
    assertTrue(apart.why().contains("older than [3]"), apart.why());
    close();
    Readoption.Left left = readoption.left(MAIN, catalog, TABLE, HOME).getFirst();
    assertEquals(0, left.since());
    assertEquals(4, left.remains().segments());

    AdoptedTable next = readopt();

    assertEquals(new Verdict.Forgotten(255), verdict(next, 1, 4));
    assertEquals(new Verdict.Forgotten(255), verdict(next, 1, 1));
  }

  @Test
  void aTableThatLostItsWatermarksIsTakenBack() {
    materialise(4);
    catalog.loadTable(TABLE).updateProperties().remove("wings.watermark.0").commit();
    assertInstanceOf(Standing.Apart.class, look());
    close();
    AdoptedTable next = readopt();
    assertEquals(new Verdict.Forgotten(255), verdict(next, 1, 4));
  }

  @Test
  void aLogWithAnUnreadableFooterGoesOnAndForgets() {
    materialise(4);
    store.put(Keys.segment(old.lane(0), 3), Body.of(new byte[] {1}), PutCondition.any());
    close();
    AdoptedTable next = readopt();
    assertEquals(new Verdict.Forgotten(255), verdict(next, 1, 4));
  }

  @Test
  void oneThatStoppedBeforeItsEndIsEndedByTheNext() {
    materialise(4);
    Body file = Body.of(store.get(Keys.tableJson(old.id())).orElseThrow().bytes());
    close();
    AdoptedTable next = readopt();
    store.put(Keys.tableJson(old.id()), file, PutCondition.any());
    assertEquals(
        "watermark-invalid",
        assertThrows(WingsException.class, () -> adoption.adopt(MAIN, catalog, TABLE)).code());

    assertInstanceOf(Standing.Unfinished.class, look());
    assertEquals(next.watermarks(), readopt().watermarks());
    assertEquals(next.watermarks(), adoption.adopt(MAIN, catalog, TABLE).watermarks());
  }

  @Test
  void anotherClusterTakesItOverOnlyWhenItIsSaidFromWhere() {
    materialise(4);
    MemoryStore there = new MemoryStore("new", time);
    Readoption move = readoption("c2", there, store);
    assertEquals(
        "table-adopted-elsewhere",
        assertThrows(
                WingsException.class,
                () -> move.look(MAIN, catalog, TABLE, new Readoption.Home("c2", MAIN)))
            .code());

    assertInstanceOf(Standing.Apart.class, move.look(MAIN, catalog, TABLE, HOME));
    move.close(MAIN, catalog, TABLE, HOME);
    assertTrue(new Boundaries(store, time, ids, Backoff.NONE).require(old.lane(0)).closed());
    AdoptedTable next = move.adopt(MAIN, catalog, TABLE, HOME);

    assertEquals("c2", next.watermarks().cluster());
    assertEquals(new Verdict.Rejected(4), open(there, next).draft().look(PRODUCER, 1, 3));
    assertInstanceOf(Standing.Sound.class, move.look(MAIN, catalog, TABLE, HOME));
  }

  /** As when a catalog's name changes: its log lies under the old one. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void anotherCatalogsNameTakesItOverOnlyWhenItIsSaidFromWhere(boolean older) {
    materialise(4);
    CatalogName second = new CatalogName("second");
    if (older) {
      Watermarks now = old.watermarks();
      Watermarks unnamed =
          new Watermarks(CLUSTER, null, now.table(), now.incarnation(), List.of(4L));
      setMark(unnamed.toProperties().getOrDefault("wings.watermark.0", ""));
    } else {
      WingsException error =
          assertThrows(
              WingsException.class,
              () -> readoption.look(second, catalog, TABLE, new Readoption.Home(CLUSTER, second)));
      assertEquals("table-adopted-elsewhere", error.code());
      assertTrue(error.toString().contains("--from-catalog main"), error.toString());
    }

    assertInstanceOf(Standing.Apart.class, readoption.look(second, catalog, TABLE, HOME));
    assertEquals(old.lane(0), readoption.left(second, catalog, TABLE, HOME).getFirst().lane());
    readoption.close(second, catalog, TABLE, HOME);
    assertTrue(new Boundaries(store, time, ids, Backoff.NONE).require(old.lane(0)).closed());
    AdoptedTable next = readoption.adopt(second, catalog, TABLE, HOME);

    assertEquals(second, next.id().catalog());
    assertEquals(second, next.watermarks().catalog());
    assertEquals(new Verdict.Rejected(4), open(store, next).draft().look(PRODUCER, 1, 3));
    assertInstanceOf(Standing.Sound.class, readoption.look(second, catalog, TABLE, HOME));
    assertEquals(
        "table-adopted-elsewhere",
        assertThrows(WingsException.class, () -> adoption.adopt(MAIN, catalog, TABLE)).code());
  }

  @Test
  void aForgottenTableThatComesBackIsNotTakenForNew() {
    materialise(4);
    Forgetting forgetting = new Forgetting(store, time, ids);
    Forgetting.Holdings holdings = forgetting.look(old.id());
    assertEquals(List.of(4L), holdings.lanes().stream().map(Forgetting.Lane::watermark).toList());
    assertEquals(5, holdings.objects().size());

    assertEquals(5, forgetting.forget(old.id()));

    LaneId lane = old.lane(0);
    assertTrue(new Boundaries(store, time, ids, Backoff.NONE).require(lane).closed());
    assertTrue(forgetting.look(old.id()).objects().isEmpty());
    assertEquals(
        "table-moved",
        assertThrows(WingsException.class, () -> adoption.adopt(MAIN, catalog, TABLE)).code());
    assertInstanceOf(Standing.Apart.class, look());
    close();
    assertTrue(readopt().watermarks().number(0) >= 256);
  }

  @Test
  void forgettingTellsWhatIsInNoTable() {
    materialise(2);
    Forgetting.Lane lane = new Forgetting(store, time, ids).look(old.id()).lanes().getFirst();
    assertEquals(2, lane.watermark());
    assertEquals(2, lane.above().segments());
  }
}
