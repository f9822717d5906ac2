package io.wings.catalog.rest;

import io.wings.catalog.CatalogType;
import io.wings.catalog.Catalogs;
import io.wings.catalog.TenantCatalog;
import io.wings.catalog.Tenants;
import io.wings.common.auth.Identity;
import io.wings.common.cluster.CatalogName;
import io.wings.common.error.WingsException;
import io.wings.common.grant.Access;
import io.wings.common.grant.Scope;
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.apache.iceberg.UpdateRequirement.AssertTableDoesNotExist;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableIdentifier;
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
import org.apache.iceberg.rest.responses.ListNamespacesResponse;
import org.apache.iceberg.rest.responses.ListTablesResponse;
import org.apache.iceberg.rest.responses.LoadTableResponse;

/** Runs requests on the catalogs that they name, as far as who makes them may. */
final class CatalogRequests {
  private static final int NO_CONTENT = 204;
  private static final int NOT_MODIFIED = 304;
  private static final String CREATE_ACT = "create-table";

  private final Tenants tenants;
  private final Catalogs catalogs;
  private final Access access;

  CatalogRequests(Tenants tenants, Catalogs catalogs, Access access) {
    this.tenants = tenants;
    this.catalogs = catalogs;
    this.access = access;
  }

  /** Who makes a request, and from where. */
  record Caller(Identity identity, SocketAddress address) {}

  /** What a request does, once it is known that its caller may. */
  @FunctionalInterface
  private interface Work {
    Answer on(TenantCatalog tenant);
  }

  /**
   * What a client asks first: its catalog's prefix, and what is served.
   *
   * @param warehouse the catalog's name; may be left out where the caller may know of but one
   */
  Answer config(Caller caller, Optional<CatalogName> warehouse) {
    CatalogName name = warehouse.orElseGet(() -> only(caller));
    rights(caller, name).seeCatalog();
    served(name).close();
    return Answer.ok(
        ConfigResponse.builder()
            .withOverride("prefix", name.value())
            .withEndpoints(Arrays.stream(Route.values()).map(Route::endpoint).toList())
            .build());
  }

  private CatalogName only(Caller caller) {
    List<CatalogName> names =
        tenants.names().stream()
            .filter(name -> access.revealsWithin(caller.identity(), new Scope.Catalog(name)))
            .toList();
    if (names.size() != 1) {
      throw WingsException.invalid(
          "warehouse-missing", "say which catalog: set the property warehouse to its name");
    }
    return names.getFirst();
  }

