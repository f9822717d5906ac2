package io.wings.catalog.rest;

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
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** Iceberg's own contract of a catalog, through Iceberg's own client. */
@NullUnmarked
class RestCatalogContractTest extends CatalogTests<RESTCatalog> {
  private final List<RESTCatalog> clients = new ArrayList<>();
  private LocalRestServer server;
  private RESTCatalog catalog;

  @BeforeEach
  void start(@TempDir Path directory) {
    server = new LocalRestServer(directory);
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
  void stop() throws IOException {
    for (RESTCatalog client : clients) {
      client.close();
    }
    server.close();
  }

  @Override
  protected RESTCatalog catalog() {
    return catalog;
  }

  @Override
  protected RESTCatalog initCatalog(String name, Map<String, String> properties) {
    try (TenantCatalog registered = server.tenants().wings(name)) {
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
    return server.tenants().warehouse("main") + "/" + table.namespace() + "/" + table.name();
  }
}
