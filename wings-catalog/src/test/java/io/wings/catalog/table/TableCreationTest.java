package io.wings.catalog.table;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.wings.common.error.WingsException;
import java.util.List;
import java.util.Map;
import org.apache.arrow.vector.types.TimeUnit;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.Schema;
import org.apache.iceberg.HasTableOperations;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.inmemory.InMemoryCatalog;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TableCreationTest {
  private static final TableIdentifier TABLE =
      TableIdentifier.of(Namespace.of("sales", "eu"), "orders");
  private static final Schema SCHEMA =
      new Schema(
          List.of(
              Field.notNullable("id", new ArrowType.Int(64, true)),
              Field.nullable("at", new ArrowType.Timestamp(TimeUnit.MILLISECOND, "Europe/Berlin")),
              Field.nullable("country", ArrowType.Utf8.INSTANCE)));

  private final InMemoryCatalog catalog = new InMemoryCatalog();

  TableCreationTest() {
    catalog.initialize("test", Map.of());
  }

  @Test
  void makesAFormatThreeTableWithItsNamespaces() {
    String spec =
        """
        {"spec-id": 0, "fields": [
          {"name": "day", "transform": "day", "source-id": 2, "field-id": 1000},
          {"name": "country_bucket", "transform": "bucket[4]", "source-id": 3, "field-id": 1001}]}
        """;
    String order =
        """
        {"order-id": 1, "fields": [
          {"transform": "identity", "source-id": 1, "direction": "asc", "null-order": "nulls-first"}]}
        """;
    assertTrue(create(spec, order, Map.of("wings.commit-interval", "1s")));
    Table table = catalog.loadTable(TABLE);
    assertEquals(3, ((HasTableOperations) table).operations().current().formatVersion());
    assertEquals(List.of("day", "country_bucket"), names(table));
    assertTrue(table.sortOrder().isSorted());
    assertEquals("1s", table.properties().get("wings.commit-interval"));
    assertEquals("true", table.properties().get("write.metadata.delete-after-commit.enabled"));
    assertEquals("20", table.properties().get("write.metadata.previous-versions-max"));
    assertFalse(create(spec, order, Map.of()));
  }

  @Test
  void aTableThatIsThereIsLeftAlone() {
    create(null, null, Map.of());
    java.util.UUID uuid = catalog.loadTable(TABLE).uuid();
    assertFalse(create(null, null, Map.of("owner", "someone else")));
    assertEquals(uuid, catalog.loadTable(TABLE).uuid());
    assertFalse(catalog.loadTable(TABLE).properties().containsKey("owner"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{}",
        "not json",
        "{\"spec-id\": 0, \"fields\": [{\"name\": \"x\", \"transform\": \"day\", \"source-id\": 3, \"field-id\": 1000}]}",
        "{\"spec-id\": 0, \"fields\": [{\"name\": \"x\", \"transform\": \"day\", \"source-id\": 9, \"field-id\": 1000}]}",
        "{\"spec-id\": 0, \"fields\": [{\"name\": \"x\", \"transform\": \"moon\", \"source-id\": 1, \"field-id\": 1000}]}",
      })
  void refusesAPartitionSpecThatDoesntFit(String spec) {
    WingsException error = assertThrows(WingsException.class, () -> create(spec, null, Map.of()));
    assertEquals("partition-spec-invalid", error.code());
    assertNothingLeft();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"order-id\": 1, \"fields\": [{\"transform\": \"identity\", \"source-id\": 7, \"direction\": \"asc\", \"null-order\": \"nulls-first\"}]}",
        "{\"order-id\": 1, \"fields\": [{\"transform\": \"day\", \"source-id\": 1, \"direction\": \"asc\", \"null-order\": \"nulls-first\"}]}",
        "[]",
      })
  void refusesASortOrderThatDoesntFit(String order) {
    WingsException error = assertThrows(WingsException.class, () -> create(null, order, Map.of()));
    assertEquals("sort-order-invalid", error.code());
    assertNothingLeft();
  }

  @Test
  void suggestsTheColumnThatWasMeant() {
    String spec =
        "{\"spec-id\":0,\"fields\":[{\"name\":\"c\",\"transform\":\"identity\",\"source-name\":\"contry\"}]}";
    WingsException error = assertThrows(WingsException.class, () -> create(spec, null, Map.of()));
    assertEquals(
        "partition-spec-invalid: unknown column 'contry'; did you mean 'country'?",
        error.getMessage());
    assertNothingLeft();
  }

  @Test
  void refusesAnotherFormat() {
    WingsException error =
        assertThrows(WingsException.class, () -> create(null, null, Map.of("format-version", "2")));
    assertEquals("table-format-unsupported", error.code());
    assertNothingLeft();
  }

  @Test
  void refusesWatermarksFromOutside() {
    WingsException error =
        assertThrows(
            WingsException.class, () -> create(null, null, Map.of("wings.watermark.0", "x")));
    assertEquals("table-setting-invalid", error.code());
    assertNothingLeft();
  }

  @ParameterizedTest
  @ValueSource(strings = {"a/b", " ", "a\nb"})
  void refusesNamesThatNoPathCanHold(String name) {
    WingsException error =
        assertThrows(
            WingsException.class,
            () ->
                TableCreation.createIfMissing(
                    catalog,
                    TableIdentifier.of("db", name),
                    SCHEMA,
                    null,
                    null,
                    Map.of(),
                    () -> {}));
    assertEquals("table-name-invalid", error.code());
  }

  private void assertNothingLeft() {
    assertEquals(List.of(), catalog.listNamespaces());
  }

  private boolean create(
      @org.jspecify.annotations.Nullable String spec,
      @org.jspecify.annotations.Nullable String order,
      Map<String, String> properties) {
    return TableCreation.createIfMissing(catalog, TABLE, SCHEMA, spec, order, properties, () -> {});
  }

  private static List<String> names(Table table) {
    return table.spec().fields().stream().map(field -> field.name()).toList();
  }
}
