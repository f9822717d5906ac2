package io.wings.catalog.table;

import io.wings.common.cluster.Printable;
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
import org.apache.iceberg.exceptions.BadRequestException;
import org.apache.iceberg.exceptions.ForbiddenException;
import org.apache.iceberg.exceptions.NoSuchNamespaceException;
import org.apache.iceberg.exceptions.NotAuthorizedException;
import org.jspecify.annotations.Nullable;

/**
 * Finds a table by its uuid where its name no longer leads to it. One search; not for several
 * threads.
 */
final class TableSearch {
  /** Tables that one search loads at most. */
  static final int MAX_LOADS = 2_000;

  /** Code of an error that says that not every name could be looked at, now or later. */
  static final String SEARCH_INCOMPLETE = "search-incomplete";

  private final Catalog catalog;
  private final SupportsNamespaces namespaces;
  private final UUID uuid;
  private int loads;
  private @Nullable WingsException gap;

  /** What a search came to. */
  sealed interface Result {
    /** The name that loads the table. */
    record Found(TableIdentifier name) implements Result {}

    /** Every name that the catalog lists was looked at, and none loads the table. */
    record Absent() implements Result {}

    /**
     * No name was found, but not every one was looked at: the table may be there.
     *
     * @param reason UNAVAILABLE {@code catalog-unavailable}: something didn't answer; {@link
     *     #SEARCH_INCOMPLETE}: something may not be seen, or there are more tables than one search
     *     loads
     */
    record Incomplete(WingsException reason) implements Result {}
  }

  TableSearch(Catalog catalog, SupportsNamespaces namespaces, UUID uuid) {
    this.catalog = catalog;
    this.namespaces = namespaces;
    this.uuid = uuid;
  }

  /**
   * The name that loads the table now: {@code recorded} if it still does, else one in the same
   * namespace, else one anywhere.
   *
   * @throws WingsException UNAVAILABLE {@code catalog-unavailable} while the recorded name can't be
   *     loaded
   */
  Result find(TableIdentifier recorded) {
    if (TableLoad.find(catalog, recorded).filter(this::isIt).isPresent() || loads(recorded)) {
      return new Result.Found(recorded);
    }
    Set<Namespace> looked = new HashSet<>();
    ArrayDeque<Namespace> open = new ArrayDeque<>(List.of(recorded.namespace(), Namespace.empty()));
    while (!open.isEmpty() && loads < MAX_LOADS) {
      Namespace namespace = open.removeFirst();
      if (looked.add(namespace)) {
        Optional<TableIdentifier> found = in(namespace);
        if (found.isPresent()) {
          return new Result.Found(found.get());
        }
        open.addAll(children(namespace));
      }
    }
    if (!open.isEmpty()) {
      tooMany();
    }
    return gap == null ? new Result.Absent() : new Result.Incomplete(gap);
  }

  private boolean isIt(TableLoad load) {
    return load.uuid().equals(uuid);
  }

  private Optional<TableIdentifier> in(Namespace namespace) {
    if (namespace.isEmpty()) {
      return Optional.empty();
    }
    for (TableIdentifier table : tables(namespace)) {
      if (loads == MAX_LOADS) {
        tooMany();
        return Optional.empty();
      }
      loads++;
      if (loads(table)) {
        return Optional.of(table);
      }
    }
    return Optional.empty();
  }

  /** One that doesn't load, or may not be seen, may be the one that is looked for. */
  private boolean loads(TableIdentifier table) {
    try {
      return TableLoad.ofVisible(catalog, table).filter(this::isIt).isPresent();
    } catch (RuntimeException e) {
      unanswered("table " + table, e);
      return false;
    }
  }

  private List<TableIdentifier> tables(Namespace namespace) {
    try {
      return catalog.listTables(namespace);
    } catch (NoSuchNamespaceException _) {
      return List.of();
    } catch (RuntimeException e) {
      unanswered("the tables of " + namespace, e);
      return List.of();
    }
  }

  private List<Namespace> children(Namespace namespace) {
    try {
      return namespaces.listNamespaces(namespace);
    } catch (NoSuchNamespaceException _) {
      return List.of();
    } catch (UnsupportedOperationException | BadRequestException e) {
      // The catalog has no namespaces in namespaces.
      if (namespace.isEmpty()) {
        unanswered("its namespaces", e);
      }
      return List.of();
    } catch (RuntimeException e) {
      unanswered("the namespaces of \"" + namespace + "\"", e);
      return List.of();
    }
  }

  private void unanswered(String what, RuntimeException cause) {
    String shown = Printable.of(what);
    switch (cause) {
      case ForbiddenException _, NotAuthorizedException _ ->
          gap(SEARCH_INCOMPLETE, "the catalog doesn't let Wings see " + shown, cause);
      default ->
          gap(
              "catalog-unavailable",
              "the catalog doesn't answer for %s (%s)"
                  .formatted(shown, cause.getClass().getSimpleName()),
              cause);
    }
  }

  private void tooMany() {
    gap(
        SEARCH_INCOMPLETE,
        "there are more than the %,d tables that one search looks at".formatted(MAX_LOADS),
        null);
  }

  /** The first one is told. */
  private void gap(String code, String why, @Nullable RuntimeException cause) {
    if (gap == null) {
      gap =
          WingsException.unavailable(
              code,
              "whether table %s is there under another name isn't known: %s".formatted(uuid, why),
              cause);
    }
  }
}