  private Rights rights(Caller caller, CatalogName catalog) {
    return new Rights(access, caller.identity(), caller.address(), catalog);
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
   * Runs one request. The catalog is asked for nothing that its caller may not.
   *
   * @param query parameters, decoded
   * @param ifNoneMatch the ETag of what the client has; empty for none
   */
  Answer run(
      Caller caller,
      Route.Match match,
      Map<String, String> query,
      byte[] body,
      String ifNoneMatch) {
    Rights rights = rights(caller, match.catalog());
    Work work =
        switch (match.route()) {
          case LIST_NAMESPACES -> listNamespaces(rights, query);
          case CREATE_NAMESPACE -> createNamespace(rights, body);
          case LOAD_NAMESPACE -> loadNamespace(rights, match.namespace());
          case NAMESPACE_EXISTS -> namespaceExists(rights, match.namespace());
          case UPDATE_NAMESPACE -> updateNamespace(rights, match.namespace(), body);
          case DROP_NAMESPACE -> dropNamespace(rights, match.namespace());
          case LIST_TABLES -> listTables(rights, match.namespace(), query);
          case CREATE_TABLE -> createTable(rights, match.namespace(), body);
          case LOAD_TABLE -> loadTable(rights, match.identifier(), query, ifNoneMatch);
          case TABLE_EXISTS -> tableExists(rights, match.identifier());
          case UPDATE_TABLE -> updateTable(rights, match.identifier(), body);
          case DROP_TABLE -> dropTable(rights, match.identifier(), query);
          case RENAME_TABLE -> renameTable(rights, body);
          case REGISTER_TABLE -> registerTable(rights, match.namespace(), body);
          case REPORT_METRICS -> reportMetrics(rights, match.identifier());
        };
    try (TenantCatalog tenant = served(match.catalog())) {
      return work.on(tenant);
    }
  }

  private static Work listNamespaces(Rights rights, Map<String, String> query) {
    String parent = query.getOrDefault("parent", "");
    Namespace below =
        parent.isEmpty() ? Namespace.empty() : RESTUtil.namespaceFromQueryParam(parent);
    rights.see(below);
    return tenant -> {
      List<Namespace> all = tenant.namespaces().listNamespaces(below);
      Page<Namespace> page = Page.of(all.stream().filter(rights::sees).toList(), query);
      return Answer.ok(
          ListNamespacesResponse.builder().addAll(page.items()).nextPageToken(page.next()).build());
    };
  }

  private static Work createNamespace(Rights rights, byte[] body) {
    CreateNamespaceRequest request = RestJson.read(body, CreateNamespaceRequest.class);
    rights.create(request.namespace());
    return tenant -> Answer.ok(CatalogHandlers.createNamespace(tenant.namespaces(), request));
  }

  private static Work loadNamespace(Rights rights, Namespace namespace) {
    rights.read(namespace);
    return tenant -> Answer.ok(CatalogHandlers.loadNamespace(tenant.namespaces(), namespace));
  }

  private static Work namespaceExists(Rights rights, Namespace namespace) {
    rights.see(namespace);
    return tenant -> {
      CatalogHandlers.namespaceExists(tenant.namespaces(), namespace);
      return Answer.empty(NO_CONTENT);
    };
  }

  private static Work updateNamespace(Rights rights, Namespace namespace, byte[] body) {
    UpdateNamespacePropertiesRequest request =
        RestJson.read(body, UpdateNamespacePropertiesRequest.class);
    rights.administer(namespace, "update-namespace");
    return tenant ->
        Answer.ok(
            CatalogHandlers.updateNamespaceProperties(tenant.namespaces(), namespace, request));
  }

  private static Work dropNamespace(Rights rights, Namespace namespace) {
    rights.administer(namespace, "drop-namespace");
    return tenant -> {
      CatalogHandlers.dropNamespace(tenant.namespaces(), namespace);
      return Answer.empty(NO_CONTENT);
    };
  }

  private static Work listTables(Rights rights, Namespace namespace, Map<String, String> query) {
    rights.see(namespace);
    return tenant -> {
      List<TableIdentifier> all = tenant.catalog().listTables(namespace);
      Page<TableIdentifier> page = Page.of(all.stream().filter(rights::sees).toList(), query);
      return Answer.ok(
          ListTablesResponse.builder().addAll(page.items()).nextPageToken(page.next()).build());
    };
  }

  private static Work createTable(Rights rights, Namespace namespace, byte[] body) {
    CreateTableRequest request = RestJson.read(body, CreateTableRequest.class);
    TableIdentifier table = TableIdentifier.of(namespace, request.name());
    if (request.stageCreate()) {
      rights.create(table);
      return tenant ->
          Answer.ok(CatalogHandlers.stageTableCreate(tenant.catalog(), namespace, request));
    }
    rights.create(table, CREATE_ACT);
    return tenant ->
        table(CatalogHandlers.createTable(tenant.catalog(), namespace, request), SnapshotMode.ALL);
  }

  private static Work loadTable(
      Rights rights, TableIdentifier table, Map<String, String> query, String ifNoneMatch) {
    SnapshotMode mode =
        SnapshotMode.valueOf(query.getOrDefault("snapshots", "all").toUpperCase(Locale.ROOT));
    rights.read(table);
    return tenant -> {
      LoadTableResponse loaded = CatalogHandlers.loadTable(tenant.catalog(), table, mode);
      return etag(loaded, mode).equals(ifNoneMatch)
          ? Answer.empty(NOT_MODIFIED)
          : table(loaded, mode);
    };
  }

  private static Work tableExists(Rights rights, TableIdentifier table) {
    rights.see(table);
    return tenant -> {
      CatalogHandlers.tableExists(tenant.catalog(), table);
      return Answer.empty(NO_CONTENT);
    };
  }

  /** A commit; one that asks for the table not to be there makes it. */
  private static Work updateTable(Rights rights, TableIdentifier table, byte[] body) {
    UpdateTableRequest request = RestJson.read(body, UpdateTableRequest.class);
    if (request.requirements().stream().anyMatch(AssertTableDoesNotExist.class::isInstance)) {
      rights.create(table, CREATE_ACT);
    } else {
      rights.write(table);
    }
    return tenant ->
        table(CatalogHandlers.updateTable(tenant.catalog(), table, request), SnapshotMode.ALL);
  }

  private static Work dropTable(Rights rights, TableIdentifier table, Map<String, String> query) {
    boolean purge = Boolean.parseBoolean(query.get("purgeRequested"));
    rights.administer(table, purge ? "purge-table" : "drop-table");
    return tenant -> {
      if (purge) {
        CatalogHandlers.purgeTable(tenant.catalog(), table);
      } else {
        CatalogHandlers.dropTable(tenant.catalog(), table);
      }
      return Answer.empty(NO_CONTENT);
    };
  }

  private static Work renameTable(Rights rights, byte[] body) {
    RenameTableRequest request = RestJson.read(body, RenameTableRequest.class);
    rights.rename(request.source(), request.destination());
    return tenant -> {
      CatalogHandlers.renameTable(tenant.catalog(), request);
      return Answer.empty(NO_CONTENT);
    };
  }

  private static Work registerTable(Rights rights, Namespace namespace, byte[] body) {
    RegisterTableRequest request = RestJson.read(body, RegisterTableRequest.class);
    TableIdentifier table = TableIdentifier.of(namespace, request.name());
    if (request.overwrite()) {
      rights.administer(table, "register-table");
    } else {
      rights.create(table, "register-table");
    }
    return tenant ->
        table(
            CatalogHandlers.registerTable(tenant.catalog(), namespace, request), SnapshotMode.ALL);
  }

  /** What engines report is taken and not kept. */
  private static Work reportMetrics(Rights rights, TableIdentifier table) {
    rights.read(table);
    return _ -> Answer.empty(NO_CONTENT);
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
