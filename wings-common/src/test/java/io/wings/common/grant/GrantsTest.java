package io.wings.common.grant;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.wings.common.auth.Identity;
import io.wings.common.cluster.CatalogName;
import io.wings.common.cluster.Keys;
import io.wings.common.error.ErrorKind;
import io.wings.common.error.WingsException;
import io.wings.common.flight.TableName;
import io.wings.common.id.Ids;
import io.wings.common.objectstore.Body;
import io.wings.common.objectstore.PutCondition;
import io.wings.common.objectstore.memory.MemoryStore;
import io.wings.common.time.Time;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class GrantsTest {
  private static final CatalogName MAIN = new CatalogName("main");
  private static final Identity ETL = new Identity("etl", Set.of("writers"));
  private static final Subject ETL_ITSELF = new Subject.Principal("etl");

  private final MemoryStore store = new MemoryStore();
  private final GrantsObject object = new GrantsObject(store, Time.system(), Ids.secure());

  private static Scope table(String... path) {
    return Scope.of("table", List.of(path));
  }

  private static Scope namespace(String... path) {
    return Scope.of("namespace", List.of(path));
  }

  private static Grants granted(Subject subject, Scope scope, Privilege... privileges) {
    return Grants.NONE.with(subject, scope, Set.of(privileges));
  }

  private static boolean writes(Grants grants, Scope scope) {
    return grants.allow(ETL, Privilege.WRITE, scope);
  }

  @Test
  void catalogsAreThoseThatAnythingIsGrantedIn() {
    assertEquals(Optional.of(Set.of()), Grants.NONE.catalogs(ETL));
    Grants some =
        granted(ETL_ITSELF, table("main", "shop", "orders"), Privilege.READ)
            .with(
                new Subject.Group("writers"),
                new Scope.Catalog(new CatalogName("second")),
                Set.of(Privilege.CREATE))
            .with(
                new Subject.Principal("other"),
                new Scope.Catalog(new CatalogName("third")),
                Set.of(Privilege.ADMIN));
    assertEquals(Optional.of(Set.of(MAIN, new CatalogName("second"))), some.catalogs(ETL));
    assertEquals(
        Optional.empty(),
        some.with(ETL_ITSELF, new Scope.Cluster(), Set.of(Privilege.READ)).catalogs(ETL),
        "of all that there are");
  }

  @Test
  void whatIsNotGrantedIsForbidden() {
    assertFalse(writes(Grants.NONE, table("main", "shop", "orders")));
    Grants read = granted(ETL_ITSELF, table("main", "shop", "orders"), Privilege.READ);
    assertFalse(writes(read, table("main", "shop", "orders")));
    assertTrue(read.reveal(ETL, table("main", "shop", "orders")));
    assertFalse(read.reveal(ETL, table("main", "shop", "returns")));
    assertFalse(read.reveal(new Identity("other"), table("main", "shop", "orders")));
  }

  @Test
  void aGrantIsOnAllThatLiesBelow() {
    for (Scope scope :
        List.of(
            new Scope.Cluster(),
            new Scope.Catalog(MAIN),
            namespace("main", "shop"),
            namespace("main", "shop", "eu"),
            table("main", "shop", "eu", "orders"))) {
      Grants grants = granted(ETL_ITSELF, scope, Privilege.WRITE);
      assertTrue(writes(grants, table("main", "shop", "eu", "orders")), scope.text());
      assertFalse(
          !(scope instanceof Scope.Cluster)
              && writes(grants, table("second", "shop", "eu", "orders")),
          scope.text());
    }
    Grants outer = granted(ETL_ITSELF, namespace("main", "shop"), Privilege.WRITE);
    assertFalse(writes(outer, new Scope.Catalog(MAIN)));
    assertFalse(writes(outer, table("main", "shopping", "orders")));
    Grants inner = granted(ETL_ITSELF, namespace("main", "shop", "eu"), Privilege.WRITE);
    assertFalse(writes(inner, table("main", "shop", "orders")));
    assertTrue(inner.revealWithin(ETL, namespace("main", "shop")));
    assertFalse(inner.revealWithin(ETL, namespace("main", "sales")));
  }

  /** A table may be called as a namespace beside it is, and a level may have dots. */
  @Test
  void namesAreComparedLevelByLevel() {
    Grants dotted = granted(ETL_ITSELF, namespace("main", "a.b"), Privilege.WRITE);
    assertTrue(writes(dotted, table("main", "a.b", "t")));
    assertFalse(writes(dotted, table("main", "a", "b", "t")));
    Grants named = granted(ETL_ITSELF, table("main", "shop", "eu"), Privilege.WRITE);
    assertFalse(writes(named, table("main", "shop", "eu", "orders")));
    assertFalse(writes(named, namespace("main", "shop", "eu")));
    assertFalse(writes(named, table("main", "shop", "EU")));
  }

  @Test
  void aGroupsGrantIsForAllInIt() {
    Grants grants = granted(new Subject.Group("writers"), new Scope.Catalog(MAIN), Privilege.WRITE);
    assertTrue(writes(grants, table("main", "shop", "orders")));
    assertFalse(
        grants.allow(new Identity("writers"), Privilege.WRITE, table("main", "shop", "orders")));
  }

  @Test
  void anAdministratorMayDoAllOfIt() {
    Grants grants = granted(ETL_ITSELF, new Scope.Catalog(MAIN), Privilege.ADMIN);
    for (Privilege privilege : Privilege.values()) {
      assertTrue(grants.allow(ETL, privilege, table("main", "shop", "orders")));
    }
  }

  @Test
  void grantsAreKeptAddedToAndTakenBack() {
    Scope shop = namespace("main", "shop");
    assertEquals(Grants.NONE, object.read());
    var _ = object.change(was -> was.with(ETL_ITSELF, shop, Set.of(Privilege.READ)));
    var _ = object.change(was -> was.with(ETL_ITSELF, shop, Set.of(Privilege.WRITE)));
    assertEquals(
        List.of(new Grant(ETL_ITSELF, shop, Set.of(Privilege.READ, Privilege.WRITE))),
        object.read().all());
    var _ = object.change(was -> was.without(ETL_ITSELF, shop, Set.of(Privilege.WRITE)));
    assertFalse(writes(object.read(), table("main", "shop", "orders")));
    var _ = object.change(was -> was.without(ETL_ITSELF, shop, Set.of(Privilege.READ)));
    assertEquals(Grants.NONE, object.read());
  }

  @Test
  void grantsOfALaterVersionGrantNothing() {
    String later = "{\"format_version\":2,\"grants\":[],\"put_id\":\"x\"}";
    store.put(Keys.GRANTS, Body.of(later.getBytes(StandardCharsets.UTF_8)), PutCondition.any());
    assertEquals("grants-version", assertThrows(WingsException.class, object::read).code());
  }

  /** Unknown and forbidden look alike to a stranger. */
  @Test
  void aStrangerIsToldNothing() {
    Scope orders = table("main", "shop", "orders");
    Access access = new Access.Granted(() -> granted(ETL_ITSELF, orders, Privilege.READ));
    WingsException stranger =
        assertThrows(
            WingsException.class,
            () -> access.require(new Identity("other"), Privilege.READ, orders));
    assertEquals("table-not-found", stranger.code());
    assertEquals(ErrorKind.NOT_FOUND, stranger.kind());
    WingsException reader =
        assertThrows(WingsException.class, () -> access.require(ETL, Privilege.WRITE, orders));
    assertEquals("forbidden", reader.code());
    assertEquals(ErrorKind.NOT_FOUND, reader.kind());
    access.require(ETL, Privilege.READ, orders);
  }

  @Test
  void scopesAreReadAsTheyAreWritten() {
    for (Scope scope :
        List.of(
            new Scope.Cluster(),
            new Scope.Catalog(MAIN),
            namespace("main", "a.b", "c"),
            new Scope.Table(new TableName(MAIN, List.of("shop"), "orders")))) {
      assertEquals(scope, Scope.of(scope.kind(), scope.path()));
    }
    assertThrows(WingsException.class, () -> Scope.of("catalog", List.of("main", "shop")));
    assertThrows(WingsException.class, () -> Scope.of("namespace", List.of("main")));
    assertThrows(WingsException.class, () -> Scope.of("table", List.of("main", "t")));
    assertThrows(WingsException.class, () -> Scope.of("view", List.of("main", "s", "t")));
    assertEquals("main.\"a.b\".c", namespace("main", "a.b", "c").text());
  }
}
