package io.wings.catalog.table;

import io.wings.common.error.WingsException;
import java.util.Map;
import org.apache.arrow.vector.types.pojo.Schema;
import org.apache.iceberg.catalog.Catalog;
import org.apache.iceberg.catalog.TableIdentifier;
import org.jspecify.annotations.Nullable;

/** Makes tables from what a client sends. */
@SuppressWarnings("DoNotCallSuggester")
public final class TableCreation {
  private TableCreation() {}

  /**
   * Creates the table unless it exists, in Iceberg format 3, and its namespace if need be (when the
   * catalog has namespaces). Losing a race against another creator is no error. Doesn't adopt it.
   *
   * @param arrow the schema of messages, converted by {@link ArrowSchemas#toIceberg}
   * @param partitionSpec Iceberg's JSON of a partition spec, fields referring to columns by {@code
   *     source-id} as {@link ArrowSchemas#toIceberg} numbers them, or by {@code source-name}; null:
   *     unpartitioned
   * @param sortOrder Iceberg's JSON of a sort order, likewise; null: unsorted
   * @param properties table properties, those of Wings included
   * @return whether this call created it
   * @throws WingsException {@code schema-invalid}, {@code type-unsupported}, {@code
   *     partition-spec-invalid}, {@code sort-order-invalid}, {@code table-format-unsupported} and
   *     those of {@link TableSettings#parse}; nothing is left behind then
   */
  public static boolean createIfMissing(
      Catalog catalog,
      TableIdentifier table,
      Schema arrow,
      @Nullable String partitionSpec,
      @Nullable String sortOrder,
      Map<String, String> properties) {
    throw new UnsupportedOperationException();
  }
}
