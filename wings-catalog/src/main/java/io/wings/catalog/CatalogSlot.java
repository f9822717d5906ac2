package io.wings.catalog;

import io.wings.catalog.secret.SecretPointer;
import io.wings.common.cluster.CatalogName;
import io.wings.common.error.ErrorKind;
import io.wings.common.error.WingsException;
import io.wings.common.time.Time;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One tenant's open catalog, and the secret that it was opened with.
 *
 * <p>Both are read again in time by whoever comes first; others go on with what is open. What is
 * certain (the tenant was removed, its secret is gone or denied) takes the catalog out of use. That
 * a store doesn't answer says nothing, and what is no secret may be half written: the last one
 * stays.
 */
final class CatalogSlot {
  private static final Logger LOG = LoggerFactory.getLogger(CatalogSlot.class);

  /** What is open, and by what. */
  private record InUse(SecretPointer pointer, Secret secret, OpenCatalog catalog) {}

  /**
   * @param atMost how long that holds
   */
  private record Read(InUse inUse, Duration atMost) {}

  private final CatalogName name;
  private final Supplier<SecretPointer> registration;
  private final Function<SecretPointer, Secret> secrets;
  private final Function<Secret, OpenCatalog> opener;
  private final CatalogSettings settings;
  private final Time time;
  private final ReentrantLock lock = new ReentrantLock();
  private @Nullable InUse current;
  private long dueNanos;
  private boolean refreshing;

  /** Why it couldn't be opened the last time. Written under the lock. */
  private volatile @Nullable WingsException failure;

  private boolean retired;

  CatalogSlot(
      CatalogName name,
      Supplier<SecretPointer> registration,
      Function<SecretPointer, Secret> secrets,
      Function<Secret, OpenCatalog> opener,
      CatalogSettings settings,
      Time time) {
    this.name = name;
    this.registration = registration;
    this.secrets = secrets;
    this.opener = opener;
    this.settings = settings;
    this.time = time;
  }

  /** A hold on the catalog, opened if need be; empty when the slot has been retired. */
  Optional<TenantCatalog> hold() {
    InUse old;
    WingsException known = failure;
    try {
      lock.lockInterruptibly();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw WingsException.unavailable(
          "interrupted", "catalog " + name + " wasn't opened: told to stop", e);
    }
    try {
      if (retired) {
        return Optional.empty();
      }
      old = current;
      if (old == null) {
        return Optional.of(opened(known));
      }
      if (refreshing || time.nanos() - dueNanos < 0) {
        return Optional.of(old.catalog().hold());
      }
      refreshing = true;
    } finally {
      lock.unlock();
    }
    return refreshed(old);
  }

  /**
   * Opened now. A failure is also that of all who have waited meanwhile: one after another they
   * would wait as many times as long.
   *
   * @param known the failure that the caller knew of before it waited
   */
  private TenantCatalog opened(@Nullable WingsException known) {
    WingsException met = failure;
    if (met != null && met != known) {
      throw new WingsException(met.kind(), met.code(), met.detail(), met);
    }
    long startNanos = time.nanos();
    try {
      return use(read(null), startNanos);
    } catch (WingsException e) {
      // That this caller was told to stop keeps nobody else from trying.
      failure = Thread.currentThread().isInterrupted() ? null : e;
      throw e;
    }
  }

  /** Without the lock while stores are asked: others needn't wait for them. */
  private Optional<TenantCatalog> refreshed(InUse old) {
    long startNanos = time.nanos();
    Read read;
    try {
      read = read(old);
    } catch (WingsException e) {
      ended(true);
      throw e;
    } catch (RuntimeException | Error e) {
      // A fault of Wings itself says nothing of the secret either.
      ended(false);
      throw e;
    }
    lock.lock();
    try {
      refreshing = false;
      OpenCatalog fresh = read.inUse().catalog();
      if (!fresh.equals(old.catalog())) {
        (retired ? fresh : old.catalog()).retire();
      }
      if (retired) {
        return Optional.empty();
      }
      return Optional.of(use(read, startNanos));
    } finally {
      lock.unlock();
    }
  }

  /** What the registration and the secret now say; {@code old} itself while that isn't known. */
  private Read read(@Nullable InUse old) {
    SecretPointer pointer;
    Secret secret;
    try {
      pointer = registration.get();
    } catch (WingsException e) {
      return kept(old, e);
    }
    try {
      secret = secrets.apply(pointer);
    } catch (WingsException e) {
      // Of another pointer nothing is known yet.
      return kept(old != null && old.pointer().equals(pointer) ? old : null, e);
    }
    OpenCatalog catalog =
        old != null && old.secret().equals(secret) ? old.catalog() : opener.apply(secret);
    return new Read(new InUse(pointer, secret, catalog), settings.secretMaxAge());
  }

  private Read kept(@Nullable InUse old, WingsException failure) {
    boolean certain =
        switch (failure.code()) {
          case Secrets.UNREADABLE -> true;
          case Secrets.INVALID -> false;
          default -> failure.kind() != ErrorKind.UNAVAILABLE;
        };
    if (old == null || certain) {
      throw failure;
    }
    LOG.warn("catalog {}: its secret stays in use unread: {}", name, failure.getMessage());
    return new Read(old, CatalogSettings.SECRET_RETRY);
  }

  private TenantCatalog use(Read read, long startNanos) {
    InUse fresh = read.inUse();
    Duration wait = read.atMost();
    Optional<Instant> expiry = fresh.secret().expiresAt();
    if (expiry.isPresent()) {
      Duration left = Duration.between(time.now(), expiry.get()).minus(settings.secretMaxAge());
      Duration early =
          left.compareTo(CatalogSettings.SECRET_RETRY) < 0 ? CatalogSettings.SECRET_RETRY : left;
      wait = early.compareTo(wait) < 0 ? early : wait;
    }
    dueNanos = startNanos + wait.toNanos();
    current = fresh;
    return fresh.catalog().hold();
  }

  private void ended(boolean outOfUse) {
    lock.lock();
    try {
      refreshing = false;
      if (outOfUse) {
        forget();
      }
    } finally {
      lock.unlock();
    }
  }

  private void forget() {
    InUse old = current;
    current = null;
    if (old != null) {
      old.catalog().retire();
    }
  }

  /** Closes the catalog once nobody holds it. */
  void retire() {
    lock.lock();
    try {
      retired = true;
      forget();
    } finally {
      lock.unlock();
    }
  }
}
