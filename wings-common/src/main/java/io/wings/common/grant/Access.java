package io.wings.common.grant;

import io.wings.common.auth.Identity;
import io.wings.common.cluster.CatalogName;
import io.wings.common.error.ErrorKind;
import io.wings.common.error.WingsException;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/** Whether somebody may do something, as of now. Safe for several threads. */
public sealed interface Access {
  /** The code of what is told to somebody who may know that a thing is there. */
  String FORBIDDEN = "forbidden";

  boolean allows(Identity identity, Privilege privilege, Scope scope);

  /** Whether somebody may know that something is there. */
  boolean reveals(Identity identity, Scope scope);

  /** The same, also because of what is below it. */
  boolean revealsWithin(Identity identity, Scope scope);

  /** The catalogs that somebody may know of; empty: all that there are. */
  Optional<Set<CatalogName>> catalogs(Identity identity);

  /**
   * Returns for somebody who may.
   *
   * @throws WingsException NOT_FOUND: {@code table-not-found} for who may not know that it is
   *     there, whether it is or not; {@code forbidden} for others
   */
  default void require(Identity identity, Privilege privilege, Scope scope) {
    if (allows(identity, privilege, scope)) {
      return;
    }
    if (!reveals(identity, scope)) {
      throw hidden(scope);
    }
    throw forbidden(identity, privilege, scope);
  }

  /**
   * Returns for somebody who may read it, or write to it, which begins with looking at it.
   *
   * @throws WingsException as {@link #require}
   */
  default void requireReadable(Identity identity, Scope scope) {
    if (!allows(identity, Privilege.WRITE, scope)) {
      require(identity, Privilege.READ, scope);
    }
  }

  /** What somebody is told who may know that it is there, and not do that. */
  static WingsException forbidden(Identity identity, Privilege privilege, Scope scope) {
    return new WingsException(
        ErrorKind.NOT_FOUND,
        FORBIDDEN,
        "principal %s may not %s %s; an administrator can grant that: wings grant add"
            .formatted(identity.principal(), privilege, scope.text()));
  }

  private static WingsException hidden(Scope scope) {
    return WingsException.notFound(
        "table-not-found",
        "there is no %s %s, or nothing is granted on it".formatted(scope.kind(), scope.text()));
  }

  /** Whoever is let in may do everything. */
  enum Everything implements Access {
    INSTANCE;

    @Override
    public boolean allows(Identity identity, Privilege privilege, Scope scope) {
      return true;
    }

    @Override
    public boolean reveals(Identity identity, Scope scope) {
      return true;
    }

    @Override
    public boolean revealsWithin(Identity identity, Scope scope) {
      return true;
    }

    @Override
    public Optional<Set<CatalogName>> catalogs(Identity identity) {
      return Optional.empty();
    }
  }

  /**
   * What is granted, and no more.
   *
   * @param grants of now; doesn't block
   */
  record Granted(Supplier<Grants> grants) implements Access {
    @Override
    public boolean allows(Identity identity, Privilege privilege, Scope scope) {
      return grants.get().allow(identity, privilege, scope);
    }

    @Override
    public boolean reveals(Identity identity, Scope scope) {
      return grants.get().reveal(identity, scope);
    }

    @Override
    public boolean revealsWithin(Identity identity, Scope scope) {
      return grants.get().revealWithin(identity, scope);
    }

    @Override
    public Optional<Set<CatalogName>> catalogs(Identity identity) {
      return grants.get().catalogs(identity);
    }
  }
}
