package io.wings.ingestor.table;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.wings.catalog.Catalogs;
import io.wings.catalog.TenantCatalog;
import io.wings.catalog.table.Adoption;
import io.wings.catalog.table.ColumnAdditions;
import io.wings.catalog.table.TableCreation;
import io.wings.common.cluster.TableId;
import io.wings.common.concurrent.Threads;
import io.wings.common.flight.TableName;
import io.wings.common.time.Time;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.apache.arrow.vector.types.pojo.Schema;
import org.apache.iceberg.catalog.Catalog;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableIdentifier;
import org.jspecify.annotations.Nullable;

/** Tables of the tenants' catalogs, remembered for a while. */
public final class CatalogTables implements Tables {
  /** Tables that are remembered at once; the others are looked up when they are needed. */
  private static final int MAX_REMEMBERED = 10_000;

  private final Catalogs catalogs;
  private final Adoption adoption;
  private final ColumnAdditions additions;
  private final Duration refresh;
  private final Threads threads;
  private final Cache<TableName, TableSlot> byName;
  private final Cache<TableId, StreamTable> byId;
  private final Time time;

  /**
   * @param refresh how old what is known may get before it is looked up again
   */
  public CatalogTables(
      Catalogs catalogs,
      Adoption adoption,
      ColumnAdditions additions,
      Duration refresh,
      Time time,
      Threads threads) {
    this.catalogs = catalogs;
    this.adoption = adoption;
    this.additions = additions;
    this.refresh = refresh;
    this.time = time;
    this.threads = threads;
    this.byName = Caffeine.newBuilder().maximumSize(MAX_REMEMBERED).executor(Runnable::run).build();
    this.byId = Caffeine.newBuilder().maximumSize(MAX_REMEMBERED).executor(Runnable::run).build();
  }

  @Override
  public StreamTable open(TableName name, Runnable adopting) {
    return slot(name).fresh(adopting);
  }

  @Override
  public StreamTable current(TableName name, Runnable adopting) {
    return slot(name).known(refresh, threads, adopting);
  }

  private TableSlot slot(TableName name) {
    return byName.get(name, n -> new TableSlot(n, adopting -> adopted(n, adopting), time));
  }

  private StreamTable adopted(TableName name, Runnable adopting) {
    try (TenantCatalog tenant = catalogs.open(name.catalog())) {
      StreamTable table =
          new StreamTable(
              name, adoption.adopt(name.catalog(), tenant.catalog(), identifier(name), adopting));
      byId.put(table.id(), table);
      return table;
    }
  }

  @Override
  public StreamTable createIfMissing(
      TableName name, Schema schema, Runnable making, Runnable adopting) {
    boolean made = create(name, schema, null, null, Map.of(), making);
    return open(name, made ? () -> {} : adopting);
  }

  /** One at a time for each name: streams that bring the same columns find them there. */
  @Override
  public StreamTable addColumns(TableName name, Schema schema, Runnable adding) {
    return slot(name)
        .changed(
            known -> !known.needsColumnsOf(schema),
            () -> {
              try (TenantCatalog tenant = catalogs.open(name.catalog())) {
                StreamTable table =
                    new StreamTable(
                        name,
                        additions.add(
                            name.catalog(), tenant.catalog(), identifier(name), schema, adding));
                byId.put(table.id(), table);
                return table;
              }
            });
  }

  /** Makes a table; false when it is there already. */
  boolean create(
      TableName name,
      Schema schema,
      @Nullable String partitionSpec,
      @Nullable String sortOrder,
      Map<String, String> properties,
      Runnable making) {
    try (TenantCatalog tenant = catalogs.open(name.catalog())) {
      return TableCreation.createIfMissing(
          tenant.catalog(), identifier(name), schema, partitionSpec, sortOrder, properties, making);
    }
  }

  /** A table that was handed out, by its id, as last seen; empty for one long forgotten. */
  Optional<StreamTable> find(TableId id) {
    return Optional.ofNullable(byId.getIfPresent(id));
  }

  /** What is done with a catalog while it is open. */
  interface Use<T> {
    T with(Catalog catalog, TableIdentifier table);
  }

  <T> T use(TableName name, Use<T> use) {
    try (TenantCatalog tenant = catalogs.open(name.catalog())) {
      return CatalogErrors.mapped(name, () -> use.with(tenant.catalog(), identifier(name)));
    }
  }

  static TableIdentifier identifier(TableName name) {
    return TableIdentifier.of(Namespace.of(name.namespace().toArray(String[]::new)), name.table());
  }
}
