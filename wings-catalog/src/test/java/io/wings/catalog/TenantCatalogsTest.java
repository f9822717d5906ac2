package io.wings.catalog;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Map;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.types.Types;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TenantCatalogsTest {
  private static final Namespace SALES = Namespace.of("sales");
  private static final TableIdentifier ORDERS = TableIdentifier.of(SALES, "orders");
  private static final Schema SCHEMA =
      new Schema(Types.NestedField.required(1, "id", Types.LongType.get()));

  private final Path directory;
  private LocalTenants tenants;

  TenantCatalogsTest(@TempDir Path directory) {
    this.directory = directory;
    this.tenants = new LocalTenants(directory);
  }

  @BeforeEach
  void reopen() {
    tenants.close();
    tenants = new LocalTenants(directory);
  }

  @AfterEach
  void close() {
    tenants.close();
  }

  private static void createAndCommit(TenantCatalog catalog) {
    catalog.namespaces().createNamespace(SALES);
    Table table = catalog.catalog().createTable(ORDERS, SCHEMA);
    table.updateProperties().set("owner", "me").commit();
    assertThat(catalog.catalog().loadTable(ORDERS).properties()).containsEntry("owner", "me");
  }

  @Test
  void opensItsOwnCatalogOverADirectory() {
    try (TenantCatalog catalog = tenants.wings("main")) {
      createAndCommit(catalog);
      assertThat(catalog.catalog().loadTable(ORDERS).location())
          .startsWith(tenants.warehouse("main") + "/sales/orders-");
    }
  }

  @Test
  void opensAJdbcCatalog() {
    String database = "jdbc:sqlite:" + directory.resolve("catalog.db");
    try (TenantCatalog catalog =
        tenants.open(
            "sql",
            Map.of("type", "jdbc", "uri", database, "warehouse", tenants.warehouse("sql")))) {
      createAndCommit(catalog);
    }
  }
}
