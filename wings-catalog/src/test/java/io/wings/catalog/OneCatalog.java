package io.wings.catalog;

import io.wings.common.cluster.CatalogName;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.Catalog;
import org.apache.iceberg.catalog.SupportsNamespaces;
import org.apache.iceberg.inmemory.InMemoryCatalog;
import org.apache.iceberg.io.FileIO;

/** One tenant's in-memory catalog, for tests. */
public record OneCatalog(CatalogName name, InMemoryCatalog inMemory)
    implements Catalogs, TenantCatalog {
  @Override
  public TenantCatalog open(CatalogName wanted) {
    return this;
  }

  @Override
  public CatalogType type() {
    return CatalogType.REST;
  }

  @Override
  public Catalog catalog() {
    return inMemory;
  }

  @Override
  public SupportsNamespaces namespaces() {
    return inMemory;
  }

  @Override
  public FileIO deletingIo(Table table) {
    return table.io();
  }

  @Override
  public void checkLocation(String location) {}

  @Override
  public void close() {}
}
