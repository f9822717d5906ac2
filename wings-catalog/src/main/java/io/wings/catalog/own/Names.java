package io.wings.catalog.own;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.exceptions.AlreadyExistsException;
import org.apache.iceberg.exceptions.NamespaceNotEmptyException;
import org.apache.iceberg.exceptions.NoSuchNamespaceException;
import org.apache.iceberg.exceptions.NoSuchTableException;

/**
 * What a catalog's names object holds. Changes are pure and idempotent: each names the random id
 * that it is about, so that one that has landed is recognised when it is computed again. A change
 * gives the new names, or empty when they already are as it wants them.
 *
 * @param catalog the name of the catalog that the warehouse belongs to
 * @param tables table name to table id
 */
record Names(
    String catalog,
    Map<Namespace, NamespaceEntry> namespaces,
    Map<TableIdentifier, String> tables) {

  /**
   * @param id random, so that a namespace is told from its recreated namesake
   */
  record NamespaceEntry(String id, Map<String, String> properties) {
    NamespaceEntry {
      // Not Map.copyOf: Iceberg asks maps of properties whether they contain null.
      properties = Collections.unmodifiableMap(new LinkedHashMap<>(properties));
    }
  }

  Names {
    namespaces = Collections.unmodifiableMap(new LinkedHashMap<>(namespaces));
    tables = Collections.unmodifiableMap(new LinkedHashMap<>(tables));
  }

  static Names empty(String catalog) {
    return new Names(catalog, Map.of(), Map.of());
  }

  Optional<String> table(TableIdentifier name) {
    return Optional.ofNullable(tables.get(name));
  }

  NamespaceEntry namespace(Namespace namespace) {
    NamespaceEntry entry = namespaces.get(namespace);
    if (entry == null) {
      throw new NoSuchNamespaceException("Namespace does not exist: %s", namespace);
    }
    return entry;
  }

  List<TableIdentifier> tablesIn(Namespace namespace) {
    namespace(namespace);
    return tables.keySet().stream().filter(table -> table.namespace().equals(namespace)).toList();
  }

  /** The namespaces directly below {@code parent}, which may be the root. */
  List<Namespace> namespacesIn(Namespace parent) {
    if (!parent.isEmpty()) {
      namespace(parent);
    }
    return namespaces.keySet().stream().filter(child -> parent(child).equals(parent)).toList();
  }

  Optional<Names> addNamespace(Namespace namespace, NamespaceEntry entry) {
    NamespaceEntry present = namespaces.get(namespace);
    if (present != null) {
      if (present.id().equals(entry.id())) {
        return Optional.empty();
      }
      throw new AlreadyExistsException("Namespace already exists: %s", namespace);
    }
    if (namespace.length() > 1) {
      namespace(parent(namespace));
    }
    return Optional.of(withNamespace(namespace, entry));
  }

  /**
   * @param id of the namespace that was seen
   */
  Optional<Names> removeNamespace(Namespace namespace, String id) {
    NamespaceEntry present = namespaces.get(namespace);
    if (present == null || !present.id().equals(id)) {
      return Optional.empty();
    }
    if (!tablesIn(namespace).isEmpty() || !namespacesIn(namespace).isEmpty()) {
      throw new NamespaceNotEmptyException("Namespace is not empty: %s", namespace);
    }
    Map<Namespace, NamespaceEntry> rest = new LinkedHashMap<>(namespaces);
    rest.remove(namespace);
    return Optional.of(new Names(catalog, rest, tables));
  }

  Optional<Names> changeProperties(
      Namespace namespace, Map<String, String> set, Set<String> remove) {
    NamespaceEntry present = namespace(namespace);
    Map<String, String> properties = new LinkedHashMap<>(present.properties());
    properties.keySet().removeAll(remove);
    properties.putAll(set);
    return properties.equals(present.properties())
        ? Optional.empty()
        : Optional.of(withNamespace(namespace, new NamespaceEntry(present.id(), properties)));
  }

  Optional<Names> addTable(TableIdentifier name, String id) {
    namespace(name.namespace());
    String present = tables.get(name);
    if (present != null) {
      if (present.equals(id)) {
        return Optional.empty();
      }
      throw new AlreadyExistsException("Table already exists: %s", name);
    }
    Map<TableIdentifier, String> all = new LinkedHashMap<>(tables);
    all.put(name, id);
    return Optional.of(new Names(catalog, namespaces, all));
  }

  /**
   * @param id of the table that was seen
   */
  Optional<Names> removeTable(TableIdentifier name, String id) {
    if (!id.equals(tables.get(name))) {
      return Optional.empty();
    }
    Map<TableIdentifier, String> rest = new LinkedHashMap<>(tables);
    rest.remove(name);
    return Optional.of(new Names(catalog, namespaces, rest));
  }

  /**
   * @param id of the table that was seen at {@code from}
   */
  Optional<Names> renameTable(TableIdentifier from, TableIdentifier to, String id) {
    if (id.equals(tables.get(to))) {
      return Optional.empty();
    }
    if (!id.equals(tables.get(from))) {
      throw new NoSuchTableException("Table does not exist: %s", from);
    }
    return addTable(to, id).flatMap(added -> added.removeTable(from, id));
  }

  private Names withNamespace(Namespace namespace, NamespaceEntry entry) {
    Map<Namespace, NamespaceEntry> all = new LinkedHashMap<>(namespaces);
    all.put(namespace, entry);
    return new Names(catalog, all, tables);
  }

  static Namespace parent(Namespace namespace) {
    String[] levels = namespace.levels();
    return Namespace.of(java.util.Arrays.copyOf(levels, Math.max(levels.length - 1, 0)));
  }
}
