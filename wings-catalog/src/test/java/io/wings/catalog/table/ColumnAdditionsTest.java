package io.wings.catalog.table;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.wings.catalog.commit.FaultyCatalog;
import io.wings.catalog.commit.FaultyCatalog.Fault;
import io.wings.catalog.commit.SeededIds;
import io.wings.catalog.commit.TableCommits;
import io.wings.catalog.commit.UnhurriedTime;
import io.wings.common.cluster.CatalogName;
import io.wings.common.concurrent.Threads;
import io.wings.common.error.WingsException;
import io.wings.common.objectstore.ObjectStore;
import io.wings.common.objectstore.memory.MemoryStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.apache.iceberg.HasTableOperations;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

@ParameterizedClass
@ValueSource(booleans = {false, true})
class ColumnAdditionsTest {
  private static final CatalogName MAIN = new CatalogName("main");
  private static final TableIdentifier TABLE = TableIdentifier.of("db", "t");
  private static final Map<String, String> ADDS = Map.of("wings.schema.evolution", "add-columns");
  private static final ArrowType LONG = new ArrowType.Int(64, true);
  private static final ArrowType INT = new ArrowType.Int(32, true);
  private static final ArrowType TEXT = new ArrowType.Utf8();

  private final FaultyCatalog catalog;
  private final UnhurriedTime time = new UnhurriedTime();
  private final ObjectStore store = new MemoryStore("cluster", time);
  private final SeededIds ids = new SeededIds(1);
  private final Adoption adoption = new Adoption("c1", store, time, ids, Threads.virtual());
  private final ColumnAdditions additions = new ColumnAdditions(adoption, time, ids);

  /** How often it was said that columns are about to be added. */
  private int told;

  ColumnAdditionsTest(boolean rest) {
    catalog = new FaultyCatalog(rest);
  }

  private AdoptedTable create(Map<String, String> properties) {
    return create(
        properties,
        new Schema(
            Types.NestedField.required(1, "id", Types.LongType.get()),
            Types.NestedField.optional(
                2,
                "at",
                Types.StructType.of(Types.NestedField.optional(3, "city", Types.StringType.get()))),
            Types.NestedField.optional(
                4,
                "tags",
                Types.ListType.ofOptional(
                    5,
                    Types.StructType.of(
                        Types.NestedField.optional(6, "key", Types.StringType.get()))))));
  }

  private AdoptedTable create(Map<String, String> properties, Schema schema) {
    var builder = catalog.buildTable(TABLE, schema).withProperty("format-version", "3");
    properties.forEach(builder::withProperty);
    builder.create();
    return adoption.adopt(MAIN, catalog, TABLE);
  }

  private static Field field(String name, ArrowType type, Field... children) {
    return new Field(name, FieldType.nullable(type), List.of(children));
  }

  private static org.apache.arrow.vector.types.pojo.Schema stream(Field... fields) {
    List<Field> all = new ArrayList<>();
    all.add(Field.notNullable("id", LONG));
    all.addAll(List.of(fields));
    return new org.apache.arrow.vector.types.pojo.Schema(all);
  }

  private AdoptedTable add(Field... fields) {
    return additions.add(MAIN, catalog, TABLE, stream(fields), () -> told++);
  }

  private WingsException refused(Field... fields) {
    return assertThrows(WingsException.class, () -> add(fields));
  }

  /** Nothing notes what the snapshots had reached: it would be left for good. */
  @Test
  void addingColumnsExpiresNothing() {
    create(Map.of("wings.schema.evolution", "add-columns", "wings.max-snapshots", "2"));
    for (int commit = 1; commit <= 4; commit++) {
      catalog.loadTable(TABLE).newAppend().commit();
    }
    add(field("n", LONG));
    Table table = catalog.loadTable(TABLE);
    assertEquals(6, ((HasTableOperations) table).operations().current().snapshots().size());
  }

  private Type type(String column) {
    return catalog.loadTable(TABLE).schema().findType(column);
  }

