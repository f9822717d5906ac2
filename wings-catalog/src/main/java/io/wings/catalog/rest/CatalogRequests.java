package io.wings.catalog.rest;

import io.wings.catalog.CatalogType;
import io.wings.catalog.Catalogs;
import io.wings.catalog.TenantCatalog;
import io.wings.catalog.Tenants;
import io.wings.common.cluster.CatalogName;
import io.wings.common.error.WingsException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.apache.iceberg.catalog.Catalog;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.SupportsNamespaces;
import org.apache.iceberg.rest.CatalogHandlers;
import org.apache.iceberg.rest.RESTCatalogProperties.SnapshotMode;
import org.apache.iceberg.rest.RESTUtil;
import org.apache.iceberg.rest.requests.CreateNamespaceRequest;
import org.apache.iceberg.rest.requests.CreateTableRequest;
import org.apache.iceberg.rest.requests.RegisterTableRequest;
import org.apache.iceberg.rest.requests.RenameTableRequest;
import org.apache.iceberg.rest.requests.UpdateNamespacePropertiesRequest;
import org.apache.iceberg.rest.requests.UpdateTableRequest;
import org.apache.iceberg.rest.responses.ConfigResponse;
import org.apache.iceberg.rest.responses.LoadTableResponse;

/** Runs requests on the catalogs that they name. */
final class CatalogRequests {
  private static final int NO_CONTENT = 204;
  private static final int NOT_MODIFIED = 304;
  private static final String MAX_PAGE = "1000";

  private final Tenants tenants;
  private final Catalogs catalogs;

  CatalogRequests(Tenants tenants, Catalogs catalogs) {
    this.tenants = tenants;
    this.catalogs = catalogs;
  }

  /**
   * What a client asks first: its catalog's prefix, and what is served.
   *
   * @param warehouse the catalog's name; may be left out where there is but one
   */
  Answer config(Optional<String> warehouse) {
    CatalogName name = warehouse.map(CatalogName::new).orElseGet(this::only);
    served(name).close();
    return Answer.ok(
        ConfigResponse.builder()
            .withOverride("prefix", name.value())
            .withEndpoints(Arrays.stream(Route.values()).map(Route::endpoint).toList())
            .build());
  }

  private CatalogName only() {
    List<CatalogName> names = tenants.names();
    if (names.size() != 1) {
      throw WingsException.invalid(
          "warehouse-missing", "say which catalog: set the property warehouse to its name");
    }
    return names.getFirst();
  }

  private TenantCatalog served(CatalogName name) {
    TenantCatalog catalog = catalogs.open(name);
    if (catalog.type() != CatalogType.WINGS) {
      catalog.close();
      throw WingsException.notFound(
          "catalog-not-served",
          "catalog %s is of type %s; connect to it directly".formatted(name, catalog.type()));
    }
    return catalog;
  }

