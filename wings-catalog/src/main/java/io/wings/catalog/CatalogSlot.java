package io.wings.catalog;

import io.wings.common.time.Time;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** One tenant's open catalog, and the secret that it was opened with. */
final class CatalogSlot {
  private final Supplier<Secret> secrets;
  private final Function<Secret, OpenCatalog> opener;
  private final CatalogSettings settings;
  private final Time time;
  private final ReentrantLock lock = new ReentrantLock();
  private @Nullable Secret secret;
  private @Nullable OpenCatalog current;
  private long readAtNanos;
  private boolean retired;

  CatalogSlot(
      Supplier<Secret> secrets,
      Function<Secret, OpenCatalog> opener,
      CatalogSettings settings,
      Time time) {
    this.secrets = secrets;
    this.opener = opener;
    this.settings = settings;
    this.time = time;
  }

  /** A hold on the catalog, opened if need be; empty when the slot has been retired. */
  Optional<TenantCatalog> hold() {
    lock.lock();
    try {
      if (retired) {
        return Optional.empty();
      }
      OpenCatalog catalog = current;
      if (catalog == null || time.since(readAtNanos).compareTo(settings.secretMaxAge()) >= 0) {
        catalog = refreshed();
      }
      return Optional.of(catalog.hold());
    } finally {
      lock.unlock();
    }
  }

  private OpenCatalog refreshed() {
    long startNanos = time.nanos();
    Secret read = secrets.get();
    OpenCatalog catalog = current;
    if (catalog == null || !read.equals(secret)) {
      OpenCatalog opened = opener.apply(read);
      if (catalog != null) {
        catalog.retire();
      }
      current = opened;
      secret = read;
      catalog = opened;
    }
    readAtNanos = startNanos;
    return catalog;
  }

  /** Closes the catalog once nobody holds it. */
  void retire() {
    lock.lock();
    try {
      retired = true;
      if (current != null) {
        current.retire();
        current = null;
      }
    } finally {
      lock.unlock();
    }
  }
}
