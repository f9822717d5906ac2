package io.wings.catalog.own;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.catalog.CatalogTests;
import org.apache.iceberg.catalog.TableIdentifier;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Iceberg's own contract of a catalog. */
@NullUnmarked
class OwnCatalogContractTest extends CatalogTests<OwnCatalog> {
  private final List<OwnCatalog> opened = new ArrayList<>();
  @TempDir private Path warehouse;
  private OwnCatalog catalog;

  @BeforeEach
  void open() {
    Map<String, String> properties = new HashMap<>();
    for (String key : List.of("default-key1", "default-key2", "override-key3")) {
      properties.put("table-default." + key, "catalog-" + key);
    }
    for (String key : List.of("override-key3", "override-key4")) {
      properties.put("table-override." + key, "catalog-" + key);
    }
    catalog = initCatalog("main", properties);
  }

  @AfterEach
  void close() throws IOException {
    for (OwnCatalog one : opened) {
      one.close();
    }
  }

  @Override
  protected OwnCatalog catalog() {
    return catalog;
  }

  @Override
  protected OwnCatalog initCatalog(String name, Map<String, String> properties) {
    OwnCatalog made = LocalOwnCatalog.open(warehouse.resolve(name), properties);
    opened.add(made);
    return made;
  }

  @Override
  protected boolean requiresNamespaceCreate() {
    return true;
  }

  @Override
  protected boolean supportsNestedNamespaces() {
    return true;
  }

  @Override
  protected String baseTableLocation(TableIdentifier table) {
    return "file://" + warehouse.resolve("main") + "/" + table.namespace() + "/" + table.name();
  }

  /** Iceberg's replaces a table at another location, which isn't let here. */
  @Test
  @Override
  public void testCompleteReplaceTransaction() {
    assertThatThrownBy(super::testCompleteReplaceTransaction)
        .hasMessageContaining("location-refused: location of newdb.newtable");
  }

  @Test
  @Override
  public void testCompleteCreateOrReplaceTransactionReplace() {
    assertThatThrownBy(super::testCompleteCreateOrReplaceTransactionReplace)
        .hasMessageContaining("location-refused: location of newdb.newtable");
  }
}
