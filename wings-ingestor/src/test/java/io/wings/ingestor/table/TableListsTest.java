package io.wings.ingestor.table;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.wings.catalog.Catalogs;
import io.wings.catalog.OneCatalog;
import io.wings.catalog.TenantCatalog;
import io.wings.common.cluster.CatalogName;
import io.wings.common.concurrent.Deadline;
import io.wings.common.concurrent.Threads;
import io.wings.common.error.WingsException;
import io.wings.common.flight.ListDemand;
import io.wings.common.flight.ListRequest;
import io.wings.common.flight.TableName;
import io.wings.common.time.Time;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.exceptions.ServiceFailureException;
import org.apache.iceberg.inmemory.InMemoryCatalog;
import org.apache.iceberg.types.Types;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class TableListsTest {
  private static final Schema SCHEMA =
      new Schema(Types.NestedField.required(1, "id", Types.LongType.get()));

  /** How each catalog is opened. */
  private final Map<CatalogName, Supplier<InMemoryCatalog>> catalogs = new TreeMap<>();

  private final List<CatalogName> opened = new CopyOnWriteArrayList<>();
  private final TableLists lists =
      new TableLists(
          new All(),
          () -> List.copyOf(catalogs.keySet()),
          Threads.virtual(),
          new Deadline(Time.system(), Threads.virtual(), "the catalog", Duration.ofMillis(300)));

  private static CatalogName name(String text) {
    return new CatalogName(text);
  }

  private InMemoryCatalog add(String catalog, String... tables) {
    InMemoryCatalog made = new InMemoryCatalog();
    made.initialize(catalog, Map.of());
    for (String table : tables) {
      TableIdentifier id = TableIdentifier.parse(table);
      for (int i = 1; i <= id.namespace().length(); i++) {
        Namespace above =
            Namespace.of(List.of(id.namespace().levels()).subList(0, i).toArray(String[]::new));
        if (!made.namespaceExists(above)) {
          made.createNamespace(above);
        }
      }
      Table _ = made.createTable(id, SCHEMA);
    }
    catalogs.put(name(catalog), () -> made);
    return made;
  }

  private void broken(String catalog, RuntimeException failure) {
    catalogs.put(
        name(catalog),
        () -> {
          throw failure;
        });
  }

  private List<String> list(@Nullable Set<CatalogName> within) {
    return texts(lists.list(new ListDemand(ListRequest.ALL, within)));
  }

  private List<String> list(String catalog, @Nullable List<String> namespace) {
    return texts(lists.list(new ListDemand(new ListRequest(name(catalog), namespace), null)));
  }

  private static List<String> texts(List<TableName> tables) {
    return tables.stream().map(TableName::toString).toList();
  }

  private static String code(Runnable call) {
    return assertThrows(WingsException.class, call::run).code();
  }

  @Test
  void tellsTheTablesOfACatalogAndOfAll() {
    add("a", "x.t", "x.y.u", "z.v");
    add("b", "x.w");
    assertEquals(List.of("a.x.t", "a.x.y.u", "a.z.v", "b.x.w"), list(null));
    assertEquals(List.of("a.x.t", "a.x.y.u", "a.z.v"), list("a", null));
    assertEquals(List.of("a.x.t"), list("a", List.of("x")), "not those below");
    assertEquals("table-not-found", code(() -> list("a", List.of("nowhere"))));
  }

  @Test
  void catalogsThatNobodyAskedForArentOpened() {
    add("a", "x.t");
    add("b", "x.w");
    assertEquals(List.of("b.x.w"), list(Set.of(name("b"), name("removed"))));
    assertEquals(List.of(name("b")), opened);
    assertEquals(List.of(), list(Set.of(name("removed"))));
  }

  @Test
  void aCatalogThatCantBeListedIsLeftOut() {
    add("a", "x.t");
    broken("b", WingsException.unavailable("secret-unreadable", "test", null));
    catalogs.put(
        name("c"),
        () -> {
          throw WingsException.invalid("catalog-refused", "test");
        });
    InMemoryCatalog failing =
        new InMemoryCatalog() {
          @Override
          public List<Namespace> listNamespaces() {
            throw new ServiceFailureException("a page that is nobody's business");
          }
        };
    catalogs.put(name("d"), () -> failing);
    add("e", "x.w");
    assertEquals(List.of("a.x.t", "e.x.w"), list(null));
    assertEquals("secret-unreadable", code(() -> list("b", null)), "who names it is told");
    WingsException named = assertThrows(WingsException.class, () -> list("d", null));
    assertEquals("catalog-unavailable", named.code());
    assertFalse(String.valueOf(named.getMessage()).contains("nobody's business"));
  }

  /** As a server that takes connections and says nothing. */
  @Test
  @Timeout(30)
  void catalogsThatDontAnswerAreLeftOutInTime() {
    List<String> hanging = List.of("b", "c", "d", "e", "f", "g", "h", "i");
    for (String catalog : hanging) {
      catalogs.put(
          name(catalog),
          () -> {
            try {
              new CountDownLatch(1).await();
              throw new AssertionError("nobody counts");
            } catch (InterruptedException e) {
              Thread.currentThread().interrupt();
              throw WingsException.unavailable("interrupted", "told to stop", e);
            }
          });
    }
    add("z", "x.w");
    assertEquals(List.of("z.x.w"), list(null));
    assertEquals("answer-late", code(() -> list(Set.of(name("b"), name("c")))));
  }

  @Test
  void whereNoneCanBeListedTheErrorIsTold() {
    broken("b", WingsException.unavailable("secret-unreadable", "test", null));
    assertEquals("secret-unreadable", code(() -> list(Set.of(name("b")))));
  }

  private static List<TableIdentifier> many(Namespace namespace, int count) {
    return IntStream.range(0, count).mapToObj(i -> TableIdentifier.of(namespace, "t" + i)).toList();
  }

  @Test
  void aCatalogThatIsTooLargeIsLeftOut() {
    add("a", "x.t");
    InMemoryCatalog large =
        new InMemoryCatalog() {
          @Override
          public List<Namespace> listNamespaces() {
            return List.of(Namespace.of("x"), Namespace.of("y"));
          }

          @Override
          public List<Namespace> listNamespaces(Namespace namespace) {
            return List.of();
          }

          @Override
          public List<TableIdentifier> listTables(Namespace namespace) {
            return many(namespace, TableLists.MAX_OF_CATALOG / 2 + 1);
          }
        };
    catalogs.put(name("b"), () -> large);
    assertEquals(List.of("a.x.t"), list(null));
    assertEquals("too-many-tables", code(() -> list("b", null)));
    assertEquals(TableLists.MAX_OF_CATALOG / 2 + 1, list("b", List.of("x")).size());
  }

  /** As the server of a tenant may claim. */
  @Test
  void namespacesWithoutEndAreTooMany() {
    InMemoryCatalog endless =
        new InMemoryCatalog() {
          @Override
          public List<Namespace> listNamespaces() {
            return List.of(Namespace.of("x"));
          }

          @Override
          public List<Namespace> listNamespaces(Namespace namespace) {
            return List.of(Namespace.of("x", "x"));
          }
        };
    catalogs.put(name("a"), () -> endless);
    assertEquals("too-many-tables", code(() -> list("a", null)));
  }

  @Test
  void oneTenantAloneDoesntReachTheBoundOfAnAnswer() {
    List<String> catalogNames = Stream.of("a", "b", "c", "d", "e", "f").toList();
    for (String catalog : catalogNames) {
      InMemoryCatalog full =
          new InMemoryCatalog() {
            @Override
            public List<Namespace> listNamespaces() {
              return List.of(Namespace.of("x"));
            }

            @Override
            public List<Namespace> listNamespaces(Namespace namespace) {
              return List.of();
            }

            @Override
            public List<TableIdentifier> listTables(Namespace namespace) {
              return many(namespace, TableLists.MAX_OF_CATALOG);
            }
          };
      catalogs.put(name(catalog), () -> full);
    }
    Set<CatalogName> two = Set.of(name("a"), name("b"));
    assertEquals(2 * TableLists.MAX_OF_CATALOG, list(two).size());
    assertEquals("too-many-tables", code(() -> list(null)));
  }

  private final class All implements Catalogs {
    @Override
    public TenantCatalog open(CatalogName name) {
      opened.add(name);
      return new OneCatalog(name, Objects.requireNonNull(catalogs.get(name)).get());
    }

    @Override
    public void close() {}
  }
}