  /**
   * Runs one request.
   *
   * @param query parameters, decoded
   * @param ifNoneMatch the ETag of what the client has; empty for none
   */
  Answer run(Route.Match match, Map<String, String> query, byte[] body, String ifNoneMatch) {
    try (TenantCatalog tenant = served(match.catalog())) {
      Catalog catalog = tenant.catalog();
      SupportsNamespaces namespaces = tenant.namespaces();
      return switch (match.route()) {
        case LIST_NAMESPACES -> listNamespaces(namespaces, query);
        case CREATE_NAMESPACE ->
            Answer.ok(
                CatalogHandlers.createNamespace(
                    namespaces, RestJson.read(body, CreateNamespaceRequest.class)));
        case LOAD_NAMESPACE ->
            Answer.ok(CatalogHandlers.loadNamespace(namespaces, match.namespace()));
        case NAMESPACE_EXISTS -> {
          CatalogHandlers.namespaceExists(namespaces, match.namespace());
          yield Answer.empty(NO_CONTENT);
        }
        case UPDATE_NAMESPACE ->
            Answer.ok(
                CatalogHandlers.updateNamespaceProperties(
                    namespaces,
                    match.namespace(),
                    RestJson.read(body, UpdateNamespacePropertiesRequest.class)));
        case DROP_NAMESPACE -> {
          CatalogHandlers.dropNamespace(namespaces, match.namespace());
          yield Answer.empty(NO_CONTENT);
        }
        case LIST_TABLES -> listTables(catalog, match.namespace(), query);
        case CREATE_TABLE -> createTable(catalog, match.namespace(), body);
        case LOAD_TABLE -> loadTable(catalog, match, query, ifNoneMatch);
        case TABLE_EXISTS -> {
          CatalogHandlers.tableExists(catalog, match.identifier());
          yield Answer.empty(NO_CONTENT);
        }
        case UPDATE_TABLE ->
            table(
                CatalogHandlers.updateTable(
                    catalog, match.identifier(), RestJson.read(body, UpdateTableRequest.class)),
                SnapshotMode.ALL);
        case DROP_TABLE -> {
          if (Boolean.parseBoolean(query.get("purgeRequested"))) {
            CatalogHandlers.purgeTable(catalog, match.identifier());
          } else {
            CatalogHandlers.dropTable(catalog, match.identifier());
          }
          yield Answer.empty(NO_CONTENT);
        }
        case RENAME_TABLE -> {
          CatalogHandlers.renameTable(catalog, RestJson.read(body, RenameTableRequest.class));
          yield Answer.empty(NO_CONTENT);
        }
        case REGISTER_TABLE ->
            table(
                CatalogHandlers.registerTable(
                    catalog, match.namespace(), RestJson.read(body, RegisterTableRequest.class)),
                SnapshotMode.ALL);
        case REPORT_METRICS -> Answer.empty(NO_CONTENT);
      };
    }
  }

  private static Answer listNamespaces(SupportsNamespaces catalog, Map<String, String> query) {
    String parent = query.getOrDefault("parent", "");
    Namespace below =
        parent.isEmpty() ? Namespace.empty() : RESTUtil.namespaceFromQueryParam(parent);
    return query.containsKey("pageToken") || query.containsKey("pageSize")
        ? Answer.ok(
            CatalogHandlers.listNamespaces(
                catalog, below, query.get("pageToken"), query.getOrDefault("pageSize", MAX_PAGE)))
        : Answer.ok(CatalogHandlers.listNamespaces(catalog, below));
  }

  private static Answer listTables(
      Catalog catalog, Namespace namespace, Map<String, String> query) {
    return query.containsKey("pageToken") || query.containsKey("pageSize")
        ? Answer.ok(
            CatalogHandlers.listTables(
                catalog,
                namespace,
                query.get("pageToken"),
                query.getOrDefault("pageSize", MAX_PAGE)))
        : Answer.ok(CatalogHandlers.listTables(catalog, namespace));
  }

  private static Answer createTable(Catalog catalog, Namespace namespace, byte[] body) {
    CreateTableRequest request = RestJson.read(body, CreateTableRequest.class);
    return request.stageCreate()
        ? Answer.ok(CatalogHandlers.stageTableCreate(catalog, namespace, request))
        : table(CatalogHandlers.createTable(catalog, namespace, request), SnapshotMode.ALL);
  }

  private static Answer loadTable(
      Catalog catalog, Route.Match match, Map<String, String> query, String ifNoneMatch) {
    SnapshotMode mode =
        SnapshotMode.valueOf(query.getOrDefault("snapshots", "all").toUpperCase(Locale.ROOT));
    LoadTableResponse loaded = CatalogHandlers.loadTable(catalog, match.identifier(), mode);
    return etag(loaded, mode).equals(ifNoneMatch)
        ? Answer.empty(NOT_MODIFIED)
        : table(loaded, mode);
  }

  private static Answer table(LoadTableResponse loaded, SnapshotMode mode) {
    return Answer.ok(loaded).withHeader("ETag", etag(loaded, mode));
  }

  /** Metadata locations are unique, so one names its content. */
  private static String etag(LoadTableResponse loaded, SnapshotMode mode) {
    String content = mode + " " + loaded.metadataLocation();
    return '"' + UUID.nameUUIDFromBytes(content.getBytes(StandardCharsets.UTF_8)).toString() + '"';
  }
}
