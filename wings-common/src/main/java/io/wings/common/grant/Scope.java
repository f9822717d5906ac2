package io.wings.common.grant;

import io.wings.common.cluster.CatalogName;
import io.wings.common.cluster.Printable;
import io.wings.common.error.WingsException;
import io.wings.common.flight.TableName;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** What a grant is on, or what somebody wants to do something with. */
public sealed interface Scope {
  /** All catalogs. */
  record Cluster() implements Scope {}

  /** All of a tenant's. */
  record Catalog(CatalogName catalog) implements Scope {}

  /** A namespace, its tables, and the namespaces below it. */
  record Namespace(CatalogName catalog, List<String> levels) implements Scope {
    public Namespace {
      levels = List.copyOf(levels);
      if (levels.isEmpty() || levels.stream().anyMatch(String::isEmpty)) {
        throw WingsException.invalid(
            "grant-invalid", "a namespace has one level at least, and none is empty");
      }
    }
  }

  /** One table. */
  record Table(TableName table) implements Scope {}

  /** Whether a grant on this is one on {@code other}. */
  default boolean covers(Scope other) {
    return switch (this) {
      case Cluster _ -> true;
      case Catalog(CatalogName catalog) -> {
        List<String> path = other.path();
        yield !path.isEmpty() && path.getFirst().equals(catalog.toString());
      }
      case Namespace namespace -> {
        List<String> outer = namespace.path();
        List<String> inner =
            switch (other) {
              case Table(TableName table) -> namespaceOf(table).path();
              case Cluster _, Catalog _, Namespace _ -> other.path();
            };
        yield inner.size() >= outer.size() && inner.subList(0, outer.size()).equals(outer);
      }
      case Table _ -> equals(other);
    };
  }

  private static Namespace namespaceOf(TableName table) {
    return new Namespace(table.catalog(), table.namespace());
  }

  /** Its levels: of nothing, catalog, catalog and namespace, or those and the table. */
  default List<String> path() {
    return switch (this) {
      case Cluster _ -> List.of();
      case Catalog(CatalogName catalog) -> List.of(catalog.toString());
      case Namespace(CatalogName catalog, List<String> levels) -> {
        List<String> path = new ArrayList<>(List.of(catalog.toString()));
        path.addAll(levels);
        yield List.copyOf(path);
      }
      case Table(TableName table) -> {
        List<String> path = new ArrayList<>(namespaceOf(table).path());
        path.add(table.table());
        yield List.copyOf(path);
      }
    };
  }

  /** What it is, as it is stored. */
  default String kind() {
    return switch (this) {
      case Cluster _ -> "cluster";
      case Catalog _ -> "catalog";
      case Namespace _ -> "namespace";
      case Table _ -> "table";
    };
  }

  /**
   * The one that is stored so.
   *
   * @throws WingsException {@code grant-invalid}, {@code catalog-name-invalid}, {@code
   *     table-name-invalid}
   */
  static Scope of(String kind, List<String> path) {
    int least =
        switch (kind) {
          case "cluster" -> 0;
          case "catalog" -> 1;
          case "namespace" -> 2;
          case "table" -> 3;
          default ->
              throw WingsException.invalid(
                  "grant-invalid", "unknown kind of scope " + Printable.of(kind));
        };
    if (path.size() < least || (least < 2 && path.size() > least)) {
      throw WingsException.invalid(
          "grant-invalid",
          "a scope of kind %s doesn't have %d levels".formatted(kind, path.size()));
    }
    return switch (least) {
      case 0 -> new Cluster();
      case 1 -> new Catalog(new CatalogName(path.getFirst()));
      case 2 -> new Namespace(new CatalogName(path.getFirst()), path.subList(1, path.size()));
      default ->
          new Table(
              new TableName(
                  new CatalogName(path.getFirst()),
                  path.subList(1, path.size() - 1),
                  path.getLast()));
    };
  }

  /** For people: levels apart by a dot, unless a level has one. */
  default String text() {
    return path().isEmpty()
        ? "*"
        : path().stream()
            .map(level -> level.indexOf('.') < 0 ? level : '"' + level + '"')
            .map(Printable::of)
            .collect(Collectors.joining("."));
  }
}
