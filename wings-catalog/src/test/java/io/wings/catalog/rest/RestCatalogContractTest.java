package io.wings.catalog.rest;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.wings.catalog.TenantCatalog;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.catalog.CatalogTests;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.rest.RESTCatalog;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Iceberg's own contract of a catalog, through Iceberg's own client. */
@NullUnmarked
class RestCatalogContractTest extends CatalogTests<RESTCatalog> {
  private static LocalRestServer server;
  private static int tests;

  private final List<RESTCatalog> clients = new ArrayList<>();
  private String name;
  private RESTCatalog catalog;

  @BeforeAll
  static void start(@TempDir Path directory) {
    server = new LocalRestServer(directory);
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  /** Each test has a catalog of its own. */
  @BeforeEach
  void open() {
    Map<String, String> properties = new HashMap<>();
    for (String key : List.of("default-key1", "default-key2", "override-key3")) {
      properties.put("table-default." + key, "catalog-" + key);
    }
    for (String key : List.of("override-key3", "override-key4")) {
      properties.put("table-override." + key, "catalog-" + key);
    }
    tests++;
    name = "main-" + tests;
    catalog = initCatalog(name, properties);
  }

  @AfterEach
  void closeClients() throws IOException {
    for (RESTCatalog client : clients) {
      client.close();
    }
  }

  @Override
  protected RESTCatalog catalog() {
    return catalog;
  }

  @Override
  protected RESTCatalog initCatalog(String catalogName, Map<String, String> properties) {
    try (TenantCatalog registered = server.tenants().wings(catalogName)) {
      RESTCatalog client = server.client(registered.name().value(), properties);
      clients.add(client);
      return client;
    }
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
  protected boolean supportsServerSideRetry() {
    return true;
  }

  @Override
  protected String baseTableLocation(TableIdentifier table) {
    return server.tenants().warehouse(name) + "/" + table.namespace() + "/" + table.name();
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
