package io.wings.ingestor.table;

import io.wings.catalog.Catalogs;
import io.wings.catalog.TenantCatalog;
import io.wings.common.cluster.CatalogName;
import io.wings.common.cluster.Printable;
import io.wings.common.concurrent.Concurrently;
import io.wings.common.concurrent.Deadline;
import io.wings.common.concurrent.Threads;
import io.wings.common.error.WingsException;
import io.wings.common.flight.ListDemand;
import io.wings.common.flight.ListRequest;
import io.wings.common.flight.TableName;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableIdentifier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Which tables there are. Of many catalogs one that can't be listed is left out, since it is
 * another tenant's who asks for his; blocking, safe for use by several threads.
 */
public final class TableLists {
  private static final Logger LOG = LoggerFactory.getLogger(TableLists.class);

  /** Tables, and namespaces, of one catalog. */
  static final int MAX_OF_CATALOG = 10_000;

  /** Tables that one answer tells. */
  private static final int MAX_TOLD = 5 * MAX_OF_CATALOG;

  private static final int CATALOGS_AT_ONCE = 8;

  /** Of many catalogs, how long one may take; who names it waits as long as it takes. */
  public static final Duration PATIENCE = Duration.ofSeconds(15);

  private final Catalogs catalogs;
  private final Supplier<List<CatalogName>> names;
  private final Concurrently concurrently;
  private final @Nullable Deadline deadline;

  /**
   * With catalogs that answer.
   *
   * @param names of the catalogs there are
   */
  public TableLists(Catalogs catalogs, Supplier<List<CatalogName>> names, Threads threads) {
    this(catalogs, names, threads, null);
  }

  /**
   * @param names of the catalogs there are
   * @param deadline of one catalog's list among many; null: it may take as long as it takes
   */
  public TableLists(
      Catalogs catalogs,
      Supplier<List<CatalogName>> names,
      Threads threads,
      @Nullable Deadline deadline) {
    this.deadline = deadline;
    this.catalogs = catalogs;
    this.names = names;
    this.concurrently = new Concurrently(threads, "table-lists", CATALOGS_AT_ONCE);
  }

  /** What a catalog has, or why that isn't known. */
  private record Listed(List<TableName> tables, @Nullable WingsException failure) {}

  /**
   * The tables of a catalog, or of many, by catalog.
   *
   * @throws WingsException {@code too-many-tables}, or why the one catalog, or none of the many,
   *     can be listed
   */
  public List<TableName> list(ListDemand demand) {
    CatalogName only = demand.request().catalog();
    if (only != null) {
      return tables(only, demand.request());
    }
    Set<CatalogName> within = demand.within();
    List<CatalogName> asked =
        names.get().stream().filter(name -> within == null || within.contains(name)).toList();
    List<Listed> all = concurrently.map(asked, catalog -> listed(catalog, demand.request()));
    List<TableName> found = new ArrayList<>();
    WingsException failure = null;
    boolean known = all.isEmpty();
    for (Listed listed : all) {
      found.addAll(listed.tables);
      known |= listed.failure == null;
      failure = failure == null ? listed.failure : failure;
    }
    if (!known && failure != null) {
      throw failure;
    }
    if (found.size() > MAX_TOLD) {
      throw tooMany(
          "there are more than %d tables; name a catalog in the criteria".formatted(MAX_TOLD));
    }
    return found;
  }

  private Listed listed(CatalogName catalog, ListRequest request) {
    try {
      List<TableName> tables =
          deadline == null
              ? tables(catalog, request)
              : deadline.within(() -> tables(catalog, request));
      return new Listed(tables, null);
    } catch (WingsException e) {
      // What the catalog itself said is for the log alone.
      Throwable cause = e.getCause();
      String why = cause == null ? e.detail() : String.valueOf(cause.getMessage());
      LOG.warn(
          "catalog {} is left out of a list of tables: {}: {}",
          catalog,
          e.code(),
          Printable.of(why));
      return new Listed(List.of(), e);
    }
  }

  private List<TableName> tables(CatalogName catalog, ListRequest request) {
    List<String> namespace = request.namespace();
    try (TenantCatalog tenant = catalogs.open(catalog)) {
      return CatalogErrors.mapped(
          catalog,
          () ->
              namespace == null
                  ? all(tenant)
                  : of(tenant, List.of(Namespace.of(namespace.toArray(String[]::new)))));
    }
  }

  private static List<TableName> all(TenantCatalog tenant) {
    List<Namespace> found = new ArrayList<>();
    Deque<Namespace> below = new ArrayDeque<>();
    addAll(below, tenant.namespaces().listNamespaces());
    while (!below.isEmpty()) {
      Namespace namespace = below.pop();
      found.add(namespace);
      if (found.size() + below.size() > MAX_OF_CATALOG) {
        throw tooMany(
            "catalog %s has more than %d namespaces; name one in the criteria"
                .formatted(tenant.name(), MAX_OF_CATALOG));
      }
      addAll(below, tenant.namespaces().listNamespaces(namespace));
    }
    return of(tenant, found);
  }

  /** So that the first comes next. */
  private static void addAll(Deque<Namespace> below, List<Namespace> more) {
    more.reversed().forEach(below::push);
  }

  private static List<TableName> of(TenantCatalog tenant, List<Namespace> namespaces) {
    List<TableName> found = new ArrayList<>();
    for (Namespace namespace : namespaces) {
      for (TableIdentifier table : tenant.catalog().listTables(namespace)) {
        if (found.size() == MAX_OF_CATALOG) {
          throw tooMany(
              "catalog %s has more than %d tables; name a namespace in the criteria"
                  .formatted(tenant.name(), MAX_OF_CATALOG));
        }
        found.add(new TableName(tenant.name(), List.of(table.namespace().levels()), table.name()));
      }
    }
    return found;
  }

  private static WingsException tooMany(String detail) {
    return WingsException.invalid("too-many-tables", detail);
  }
}
