package io.wings.catalog.own;

import io.wings.catalog.io.LocationPolicy;
import io.wings.catalog.own.Names.NamespaceEntry;
import io.wings.common.cas.CasObject;
import io.wings.common.error.WingsException;
import io.wings.common.id.Ids;
import io.wings.common.objectstore.ObjectStore;
import io.wings.common.objectstore.StoreException;
import io.wings.common.retry.Backoff;
import io.wings.common.time.Time;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import org.apache.iceberg.BaseMetastoreCatalog;
import org.apache.iceberg.TableOperations;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.SupportsNamespaces;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.exceptions.NoSuchNamespaceException;
import org.apache.iceberg.exceptions.NoSuchTableException;
import org.apache.iceberg.io.FileIO;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Wings' own catalog, opened by any number of processes at once. Nothing is kept between calls:
 * each reads what it needs.
 */
public final class OwnCatalog extends BaseMetastoreCatalog implements SupportsNamespaces {
  private static final Logger LOG = LoggerFactory.getLogger(OwnCatalog.class);

  /** A property of a namespace: where its tables are by default, instead of below the warehouse. */
  static final String LOCATION = "location";

  private static final int MAX_LEVELS = 16;
  private static final int MAX_NAME_CHARS = 255;

  private final OwnCatalogSettings settings;
  private final ObjectStore store;
  private final CasObject<Names> names;
  private final Time time;
  private final Ids ids;

  private OwnCatalog(
      OwnCatalogSettings settings, ObjectStore store, CasObject<Names> names, Time time, Ids ids) {
    this.settings = settings;
    this.store = store;
    this.names = names;
    this.time = time;
    this.ids = ids;
  }

  /**
   * Opens the catalog of a warehouse, and makes it one if it isn't yet.
   *
   * @param store rooted at {@link #directory} of the warehouse; closed with the catalog
   * @param probe called before the first object is written; throws when the store isn't fit for use
   */
  public static OwnCatalog open(
      OwnCatalogSettings settings,
      ObjectStore store,
      Consumer<ObjectStore> probe,
      Time time,
      Ids ids) {
    CasObject<Names> names =
        new CasObject<>(store, OwnLayout.NAMES, new NamesCodec(), time, ids, Backoff.STORE);
    Optional<Names> present = names.read();
    if (present.isEmpty()) {
      probe.accept(store);
      present = Optional.of(names.createIfAbsent(Names.empty(settings.name().value())));
    }
    String owner = present.get().catalog();
    if (!owner.equals(settings.name().value())) {
      throw WingsException.invalid(
          "warehouse-taken",
          "the warehouse belongs to another catalog than \"%s\"; give each catalog its own"
              .formatted(settings.name()));
    }
    return new OwnCatalog(settings, store, names, time, ids);
  }

  /** Where a warehouse's catalog objects are; no table may be inside. */
  public static String directory(String warehouse) {
    return warehouse + "/" + OwnLayout.DIRECTORY;
  }

  @Override
  public String name() {
    return settings.name().value();
  }

  @Override
  protected Map<String, String> properties() {
    return settings.properties();
  }

  FileIO io() {
    return settings.io();
  }

  LocationPolicy policy() {
    return settings.policy();
  }

  ObjectStore store() {
    return store;
  }

  CasObject<Pointer> pointer(String tableId) {
    return new CasObject<>(
        store, OwnLayout.pointer(tableId), new PointerCodec(), time, ids, Backoff.STORE);
  }

  Names readNames() {
    return present(names.read());
  }

  /** Gives the names after the change, or as they are when it has nothing to change. */
  Names change(Function<Names, Optional<Names>> change) {
    return present(names.update(current -> change.apply(present(current))));
  }

  private Names present(Optional<Names> current) {
    return current.orElseThrow(
        () ->
            WingsException.corrupt(
                "names-missing",
                "%s/%s of catalog %s was there and is gone; restore it, nothing was changed"
                    .formatted(store.address(), OwnLayout.NAMES, settings.name())));
  }

  @Override
  protected TableOperations newTableOps(TableIdentifier table) {
    return new OwnTableOperations(this, table, time, ids);
  }

