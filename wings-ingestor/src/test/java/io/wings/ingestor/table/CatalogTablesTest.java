package io.wings.ingestor.table;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import io.wings.catalog.Catalogs;
import io.wings.catalog.OneCatalog;
import io.wings.catalog.TenantCatalog;
import io.wings.catalog.table.Adoption;
import io.wings.catalog.table.ColumnAdditions;
import io.wings.common.cluster.CatalogName;
import io.wings.common.concurrent.Threads;
import io.wings.common.flight.TableName;
import io.wings.common.id.Ids;
import io.wings.common.objectstore.memory.MemoryStore;
import io.wings.common.time.Time;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.inmemory.InMemoryCatalog;
import org.apache.iceberg.types.Types;
import org.junit.jupiter.api.Test;

class CatalogTablesTest {
  private static final TableIdentifier TABLE = TableIdentifier.of("db", "t");

  private final Map<CatalogName, InMemoryCatalog> catalogs = new HashMap<>();
  private final Adoption adoption =
      new Adoption("c1", new MemoryStore(), Time.system(), Ids.secure(), Threads.virtual());
  private final CatalogTables tables =
      new CatalogTables(
          new Tenants(),
          adoption,
          new ColumnAdditions(adoption, Time.system(), Ids.secure()),
          Duration.ofMinutes(1),
          Time.system(),
          Threads.virtual());

  private TableName table(String tenant, String column) {
    InMemoryCatalog catalog = new InMemoryCatalog();
    catalog.initialize(tenant, Map.of("warehouse", "/" + tenant));
    catalog.createNamespace(Namespace.of("db"));
    Table _ =
        catalog
            .buildTable(
                TABLE, new Schema(Types.NestedField.required(1, column, Types.LongType.get())))
            .withProperty("format-version", "3")
            .create();
    CatalogName name = new CatalogName(tenant);
    catalogs.put(name, catalog);
    return new TableName(name, List.of("db"), "t");
  }

  private static String column(StreamTable table) {
    return table.schema().getFields().getFirst().getName();
  }

  /** Trap 38: what is remembered of a table is not of its namesake in another tenant's catalog. */
  @Test
  void tenantsTablesOfOneNameAreRememberedApart() {
    TableName first = table("one", "id");
    TableName second = table("two", "secret");
    for (int i = 0; i < 2; i++) {
      assertEquals("id", column(tables.current(first, () -> {})));
      assertEquals("secret", column(tables.current(second, () -> {})));
    }
    assertNotEquals(tables.open(first, () -> {}).id(), tables.open(second, () -> {}).id());
  }

  private final class Tenants implements Catalogs {
    @Override
    public TenantCatalog open(CatalogName name) {
      return new OneCatalog(name, Objects.requireNonNull(catalogs.get(name)));
    }

    @Override
    public void close() {}
  }
}
