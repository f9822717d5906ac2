package io.wings.catalog.table;

import io.wings.common.error.WingsException;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.apache.iceberg.catalog.Catalog;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.SupportsNamespaces;
import org.apache.iceberg.catalog.TableIdentifier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Finds a table by its uuid where its name no longer leads to it. */
final class TableSearch {
  private static final Logger LOG = LoggerFactory.getLogger(TableSearch.class);

  /** Tables that one search loads at most. */
  private static final int MAX_LOADS = 2_000;

  private final Catalog catalog;
  private final SupportsNamespaces namespaces;
  private final UUID uuid;
  private int loads;

  TableSearch(Catalog catalog, SupportsNamespaces namespaces, UUID uuid) {
    this.catalog = catalog;
    this.namespaces = namespaces;
    this.uuid = uuid;
  }

  /**
   * The name that loads the table now: {@code recorded} if it still does, else one in the same
   * namespace, else one anywhere.
   *
   * @return empty when none was found; that is no proof that there is none
   * @throws WingsException UNAVAILABLE {@code catalog-unavailable} while the recorded name can't be
   *     loaded
   */
  Optional<TableIdentifier> find(TableIdentifier recorded) {
    if (TableLoad.find(catalog, recorded).filter(this::isIt).isPresent()) {
      return Optional.of(recorded);
    }
    Set<Namespace> looked = new HashSet<>();
    ArrayDeque<Namespace> open = new ArrayDeque<>(List.of(recorded.namespace(), Namespace.empty()));
    while (!open.isEmpty() && loads < MAX_LOADS) {
      Namespace namespace = open.removeFirst();
      if (looked.add(namespace)) {
        Optional<TableIdentifier> found = in(namespace);
        if (found.isPresent()) {
          return found;
        }
        open.addAll(children(namespace));
      }
    }
    return Optional.empty();
  }

  private boolean isIt(TableLoad load) {
    return load.uuid().equals(uuid);
  }

  private Optional<TableIdentifier> in(Namespace namespace) {
    if (namespace.isEmpty()) {
      return Optional.empty();
    }
    try {
      for (TableIdentifier table : catalog.listTables(namespace)) {
        if (loads++ == MAX_LOADS) {
          LOG.warn("the search for table {} ended after {} tables", uuid, MAX_LOADS);
          return Optional.empty();
        }
        if (loads(table)) {
          return Optional.of(table);
        }
      }
    } catch (RuntimeException e) {
      LOG.debug("tables of {} can't be listed", namespace, e);
    }
    return Optional.empty();
  }

  /** Another table that doesn't load hides this one no more than it does for its readers. */
  private boolean loads(TableIdentifier table) {
    try {
      return TableLoad.find(catalog, table).filter(this::isIt).isPresent();
    } catch (RuntimeException e) {
      LOG.debug("table {} doesn't load", table, e);
      return false;
    }
  }

  private List<Namespace> children(Namespace namespace) {
    try {
      return namespaces.listNamespaces(namespace);
    } catch (RuntimeException e) {
      LOG.debug("namespaces of {} can't be listed", namespace, e);
      return List.of();
    }
  }
}
