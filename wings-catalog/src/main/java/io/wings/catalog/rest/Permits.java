package io.wings.catalog.rest;

import io.wings.common.cluster.CatalogName;
import java.util.Optional;

/**
 * Requests under way: so many at most of all, of one payer, and on one catalog. A tenant whose
 * storage hangs, and a caller with much to ask, leave most of them to others.
 */
final class Permits {
  static final int MAX = 256;
  static final int MAX_OF_ONE = MAX / 4;

  private final Shares payers = new Shares(MAX, MAX_OF_ONE);
  private final Shares catalogs = new Shares(MAX, MAX_OF_ONE);

  /** Leave to work; held until it is closed. */
  record Permit(Permits permits, String payer, Optional<CatalogName> catalog)
      implements AutoCloseable {
    @Override
    public void close() {
      catalog.ifPresent(name -> permits.catalogs.give(name.value(), 1));
      permits.payers.give(payer, 1);
    }
  }

  /** Empty when there are too many. */
  Optional<Permit> tryTake(String payer, Optional<CatalogName> catalog) {
    if (!payers.tryTake(payer, 1)) {
      return Optional.empty();
    }
    if (catalog.isPresent() && !catalogs.tryTake(catalog.get().value(), 1)) {
      payers.give(payer, 1);
      return Optional.empty();
    }
    return Optional.of(new Permit(this, payer, catalog));
  }
}