  @Override
  protected String defaultWarehouseLocation(TableIdentifier table) {
    NamespaceEntry namespace = readNames().namespace(table.namespace());
    String below = OwnLayout.table(table, ids.hex());
    String own = namespace.properties().get(LOCATION);
    return own == null
        ? settings.warehouse() + "/" + below
        : own + "/" + below.substring(below.lastIndexOf('/') + 1);
  }

  @Override
  protected boolean isValidIdentifier(TableIdentifier table) {
    return !table.namespace().isEmpty()
        && isName(table.name())
        && isValidNamespace(table.namespace());
  }

  private static boolean isValidNamespace(Namespace namespace) {
    return namespace.length() <= MAX_LEVELS
        && List.of(namespace.levels()).stream().allMatch(OwnCatalog::isName);
  }

  private static boolean isName(String name) {
    return !name.isEmpty()
        && name.length() <= MAX_NAME_CHARS
        && name.codePoints().noneMatch(Character::isISOControl);
  }

  @Override
  public List<TableIdentifier> listTables(Namespace namespace) {
    return readNames().tablesIn(namespace);
  }

  @Override
  public boolean tableExists(TableIdentifier table) {
    return readNames().table(table).isPresent();
  }

  /**
   * Takes the name away; data and metadata stay. With {@code purge} the pointer says that they are
   * to go, and maintenance does it.
   */
  @Override
  public boolean dropTable(TableIdentifier table, boolean purge) {
    Optional<String> id = readNames().table(table);
    if (id.isEmpty()) {
      return false;
    }
    Names after = change(current -> current.removeTable(table, id.get()));
    if (after.tables().containsValue(id.get())) {
      return false; // Renamed meanwhile: there is no table of this name, and this one lives.
    }
    try {
      pointer(id.get()).update(pointer -> pointer.map(present -> present.dropped(purge)));
    } catch (StoreException | WingsException e) {
      // The table is dropped: its name is gone. The pointer only keeps late committers out.
      LOG.warn("{}: {} is dropped, its pointer {} isn't marked", name(), table, id.get(), e);
    }
    return true;
  }

  @Override
  public void renameTable(TableIdentifier from, TableIdentifier to) {
    if (!isValidIdentifier(to)) {
      throw new IllegalArgumentException("Invalid identifier: " + to);
    }
    String id =
        readNames()
            .table(from)
            .orElseThrow(() -> new NoSuchTableException("Table does not exist: %s", from));
    if (!from.equals(to)) {
      change(current -> current.renameTable(from, to, id));
    }
  }

  @Override
  public void createNamespace(Namespace namespace, Map<String, String> properties) {
    if (namespace.isEmpty() || !isValidNamespace(namespace)) {
      throw new IllegalArgumentException("Invalid namespace: " + namespace);
    }
    checkNamespaceLocation(properties);
    NamespaceEntry entry = new NamespaceEntry(ids.hex(), properties);
    change(current -> current.addNamespace(namespace, entry));
  }

  private void checkNamespaceLocation(Map<String, String> properties) {
    String location = properties.get(LOCATION);
    if (location != null) {
      settings.policy().checkDirectory(location);
    }
  }

  @Override
  public List<Namespace> listNamespaces(Namespace parent) {
    return readNames().namespacesIn(parent);
  }

  @Override
  public boolean namespaceExists(Namespace namespace) {
    return readNames().namespaces().containsKey(namespace);
  }

  @Override
  public Map<String, String> loadNamespaceMetadata(Namespace namespace) {
    return readNames().namespace(namespace).properties();
  }

  @Override
  public boolean dropNamespace(Namespace namespace) {
    NamespaceEntry seen = readNames().namespaces().get(namespace);
    if (seen == null) {
      return false;
    }
    change(current -> current.removeNamespace(namespace, seen.id()));
    return true;
  }

  @Override
  public boolean setProperties(Namespace namespace, Map<String, String> properties)
      throws NoSuchNamespaceException {
    checkNamespaceLocation(properties);
    change(current -> current.changeProperties(namespace, properties, Set.of()));
    return true;
  }

  @Override
  public boolean removeProperties(Namespace namespace, Set<String> properties)
      throws NoSuchNamespaceException {
    change(current -> current.changeProperties(namespace, Map.of(), properties));
    return true;
  }

  @Override
  public void close() throws IOException {
    try (store) {
      super.close();
    }
  }

  @Override
  public String toString() {
    return "OwnCatalog[" + name() + "]";
  }
}
