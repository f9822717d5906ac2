package io.wings.catalog.own;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.wings.catalog.io.LocalFileIO;
import io.wings.catalog.io.LocationPolicy;
import io.wings.common.cluster.CatalogName;
import io.wings.common.error.WingsException;
import io.wings.common.id.Ids;
import io.wings.common.objectstore.Body;
import io.wings.common.objectstore.Fault;
import io.wings.common.objectstore.Faults;
import io.wings.common.objectstore.FaultyStore;
import io.wings.common.objectstore.ObjectHead;
import io.wings.common.objectstore.ObjectStore;
import io.wings.common.objectstore.PutCondition;
import io.wings.common.objectstore.StoreException;
import io.wings.common.objectstore.memory.MemoryStore;
import io.wings.common.time.Time;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.apache.iceberg.BaseTable;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DataFiles;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableOperations;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.exceptions.CommitFailedException;
import org.apache.iceberg.exceptions.CommitStateUnknownException;
import org.apache.iceberg.types.Types;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OwnCatalogTest {
  private static final Namespace NAMESPACE = Namespace.of("sales");
  private static final TableIdentifier ORDERS = TableIdentifier.of(NAMESPACE, "orders");
  private static final Schema SCHEMA =
      new Schema(Types.NestedField.required(1, "id", Types.LongType.get()));
  private static final DataFile FILE =
      DataFiles.builder(PartitionSpec.unpartitioned())
          .withPath("/nowhere/a.parquet")
          .withFileSizeInBytes(10)
          .withRecordCount(1)
          .build();

  private final Path warehouse;
  private final MemoryStore objects = new MemoryStore();

  OwnCatalogTest(@TempDir Path warehouse) {
    this.warehouse = warehouse;
  }

  @BeforeEach
  void create() {
    OwnCatalog catalog = open(objects);
    catalog.createNamespace(NAMESPACE);
    catalog
        .buildTable(ORDERS, SCHEMA)
        .withProperty("commit.retry.num-retries", "0")
        .withProperty("write.metadata.delete-after-commit.enabled", "true")
        .withProperty("write.metadata.previous-versions-max", "1")
        .create();
  }

  private OwnCatalog open(ObjectStore store) {
    return LocalOwnCatalog.open(warehouse, store);
  }

  private Table load() {
    return open(objects).loadTable(ORDERS);
  }

  /** With faults in puts of pointers only. */
  private Table loadWith(Faults faults) {
    Faults ofPointers =
        new Faults() {
          @Override
          public Fault onPut(String key, PutCondition condition) {
            return key.equals(OwnLayout.NAMES) ? new Fault.None() : faults.onPut(key, condition);
          }

          @Override
          public Fault onOther(String key) {
            return faults.onOther(key);
          }
        };
    return open(new FaultyStore(objects, ofPointers, Time.system())).loadTable(ORDERS);
  }

  private List<String> files() throws IOException {
    try (Stream<Path> walk = Files.walk(warehouse)) {
      return walk.filter(Files::isRegularFile).map(Path::toString).sorted().toList();
    }
  }

  private static void append(Table table) {
    table.newAppend().appendFile(FILE).commit();
  }

  private static int rows(Table table) {
    int files = 0;
    for (var _ : table.newScan().planFiles()) {
      files++;
    }
    return files;
  }

  /** Traps 2 and 6. */
  @Test
  void aCommitWhoseAnswerWasLostIsASuccess() {
    append(loadWith(Faults.script(new Fault.FailAfter())));

    assertThat(rows(load())).isEqualTo(1);
  }

  /** Traps 2 and 6. */
  @Test
  void aCommitWhoseAnswerWasLostIsASuccessAfterOthersWentOnFromIt() {
    AtomicBoolean lost = new AtomicBoolean();
    Table table =
        loadWith(
            new Faults() {
              @Override
              public Fault onPut(String key, PutCondition condition) {
                lost.set(true);
                return new Fault.FailAfter();
              }

              @Override
              public Fault onOther(String key) {
                if (lost.compareAndSet(true, false)) {
                  for (int i = 0; i < Pointer.MAX_EARLIER - 1; i++) {
                    load().updateProperties().set("later", "" + i).commit();
                  }
                }
                return new Fault.None();
              }
            });

    append(table);

    table.refresh();
    assertThat(rows(table)).isEqualTo(1);
    assertThat(table.properties()).containsEntry("later", "" + (Pointer.MAX_EARLIER - 2));
  }

  @Test
  void aCommitThatTooManyPassedIsUnknown() {
    AtomicBoolean lost = new AtomicBoolean();
    Table table =
        loadWith(
            new Faults() {
              @Override
              public Fault onPut(String key, PutCondition condition) {
                lost.set(true);
                return new Fault.FailBefore();
              }

              @Override
              public Fault onOther(String key) {
                if (lost.compareAndSet(true, false)) {
                  for (int i = 0; i <= Pointer.MAX_EARLIER; i++) {
                    load().updateProperties().set("later", "" + i).commit();
                  }
                }
                return new Fault.None();
              }
            });

    assertThatThrownBy(() -> append(table)).isInstanceOf(CommitStateUnknownException.class);
  }

  @Test
  void aCommitThatAnotherCameBeforeFailsForGood() {
    Table late = load();
    TableOperations operations = ((BaseTable) late).operations();
    var base = operations.current();
    load().updateProperties().set("first", "").commit();

    assertThatThrownBy(() -> operations.commit(base, base.replaceProperties(Map.of("second", ""))))
        .isInstanceOf(CommitFailedException.class);

    assertThat(load().properties()).containsKey("first").doesNotContainKey("second");
  }

  /** Trap 43. */
  @Test
  void aCommitThatMayStillLandIsUnknownAndKeepsItsMetadata() throws IOException {
    FaultyStore faulty =
        new FaultyStore(objects, Faults.script(new Fault.LandsLater(1_000_000)), Time.system());
    Table table = open(faulty).loadTable(ORDERS);

    assertThatThrownBy(() -> append(table)).isInstanceOf(CommitStateUnknownException.class);
    List<String> afterUnknown = files();
    assertThat(rows(load())).isZero();

    faulty.landAll();
    assertThat(rows(load())).isEqualTo(1);
    assertThat(files()).isEqualTo(afterUnknown);
  }

  /** Trap 43. */
  @Test
  void aCommitIsUnknownWhenThePointerCannotBeReadBack() {
    AtomicBoolean down = new AtomicBoolean();
    Table table =
        loadWith(
            new Faults() {
              @Override
              public Fault onPut(String key, PutCondition condition) {
                down.set(true);
                return new Fault.FailAfter();
              }

              @Override
              public Fault onOther(String key) {
                return down.get() ? new Fault.Throttled() : new Fault.None();
              }
            });

    assertThatThrownBy(() -> append(table)).isInstanceOf(CommitStateUnknownException.class);

    assertThat(rows(load())).isEqualTo(1);
  }

  /** Trap 43. */
  @Test
  void aFailedCommitDeletesNothingEither() throws IOException {
    Table table = loadWith(Faults.script(new Fault.NoSpace()));
    List<String> before = files();

    assertThatThrownBy(() -> append(table)).isInstanceOf(StoreException.class);

    assertThat(files()).containsAll(before).hasSize(before.size() + 3);
  }

  /** Trap 43. */
  @Test
  void oldMetadataFilesAreLeftToMaintenance() throws IOException {
    for (int i = 0; i < 4; i++) {
      load().updateProperties().set("n", "" + i).commit();
    }

    assertThat(files().stream().filter(file -> file.endsWith(".metadata.json"))).hasSize(5);
  }

  @Test
  void aTableCreatedWithALostAnswerIsThere() {
    for (Fault fault : List.of(new Fault.FailAfter(), new Fault.LandsLater(2))) {
      TableIdentifier name = TableIdentifier.of(NAMESPACE, fault.getClass().getSimpleName());
      ObjectStore faulty = new FaultyStore(objects, (_, _) -> fault, Time.system());

      open(faulty).createTable(name, SCHEMA);

      assertThat(open(objects).loadTable(name).schema().columns()).hasSize(1);
    }
  }

  @Test
  void aDroppedTableTakesNoCommitAndKeepsItsFiles() throws IOException {
    Table held = load();
    TableOperations operations = ((BaseTable) held).operations();
    var base = operations.current();
    List<String> before = files();

    assertThat(open(objects).dropTable(ORDERS, true)).isTrue();

    assertThatThrownBy(() -> operations.commit(base, base.replaceProperties(Map.of("a", "b"))))
        .isInstanceOf(CommitFailedException.class);
    assertThat(files()).containsAll(before);
    assertThat(open(objects).dropTable(ORDERS, true)).isFalse();
  }

  @Test
  void aPurgeIsRecordedForMaintenance() {
    List<String> pointers = keys("tables/");
    open(objects).dropTable(ORDERS, true);

    Pointer pointer =
        new PointerCodec().decode(objects.get(pointers.getFirst()).orElseThrow().bytes()).value();
    assertThat(pointer.state()).isEqualTo(Pointer.State.DROPPED_TO_PURGE);
  }

  private List<String> keys(String prefix) {
    List<String> keys = new ArrayList<>();
    objects.list(prefix, "").forEachRemaining((ObjectHead head) -> keys.add(head.key()));
    return keys;
  }

  /** Trap 15. */
  @Test
  void aRecreatedNamesakeIsAnotherTableInAnotherPlace() {
    Table first = load();
    open(objects).dropTable(ORDERS, false);
    Table second = open(objects).createTable(ORDERS, SCHEMA);

    assertThat(second.uuid()).isNotEqualTo(first.uuid());
    assertThat(second.location()).isNotEqualTo(first.location());
  }

  @Test
  void namesFromOutsideNeverEnterKeysUnescaped() throws IOException {
    OwnCatalog catalog = open(objects);
    Namespace namespace = Namespace.of("..");
    catalog.createNamespace(namespace);
    for (String name : List.of("../../../x", "_wings", "a\\b", "%2e%2e%2f", "ünïcode 🤪", "..")) {
      TableIdentifier table = TableIdentifier.of(namespace, name);
      catalog.createTable(table, SCHEMA);
      catalog.loadTable(table).updateProperties().set("a", "b").commit();
      assertThat(catalog.tableExists(table)).isTrue();
    }

    assertThat(keys("")).allMatch(key -> key.matches("names\\.json|tables/[0-9a-f]{32}\\.json"));
    assertThat(files())
        .allMatch(
            file ->
                file.substring(warehouse.toString().length())
                    .matches("/(sales|n__)/[A-Za-z0-9_-]+-[0-9a-f]{32}/metadata/[a-z0-9.-]+"));
  }

  @Test
  void refusesNamesThatNoClientCouldSend() {
    OwnCatalog catalog = open(objects);
    for (String name : List.of("", "a\u001fb", "a\nb", "x".repeat(256))) {
      assertThatThrownBy(() -> catalog.createTable(TableIdentifier.of(NAMESPACE, name), SCHEMA))
          .isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> catalog.createNamespace(Namespace.of("a", name)))
          .isInstanceOf(IllegalArgumentException.class);
    }
    assertThatThrownBy(() -> catalog.createTable(TableIdentifier.of("rootless"), SCHEMA))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void refusesAWarehouseWhoseNamesAreGone() {
    OwnCatalog catalog = open(objects);
    objects.delete(OwnLayout.NAMES);

    assertThatThrownBy(() -> catalog.listTables(NAMESPACE))
        .isInstanceOf(WingsException.class)
        .hasMessageStartingWith("names-missing:");
  }

  @Test
  void refusesTheWarehouseOfAnotherCatalog() {
    MemoryStore other = new MemoryStore();
    other.put(
        OwnLayout.NAMES, new NamesCodec().encode(Names.empty("rival"), "p"), PutCondition.any());

    assertThatThrownBy(() -> open(other))
        .isInstanceOf(WingsException.class)
        .hasMessageStartingWith("warehouse-taken:")
        .hasMessageNotContaining("rival");
  }

  @Test
  void refusesAFormatThatItDoesNotKnow() {
    String names =
        new String(objects.get(OwnLayout.NAMES).orElseThrow().bytes(), StandardCharsets.UTF_8);
    String later = names.replace("\"format_version\" : 1", "\"format_version\" : 2");
    assertThat(later).isNotEqualTo(names);
    objects.put(
        OwnLayout.NAMES, Body.of(later.getBytes(StandardCharsets.UTF_8)), PutCondition.any());

    assertThatThrownBy(() -> open(objects))
        .isInstanceOf(WingsException.class)
        .hasMessageStartingWith("names-version:");
  }

  @Test
  void refusesTableEncryptionRatherThanWritingInTheClear() {
    assertThatThrownBy(() -> load().updateProperties().set("encryption.key-id", "k").commit())
        .isInstanceOf(UnsupportedOperationException.class);
  }

  @Test
  void probesAStoreBeforeItsFirstObject() {
    MemoryStore fresh = new MemoryStore();
    OwnCatalogSettings settings =
        new OwnCatalogSettings(
            new CatalogName("main"),
            "file://" + warehouse,
            new LocalFileIO(),
            LocationPolicy.any(),
            Map.of());

    assertThatThrownBy(
            () ->
                OwnCatalog.open(
                    settings,
                    fresh,
                    _ -> {
                      throw WingsException.invalid("store-unsafe", "it ignores conditions");
                    },
                    Time.system(),
                    Ids.secure()))
        .hasMessageStartingWith("store-unsafe:");
    assertThat(fresh.list("", "").hasNext()).isFalse();
  }

  @Test
  void aNamespaceMayPlaceItsTables() {
    OwnCatalog catalog = open(objects);
    Namespace placed = Namespace.of("placed");
    catalog.createNamespace(placed, Map.of("location", "file://" + warehouse + "/elsewhere"));

    Table table = catalog.createTable(TableIdentifier.of(placed, "t"), SCHEMA);

    assertThat(table.location()).startsWith("file://" + warehouse + "/elsewhere/t-");
  }

  /** Else whoever may commit to it could have its files, and their removal, go to another's. */
  @Test
  void aTableIsLedNowhereButBelowItsLocation() {
    Table table = load();
    String own = table.location();
    TableIdentifier other = TableIdentifier.of(NAMESPACE, "other");
    String others = open(objects).createTable(other, SCHEMA).location();
    for (String place :
        List.of(others, others + "/data", own + "2/data", own + "/../x", "s3://b")) {
      for (String property : List.of("write.data.path", "write.metadata.path")) {
        assertThatThrownBy(() -> load().updateProperties().set(property, place).commit())
            .hasMessageStartingWith("location-refused: " + property + " of sales.orders");
      }
      assertThatThrownBy(() -> load().updateLocation().setLocation(place).commit())
          .hasMessageStartingWith("location-refused: location of sales.orders");
    }
    assertThat(load().location()).isEqualTo(own);
    load().updateProperties().set("write.data.path", own + "/elsewhere").commit();
    load().updateLocation().setLocation(own + "/within").commit();
    load().updateProperties().set("comment", "what was set before stays").commit();
    assertThat(load().properties()).containsEntry("write.data.path", own + "/elsewhere");
  }

  @Test
  void whereATableWasMadeMayBeAnywhere() {
    TableIdentifier name = TableIdentifier.of(NAMESPACE, "other");
    String elsewhere = "file://" + warehouse + "/elsewhere";
    open(objects).buildTable(name, SCHEMA).withProperty("write.data.path", elsewhere).create();
    open(objects).loadTable(name).updateProperties().set("comment", "x").commit();
    assertThat(open(objects).loadTable(name).properties())
        .containsEntry("write.data.path", elsewhere);
  }
}