  @Test
  void missingColumnsAreAddedOptionalAtEveryLevelInOneCommit() {
    create(ADDS);
    int before = catalog.posts();
    AdoptedTable added =
        add(
            Field.notNullable("amount", LONG),
            field("at", new ArrowType.Struct(), field("zip", TEXT)),
            field(
                "tags",
                new ArrowType.List(),
                field("element", new ArrowType.Struct(), field("key", TEXT), field("n", INT))),
            field(
                "more", new ArrowType.Struct(), Field.notNullable("a", LONG), field("b.c", TEXT)));
    assertEquals(before + 1, catalog.posts());
    Schema schema = catalog.loadTable(TABLE).schema();
    assertEquals(schema.asStruct(), added.table().schema().asStruct());
    assertEquals(Types.LongType.get(), schema.findType("amount"));
    assertTrue(schema.findField("amount").isOptional());
    assertEquals(Types.StringType.get(), schema.findType("at.zip"));
    assertEquals(Types.IntegerType.get(), schema.findType("tags.element.n"));
    assertTrue(schema.findField("more.a").isOptional());
    assertEquals(
        List.of("id", "at", "tags", "amount", "more"),
        schema.columns().stream().map(Types.NestedField::name).toList());
  }

  /** It asserts main, like every commit of Wings, and leaves the watermarks as they are. */
  @Test
  void theCommitHasASnapshotOfItsOwnAndMovesNoWatermark() {
    AdoptedTable before = create(ADDS);
    AdoptedTable after = add(field("extra", TEXT));
    Snapshot snapshot = catalog.loadTable(TABLE).currentSnapshot();
    assertNotNull(snapshot.summary().get(TableCommits.ATTEMPT));
    assertEquals("0", snapshot.summary().getOrDefault("added-records", "0"));
    assertEquals(before.watermarks(), after.watermarks());
  }

  @Test
  void nothingIsCommittedWhereNothingIsMissing() {
    create(ADDS);
    int before = catalog.posts();
    AdoptedTable _ = add(field("at", new ArrowType.Struct(), field("city", TEXT)));
    assertEquals(before, catalog.posts());
    assertEquals(0, told);
  }

  @Test
  void aTableThatDoesNotAskForItStaysAsItIs() {
    create(Map.of());
    int before = catalog.posts();
    AdoptedTable same = add(field("extra", TEXT));
    assertEquals(before, catalog.posts());
    WingsException error =
        assertThrows(
            WingsException.class,
            () -> ArrowSchemas.align(stream(field("extra", TEXT)), same.table().schema()));
    assertEquals("schema-mismatch", error.code());
    assertTrue(error.detail().contains("wings.schema.evolution=add-columns"), error.detail());
  }

  /** Traps 6 and 7. */
  @ParameterizedTest
  @EnumSource(Fault.class)
  void eachColumnIsAddedOnceWhateverBecomesOfThePost(Fault fault) {
    create(ADDS);
    catalog.next(fault);
    AdoptedTable added = add(field("extra", TEXT));
    catalog.deliver();
    assertEquals(Types.StringType.get(), added.table().schema().findType("extra"));
    assertEquals(
        added.table().schema().findField("extra").fieldId(),
        catalog.loadTable(TABLE).schema().findField("extra").fieldId());
    assertEquals(4, catalog.loadTable(TABLE).schema().columns().size());
    assertEquals(List.of(), catalog.deletes());
    assertEquals(1, told);
  }

  /** Both ingestors looked before either committed. */
  @Test
  void twoThatAddTheSameColumnFindItThere() {
    create(ADDS);
    catalog.next(Fault.DELAYED);
    AdoptedTable first = add(field("extra", LONG));
    int posts = catalog.posts();
    AdoptedTable second = add(field("extra", INT));
    assertEquals(posts, catalog.posts());
    assertEquals(first.table().schema().asStruct(), second.table().schema().asStruct());
    catalog.deliver();
    assertEquals(Types.LongType.get(), type("extra"));
    Alignment _ = ArrowSchemas.align(stream(field("extra", INT)), second.table().schema());
  }

  @Test
  void oneThatIsOvertakenByTheSameColumnCommitsNothing() {
    create(ADDS);
    AdoptedTable added = raced(LONG, LONG);
    assertEquals(Types.LongType.get(), added.table().schema().findType("extra"));
    assertEquals(4, added.table().schema().columns().size());
  }

