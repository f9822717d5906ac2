package io.wings.catalog.rest;

import io.wings.catalog.Tenants;
import io.wings.common.auth.Identity;
import io.wings.common.cluster.CatalogName;
import io.wings.common.flight.TableName;
import io.wings.common.grant.Access;
import io.wings.common.grant.Audit;
import io.wings.common.grant.Privilege;
import io.wings.common.grant.Scope;
import java.net.SocketAddress;
import java.util.Arrays;
import java.util.List;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.exceptions.NoSuchNamespaceException;
import org.apache.iceberg.exceptions.NoSuchTableException;

/**
 * What who makes a request may do in the catalog that it names. Of what isn't shown to them they
 * are told, before the catalog is asked, what the catalog says of what isn't there.
 *
 * @param from where the request comes from
 */
record Rights(Access access, Identity caller, SocketAddress from, CatalogName catalog) {

  /** For who may know of something in the catalog. */
  void seeCatalog() {
    if (!access.revealsWithin(caller, new Scope.Catalog(catalog))) {
      throw Tenants.unknown(catalog);
    }
  }

  /** For who may know of something in the namespace; the root is the catalog. */
  void see(Namespace namespace) {
    if (namespace.isEmpty()) {
      seeCatalog();
    } else if (!sees(namespace)) {
      throw hidden(namespace);
    }
  }

  boolean sees(Namespace namespace) {
    return access.revealsWithin(caller, scope(namespace));
  }

  void see(TableIdentifier table) {
    if (!sees(table)) {
      throw hidden(table);
    }
  }

  boolean sees(TableIdentifier table) {
    return access.reveals(caller, scope(table));
  }

  /** For who has any privilege on the whole of it. */
  void read(Namespace namespace) {
    see(namespace);
    Scope scope = scope(namespace);
    if (!access.reveals(caller, scope)) {
      throw Access.forbidden(caller, Privilege.READ, scope);
    }
  }

  /** For who reads it, and who commits to it, which begins with reading it. */
  void read(TableIdentifier table) {
    see(table);
    Scope scope = scope(table);
    if (!access.allows(caller, Privilege.WRITE, scope)) {
      require(Privilege.READ, scope);
    }
  }

  void write(TableIdentifier table) {
    see(table);
    require(Privilege.WRITE, scope(table));
  }

  /** For who may make it; whether it is there makes no difference. */
  void create(TableIdentifier table) {
    Scope scope = scope(table);
    see(table.namespace());
    require(Privilege.CREATE, scope);
  }

  /** The same for what is an administrative act. */
  void create(TableIdentifier table, String act) {
    note(act, Privilege.CREATE, scope(table));
    create(table);
  }

  void create(Namespace namespace) {
    Scope scope = scope(namespace);
    TableName.requireNamespace(List.of(namespace.levels()));
    note("create-namespace", Privilege.CREATE, scope);
    see(Namespace.of(Arrays.copyOf(namespace.levels(), namespace.length() - 1)));
    require(Privilege.CREATE, scope);
  }

  void administer(Namespace namespace, String act) {
    Scope scope = scope(namespace);
    note(act, Privilege.ADMIN, scope);
    see(namespace);
    require(Privilege.ADMIN, scope);
  }

  void administer(TableIdentifier table, String act) {
    Scope scope = scope(table);
    note(act, Privilege.ADMIN, scope);
    see(table);
    require(Privilege.ADMIN, scope);
  }

  /** For who may administer the one and make the other. */
  void rename(TableIdentifier table, TableIdentifier to) {
    Scope scope = scope(table);
    boolean allowed =
        access.allows(caller, Privilege.ADMIN, scope)
            && access.allows(caller, Privilege.CREATE, scope(to));
    Audit.rename(caller, from, "rename-table", scope, scope(to), allowed);
    see(table);
    require(Privilege.ADMIN, scope);
    create(to);
  }

  private void require(Privilege privilege, Scope scope) {
    if (!access.allows(caller, privilege, scope)) {
      throw Access.forbidden(caller, privilege, scope);
    }
  }

  private void note(String act, Privilege privilege, Scope scope) {
    Audit.act(caller, from, act, scope, access.allows(caller, privilege, scope));
  }

  private Scope scope(TableIdentifier table) {
    return new Scope.Table(
        new TableName(catalog, List.of(table.namespace().levels()), table.name()));
  }

  private Scope scope(Namespace namespace) {
    if (namespace.isEmpty() || Arrays.asList(namespace.levels()).contains("")) {
      throw new IllegalArgumentException("a namespace has one level at least, and none is empty");
    }
    return new Scope.Namespace(catalog, List.of(namespace.levels()));
  }

  private static NoSuchNamespaceException hidden(Namespace namespace) {
    return new NoSuchNamespaceException("Namespace does not exist: %s", namespace);
  }

  private static NoSuchTableException hidden(TableIdentifier table) {
    return new NoSuchTableException("Table does not exist: %s", table);
  }
}
