package io.wings.catalog;

import io.wings.common.cluster.CatalogName;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.Catalog;
import org.apache.iceberg.catalog.SupportsNamespaces;
import org.apache.iceberg.io.FileIO;

/**
 * A tenant's opened catalog, held until {@link #close()}.
 *
 * <p>Open it for a piece of work (one look-up, one pass) and close it after: that is cheap, since
 * {@link Catalogs} keeps the catalog open between, and it is how a rotated secret comes into use.
 * Tables and FileIOs got from it are good until then. Safe for several threads.
 */
public interface TenantCatalog extends AutoCloseable {
  CatalogName name();

  CatalogType type();

  /**
   * The Iceberg catalog. Client-side retries are off; the FileIO of its tables ignores deletes and
   * refuses locations that the tenant may not use.
   */
  Catalog catalog();

  /** The same catalog's namespaces. */
  SupportsNamespaces namespaces();

  /**
   * A FileIO of the same credentials as {@code table.io()} whose deletes delete. Only for files
   * that freshly loaded metadata shows to be unreachable, or that a closed ledger names (design.md
   * section 8). Never handed to Iceberg or to a catalog; not to be closed.
   *
   * @param table loaded from this catalog
   */
  FileIO deletingIo(Table table);

  /**
   * Refuses a location that this tenant may not write to: an unknown scheme, inside the cluster
   * prefix, or a local path outside its warehouse.
   *
   * @throws io.wings.common.error.WingsException {@code location-refused}
   */
  void checkLocation(String location);

  /** Gives it back; the last one closes what a newer secret has replaced. */
  @Override
  void close();
}