  /** The first one's stays; the other's stream is refused and nothing of it is committed. */
  @Test
  void oneThatIsOvertakenByAConflictingColumnIsRefusedByTheAlignment() {
    create(ADDS);
    AdoptedTable added = raced(TEXT, LONG);
    assertEquals(Types.StringType.get(), added.table().schema().findType("extra"));
    WingsException error =
        assertThrows(
            WingsException.class,
            () -> ArrowSchemas.align(stream(field("extra", LONG)), added.table().schema()));
    assertEquals("schema-mismatch", error.code());
    assertTrue(error.detail().contains("\"extra\": expected string"), error.detail());
  }

  /** Adds a column; between its look and its post another ingestor adds one of that name. */
  private AdoptedTable raced(ArrowType theirs, ArrowType ours) {
    int[] looks = {0};
    Adoption racing =
        new Adoption(
            "c1",
            new io.wings.common.objectstore.FaultyStore(
                store,
                new io.wings.common.objectstore.Faults() {
                  @Override
                  public io.wings.common.objectstore.Fault onPut(
                      String key, io.wings.common.objectstore.PutCondition condition) {
                    return new io.wings.common.objectstore.Fault.None();
                  }

                  @Override
                  public io.wings.common.objectstore.Fault onOther(String key) {
                    // The table was loaded before its table.json is read.
                    if (looks[0]++ == 0) {
                      AdoptedTable _ = add(field("extra", theirs));
                    }
                    return new io.wings.common.objectstore.Fault.None();
                  }
                },
                time),
            time,
            ids,
            Threads.virtual());
    AdoptedTable added =
        new ColumnAdditions(racing, time, ids)
            .add(MAIN, catalog, TABLE, stream(field("extra", ours)), () -> {});
    assertTrue(looks[0] > 0);
    return added;
  }

  @Test
  void whatCanNotBeAddedIsRefusedAndNothingElseIsAddedEither() {
    create(ADDS);
    int before = catalog.posts();
    assertEquals("schema-mismatch", refused(field("good", TEXT), field("Id", LONG)).code());
    assertTrue(refused(field("none", new ArrowType.Null())).detail().contains("cast it"));
    assertEquals("schema-mismatch", refused(field("a", TEXT), field("A", TEXT)).code());
    assertEquals(
        "type-unsupported",
        refused(
                field(
                    "span", new ArrowType.Duration(org.apache.arrow.vector.types.TimeUnit.SECOND)))
            .code());
    assertEquals("schema-mismatch", refused(field("good", TEXT), field("at", LONG)).code());
    assertEquals(before, catalog.posts());
    assertNull(type("good"));
  }

  @Test
  void batchesAreCheckedAgainstWhatTheTableWillBe() {
    AdoptedTable table = create(ADDS);
    Alignment after =
        ColumnAdditions.alignmentAfter(stream(field("extra", LONG)), table.table().schema());
    assertEquals(
        List.of("id", "at", "tags", "extra"),
        after.target().getFields().stream().map(Field::getName).toList());
    assertNull(type("extra"));
  }

  @Test
  void aTableOfTooManyFieldsIsRefused() {
    create(ADDS);
    Field[] many = new Field[ArrowSchemas.MAX_FIELDS];
    for (int i = 0; i < many.length; i++) {
      many[i] = field("c" + i, INT);
    }
    WingsException error = refused(many);
    assertTrue(List.of("schema-mismatch", "schema-invalid").contains(error.code()), error.code());
  }

  @Test
  void aTableGoesOnAcrossManyCommitsThatMoveItsWatermarks() {
    AdoptedTable table = create(ADDS);
    catalog.onceLanded(
        () ->
            catalog
                .loadTable(TABLE)
                .updateProperties()
                .set(
                    "wings.watermark.0",
                    table
                        .watermarks()
                        .raise(0, 3)
                        .toProperties()
                        .getOrDefault("wings.watermark.0", ""))
                .commit());
    catalog.next(Fault.LANDED_UNKNOWN);
    AdoptedTable added = add(field("extra", LONG));
    assertEquals(List.of(3L), added.watermarks().numbers());
    Table loaded = catalog.loadTable(TABLE);
    assertEquals(Types.LongType.get(), loaded.schema().findType("extra"));
  }
}
