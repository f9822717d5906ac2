package io.wings.catalog.table;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.wings.catalog.commit.SeededIds;
import io.wings.catalog.commit.UnhurriedTime;
import io.wings.common.cluster.CatalogName;
import io.wings.common.concurrent.Threads;
import io.wings.common.error.ErrorKind;
import io.wings.common.error.WingsException;
import io.wings.common.objectstore.ObjectStore;
import io.wings.common.objectstore.memory.MemoryStore;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.exceptions.BadRequestException;
import org.apache.iceberg.exceptions.ForbiddenException;
import org.apache.iceberg.exceptions.ServiceFailureException;
import org.apache.iceberg.inmemory.InMemoryCatalog;
import org.apache.iceberg.types.Types;
import org.junit.jupiter.api.Test;

/** Unknown is not gone: P6. */
class ForgettingTest {
  private static final CatalogName MAIN = new CatalogName("main");
  private static final TableIdentifier TABLE = TableIdentifier.of("db", "t");
  private static final TableIdentifier RENAMED = TableIdentifier.of("attic", "t2");
  private static final Schema SCHEMA =
      new Schema(Types.NestedField.required(1, "id", Types.LongType.get()));

  private final SickCatalog catalog = new SickCatalog();
  private final UnhurriedTime time = new UnhurriedTime();
  private final SeededIds ids = new SeededIds(1);
  private final ObjectStore store = new MemoryStore("cluster", time);
  private final Forgetting forgetting = new Forgetting(store, time, ids);
  private final Adoption adoption = new Adoption("c1", store, time, ids, Threads.virtual());
  private final AdoptedTable table = adopted();

  /** Fails as it is told to. */
  private static final class SickCatalog extends InMemoryCatalog {
    private final Queue<RuntimeException> tables = new ArrayDeque<>();
    private final Queue<RuntimeException> namespaces = new ArrayDeque<>();
    private final Map<TableIdentifier, RuntimeException> loads = new java.util.HashMap<>();

    SickCatalog() {
      initialize("test", Map.of());
      createNamespace(Namespace.of("db"));
      createNamespace(Namespace.of("attic"));
    }

    @Override
    public List<TableIdentifier> listTables(Namespace namespace) {
      throwNext(tables);
      return super.listTables(namespace);
    }

    @Override
    public List<Namespace> listNamespaces(Namespace namespace) {
      throwNext(namespaces);
      return super.listNamespaces(namespace);
    }

    @Override
    public Table loadTable(TableIdentifier identifier) {
      if (loads.containsKey(identifier)) {
        throw loads.get(identifier);
      }
      return super.loadTable(identifier);
    }

    private static void throwNext(Queue<RuntimeException> failures) {
      RuntimeException failure = failures.poll();
      if (failure != null) {
        throw failure;
      }
    }
  }

  private AdoptedTable adopted() {
    create(TABLE);
    return adoption.adopt(MAIN, catalog, TABLE);
  }

  private void create(TableIdentifier identifier) {
    catalog.createTable(
        identifier, SCHEMA, PartitionSpec.unpartitioned(), Map.of("format-version", "3"));
  }

  private void requireGone() {
    forgetting.requireGone(table.id(), forgetting.look(table.id()), catalog, catalog);
  }

  private void follow() {
    adoption.follow(table.id(), catalog, catalog, TABLE);
  }

  private void assertNotKnown(String code) {
    WingsException refused = assertThrows(WingsException.class, this::requireGone);
    assertEquals(code, refused.code());
    assertEquals(ErrorKind.UNAVAILABLE, refused.kind());
    assertTrue(refused.detail().contains("--catalog-gone"), refused.detail());
  }

  @Test
  void aTableThatNoNameLoadsIsGone() {
    catalog.dropTable(TABLE, false);
    assertDoesNotThrow(this::requireGone);
    assertEquals("table-not-found", assertThrows(WingsException.class, this::follow).code());
  }

  @Test
  void aRenamedTableIsNotGone() {
    catalog.renameTable(TABLE, RENAMED);
    assertEquals("table-loads", assertThrows(WingsException.class, this::requireGone).code());
  }

  @Test
  void aListingThatFailsOnceMayHideTheRenamedTable() {
    catalog.renameTable(TABLE, RENAMED);
    for (Queue<RuntimeException> listings : List.of(catalog.tables, catalog.namespaces)) {
      // The first one is that of the recorded namespace, where the table isn't.
      listings.add(new ServiceFailureException("503"));
      listings.add(new ServiceFailureException("503"));
      listings.add(new ServiceFailureException("503"));
      assertNotKnown("catalog-unavailable");
      listings.clear();
    }
    assertEquals("table-loads", assertThrows(WingsException.class, this::requireGone).code());
  }

  @Test
  void aFollowerDoesNotTakeAFailedListingForADrop() {
    catalog.renameTable(TABLE, RENAMED);
    catalog.tables.add(new ServiceFailureException("503"));
    catalog.tables.add(new ServiceFailureException("503"));
    WingsException error = assertThrows(WingsException.class, this::follow);
    assertEquals("catalog-unavailable", error.code());
    assertEquals(ErrorKind.UNAVAILABLE, error.kind());
    assertDoesNotThrow(this::follow);
  }

  @Test
  void aTableThatMayNotBeSeenIsNotGone() {
    catalog.loads.put(TABLE, new ForbiddenException("no"));
    assertNotKnown("search-incomplete");
    catalog.loads.clear();
    catalog.renameTable(TABLE, RENAMED);
    catalog.loads.put(RENAMED, new ForbiddenException("no"));
    assertNotKnown("search-incomplete");
    catalog.loads.put(RENAMED, new IllegalStateException("its metadata can't be read"));
    assertNotKnown("catalog-unavailable");
  }

  @Test
  void moreTablesThanASearchLoadsMayHideIt() {
    catalog.renameTable(TABLE, TableIdentifier.of("db", "zzz"));
    for (int i = 0; i < TableSearch.MAX_LOADS; i++) {
      create(TableIdentifier.of("db", "t%04d".formatted(i)));
    }
    assertNotKnown("search-incomplete");
    catalog.dropTable(TableIdentifier.of("db", "t0000"), false);
    assertEquals("table-loads", assertThrows(WingsException.class, this::requireGone).code());
  }

  @Test
  void aNamespaceThatIsNotLookedIntoMayHideIt() {
    catalog.renameTable(TABLE, RENAMED);
    for (int i = 0; i < TableSearch.MAX_LOADS; i++) {
      create(TableIdentifier.of("db", "t%04d".formatted(i)));
    }
    assertNotKnown("search-incomplete");
  }

  @Test
  void aCatalogWithoutNamespacesInNamespacesIsSearchedAllTheSame() {
    catalog.dropTable(TABLE, false);
    catalog.namespaces.add(new BadRequestException("parent isn't supported"));
    assertDoesNotThrow(this::requireGone);
  }
}
