package io.wings.catalog;

import java.util.Locale;

/** What speaks to a tenant's catalog; the {@code type} of its secret. */
public enum CatalogType {
  /** Wings' own catalog on the warehouse's object storage. */
  WINGS,
  /** Whatever serves the Iceberg REST protocol. */
  REST,
  /** Iceberg's catalog in a relational database. */
  JDBC;

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
