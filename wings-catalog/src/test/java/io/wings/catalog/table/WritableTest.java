package io.wings.catalog.table;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.wings.catalog.commit.SeededIds;
import io.wings.catalog.commit.UnhurriedTime;
import io.wings.common.cluster.CatalogName;
import io.wings.common.concurrent.Threads;
import io.wings.common.error.ErrorKind;
import io.wings.common.error.WingsException;
import io.wings.common.objectstore.memory.MemoryStore;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.apache.arrow.vector.types.pojo.Schema;
import org.apache.iceberg.HasTableOperations;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableMetadataParser;
import org.apache.iceberg.TableOperations;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.expressions.Expressions;
import org.apache.iceberg.inmemory.InMemoryCatalog;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** What no worker can write is refused before anything of it is acknowledged. */
class WritableTest {
  private static final TableIdentifier TABLE = TableIdentifier.of("db", "t");
  private static final Field ID = Field.notNullable("id", new ArrowType.Int(64, true));
  private static final Field NOTHING = Field.nullable("nothing", ArrowType.Null.INSTANCE);
  private static final Type UNKNOWN = Types.UnknownType.get();

  private final InMemoryCatalog catalog = new InMemoryCatalog();
  private final UnhurriedTime time = new UnhurriedTime();
  private final Adoption adoption =
      new Adoption(
          "c1", new MemoryStore("cluster", time), time, new SeededIds(1), Threads.virtual());

  WritableTest() {
    catalog.initialize("test", Map.of());
    catalog.createNamespace(Namespace.of("db"));
  }

  private static Field nested(String name, ArrowType type, Field... children) {
    return new Field(name, FieldType.nullable(type), List.of(children));
  }

  private static Field map(String name, Field key, Field value) {
    return nested(
        name,
        new ArrowType.Map(false),
        new Field(
            "entries", FieldType.notNullable(ArrowType.Struct.INSTANCE), List.of(key, value)));
  }

  static Stream<Arguments> unwritable() {
    Field key = Field.notNullable("key", ArrowType.Utf8.INSTANCE);
    ArrowType struct = ArrowType.Struct.INSTANCE;
    return Stream.of(
        Arguments.of(
            nested("tags", ArrowType.List.INSTANCE, NOTHING),
            Types.ListType.ofOptional(3, UNKNOWN),
            "\"tags.element\""),
        Arguments.of(
            map("tags", key, NOTHING),
            Types.MapType.ofOptional(3, 4, Types.StringType.get(), UNKNOWN),
            "\"tags.value\""),
        Arguments.of(
            nested("tags", struct, NOTHING),
            Types.StructType.of(NestedField.optional(3, "nothing", UNKNOWN)),
            "\"tags\""),
        Arguments.of(
            nested("tags", ArrowType.List.INSTANCE, nested("item", struct, NOTHING)),
            Types.ListType.ofOptional(
                3, Types.StructType.of(NestedField.optional(4, "nothing", UNKNOWN))),
            "\"tags.element\""));
  }

  private static void refused(String says, Executable run) {
    WingsException error = assertThrows(WingsException.class, run);
    assertEquals("table-unsupported", error.code());
    assertEquals(ErrorKind.INVALID, error.kind());
    assertTrue(error.detail().contains(says), error.detail());
  }

  private boolean create(Schema schema, Map<String, String> properties) {
    return TableCreation.createIfMissing(catalog, TABLE, schema, null, null, properties, () -> {});
  }

  private Table created(org.apache.iceberg.Schema schema, Map<String, String> properties) {
    return catalog
        .buildTable(TABLE, schema)
        .withProperty("format-version", "3")
        .withProperties(properties)
        .create();
  }

  private void adopt() {
    adoption.adopt(new CatalogName("main"), catalog, TABLE);
  }

  @ParameterizedTest
  @MethodSource("unwritable")
  void aColumnThatNoFileHoldsIsNeitherCreatedNorAdopted(Field arrow, Type type, String says) {
    refused(says, () -> create(new Schema(List.of(ID, arrow)), Map.of()));
    assertFalse(catalog.tableExists(TABLE));
    created(
        new org.apache.iceberg.Schema(
            NestedField.required(1, "id", Types.LongType.get()),
            NestedField.optional(2, "tags", type)),
        Map.of());
    refused(says, this::adopt);
    assertTrue(catalog.loadTable(TABLE).currentSnapshot() == null, "nothing was committed to it");
  }

  @Test
  void aTableOfNothingButNullsIsNeitherCreatedNorAdopted() {
    refused("no column", () -> create(new Schema(List.of(NOTHING)), Map.of()));
    assertFalse(catalog.tableExists(TABLE));
    created(new org.apache.iceberg.Schema(NestedField.optional(1, "nothing", UNKNOWN)), Map.of());
    refused("no column", this::adopt);
  }

  @Test
  void aColumnOfTypeNullBesideOthersIsTaken() {
    assertTrue(
        create(
            new Schema(List.of(ID, NOTHING, nested("s", ArrowType.Struct.INSTANCE, ID, NOTHING))),
            Map.of()));
    assertDoesNotThrow(this::adopt);
  }

  @ParameterizedTest
  @CsvSource({
    "write.parquet.compression-codec, zpaq",
    "write.parquet.compression-level, most",
    "write.target-file-size-bytes, large",
    "write.parquet.page-size-bytes, small",
    "write.parquet.bloom-filter-fpp.column.id, few",
    "encryption.key-id, k1"
  })
  void aPropertyThatStopsTheWriterIsNeitherCreatedNorAdopted(String key, String value) {
    Map<String, String> properties =
        Map.of(key, value, "write.parquet.bloom-filter-enabled.column.id", "true");
    refused(key, () -> create(new Schema(List.of(ID)), properties));
    assertFalse(catalog.tableExists(TABLE));
    if (!key.startsWith("encryption")) {
      created(
          new org.apache.iceberg.Schema(NestedField.required(1, "id", Types.LongType.get())),
          properties);
      refused(key, this::adopt);
    }
  }

  /** A transform of a later version of Iceberg. */
  @Test
  void aPartitionFieldThatNobodyHereCanComputeIsNotAdopted() {
    Table table =
        created(
            new org.apache.iceberg.Schema(NestedField.required(1, "id", Types.LongType.get())),
            Map.of());
    table.updateSpec().addField("moon", Expressions.bucket("id", 4)).commit();
    TableOperations operations = ((HasTableOperations) table).operations();
    TableMetadata known = operations.refresh();
    String json = TableMetadataParser.toJson(known).replace("bucket[4]", "moon[4]");
    operations.commit(known, TableMetadataParser.fromJson(known.metadataFileLocation(), json));
    refused("\"moon\"", this::adopt);
  }
}
