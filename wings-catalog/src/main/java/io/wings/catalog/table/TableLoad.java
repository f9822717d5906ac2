package io.wings.catalog.table;

import io.wings.common.cluster.Printable;
import io.wings.common.error.ErrorKind;
import io.wings.common.error.WingsException;
import java.util.Optional;
import java.util.UUID;
import org.apache.iceberg.HasTableOperations;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableProperties;
import org.apache.iceberg.catalog.Catalog;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.exceptions.ForbiddenException;
import org.apache.iceberg.exceptions.NoSuchNamespaceException;
import org.apache.iceberg.exceptions.NoSuchTableException;
import org.apache.iceberg.exceptions.NotAuthorizedException;

/** A table as one load of it shows it. */
record TableLoad(TableIdentifier identifier, Table table, TableMetadata metadata, UUID uuid) {
  /** The lowest Iceberg format that Wings writes. */
  static final int FORMAT_VERSION = 3;

  /**
   * Loads fresh.
   *
   * @throws WingsException {@code table-not-found} when it isn't there or may not be seen, {@code
   *     catalog-unavailable}
   */
  static TableLoad fresh(Catalog catalog, TableIdentifier identifier) {
    return find(catalog, identifier).orElseThrow(() -> notFound(identifier));
  }

  /** As {@link #fresh}, empty for a table that isn't there or may not be seen. */
  static Optional<TableLoad> find(Catalog catalog, TableIdentifier identifier) {
    try {
      return ofVisible(catalog, identifier);
    } catch (ForbiddenException | NotAuthorizedException ignored) {
      return Optional.empty();
    } catch (WingsException e) {
      throw e;
    } catch (RuntimeException e) {
      throw unavailable(identifier, e);
    }
  }

  /**
   * As {@link #find}, but empty only for a table that isn't there; throws what the catalog throws.
   */
  static Optional<TableLoad> ofVisible(Catalog catalog, TableIdentifier identifier) {
    try {
      Table table = catalog.loadTable(identifier);
      TableMetadata metadata = ((HasTableOperations) table).operations().current();
      return Optional.of(
          new TableLoad(identifier, table, metadata, UUID.fromString(metadata.uuid())));
    } catch (NoSuchTableException | NoSuchNamespaceException ignored) {
      return Optional.empty();
    }
  }

  static WingsException unavailable(TableIdentifier identifier, RuntimeException cause) {
    return WingsException.unavailable(
        "catalog-unavailable",
        "the catalog doesn't answer for %s (%s)"
            .formatted(Printable.of(identifier.toString()), cause.getClass().getSimpleName()),
        cause);
  }

  static WingsException notFound(TableIdentifier identifier) {
    return new WingsException(
        ErrorKind.NOT_FOUND,
        "table-not-found",
        "no table \"%s\"".formatted(Printable.of(identifier.toString())));
  }

  /**
   * Refuses a table that Wings can't write.
   *
   * @return its settings
   */
  TableSettings requireSupported() {
    if (metadata.formatVersion() < FORMAT_VERSION) {
      throw WingsException.invalid(
          "table-format-unsupported",
          "%s has Iceberg format version %d, expected %d or higher; raise it: ALTER TABLE … SET TBLPROPERTIES ('format-version'='%d')"
              .formatted(name(), metadata.formatVersion(), FORMAT_VERSION, FORMAT_VERSION));
    }
    if (metadata.properties().containsKey(TableProperties.WRITE_LOCATION_PROVIDER_IMPL)) {
      throw WingsException.invalid(
          "table-property-refused",
          "%s names a class in %s, which Wings doesn't load; unset it"
              .formatted(name(), TableProperties.WRITE_LOCATION_PROVIDER_IMPL));
    }
    ArrowSchemas.expected(metadata.schema());
    Writable.require(table);
    return TableSettings.parse(metadata.properties());
  }

  /** For messages. */
  String name() {
    return Printable.of(identifier.toString());
  }
}
