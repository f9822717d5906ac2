package io.wings.catalog.own;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.wings.catalog.io.MetadataFile;
import io.wings.common.error.WingsException;
import java.nio.file.Path;
import java.util.Map;
import org.apache.iceberg.BaseTable;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableMetadataParser;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.types.Types;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MetadataSizeTest {
  private static final TableIdentifier ORDERS = TableIdentifier.of("sales", "orders");
  private static final Schema SCHEMA =
      new Schema(Types.NestedField.required(1, "id", Types.LongType.get()));
  private static final String LARGE = "x".repeat(15 * 1024 * 1024);

  private final Path warehouse;
  private final OwnCatalog catalog;

  MetadataSizeTest(@TempDir Path warehouse) {
    this.warehouse = warehouse;
    this.catalog = LocalOwnCatalog.open(warehouse, Map.of());
  }

  @BeforeEach
  void create() {
    catalog.createNamespace(Namespace.of("sales"));
  }

  private static void set(Table table, String key, String value) {
    table.updateProperties().set(key, value).commit();
  }

  @Test
  void refusesACommitThatGrowsMetadataBeyondTheLimit() {
    Table table = catalog.createTable(ORDERS, SCHEMA);
    set(table, "a", LARGE);
    set(table, "b", LARGE);

    assertThatThrownBy(() -> set(table, "c", LARGE))
        .isInstanceOf(WingsException.class)
        .hasMessageStartingWith("metadata-too-large: the metadata of sales.orders would have ")
        .hasMessageContaining("at most 32 MiB; expire snapshots");

    assertThat(catalog.loadTable(ORDERS).properties()).containsKey("b").doesNotContainKey("c");
    set(table, "c", "small");
  }

  @Test
  void refusesToMakeATableOfSuchMetadata() {
    assertThatThrownBy(
            () ->
                catalog
                    .buildTable(ORDERS, SCHEMA)
                    .withProperty("a", LARGE)
                    .withProperty("b", LARGE)
                    .withProperty("c", LARGE)
                    .create())
        .hasMessageStartingWith("metadata-too-large: ");
    assertThat(catalog.tableExists(ORDERS)).isFalse();
  }

  @Test
  void whatHasGrownElsewhereIsReadAndCanBeShrunk() {
    TableIdentifier other = TableIdentifier.of("sales", "other");
    Table seed = catalog.createTable(other, SCHEMA);
    TableMetadata grown =
        TableMetadata.buildFrom(((BaseTable) seed).operations().current())
            .setProperties(Map.of("a", LARGE, "b", LARGE, "c", LARGE))
            .build();
    String file = "file://" + warehouse + "/grown.metadata.json";
    TableMetadataParser.write(grown, catalog.io().newOutputFile(file));

    assertThat(MetadataFile.MAX_READ_BYTES).isGreaterThan(3 * LARGE.length());
    assertThat(TableMetadataParser.read(catalog.io(), file).properties()).containsKey("c");
    Table table = catalog.registerTable(ORDERS, file);

    assertThatThrownBy(() -> set(table, "d", "small")).hasMessageStartingWith("metadata-too-large");
    table.updateProperties().remove("a").commit();
    set(table, "d", "small");
  }
}
