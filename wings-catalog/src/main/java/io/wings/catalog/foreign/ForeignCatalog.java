package io.wings.catalog.foreign;

import java.io.Closeable;
import org.apache.iceberg.catalog.Catalog;
import org.apache.iceberg.catalog.SupportsNamespaces;

/**
 * An opened catalog.
 *
 * @param namespaces of the same catalog
 * @param resource closes it
 */
public record ForeignCatalog(Catalog catalog, SupportsNamespaces namespaces, Closeable resource) {}
