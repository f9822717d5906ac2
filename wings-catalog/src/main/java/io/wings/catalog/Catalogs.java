package io.wings.catalog;

import io.wings.common.cluster.CatalogName;

/** The catalogs of a cluster's tenants, opened on first use and kept open. */
public interface Catalogs extends AutoCloseable {
  /**
   * The catalog registered under {@code name}, opened with its current secret: registration and
   * secret are read again once they are older than {@link CatalogSettings#secretMaxAge()}, and
   * before the secret expires. While that can't be done, since a store doesn't answer, the last
   * ones stay in use.
   *
   * @throws io.wings.common.error.WingsException {@code catalog-unknown} (not found) when none is
   *     registered, {@code secret-unreadable}, {@code secret-store-unavailable}, {@code
   *     catalog-refused} for a type, a property, a scheme or a location that is not allowed, {@code
   *     catalog-unavailable} when it doesn't answer
   */
  TenantCatalog open(CatalogName name);

  /** Closes all; what is still held stays open until its holder closes it. */
  @Override
  void close();
}
