package io.wings.catalog.table;

import io.wings.common.cluster.Printable;
import io.wings.common.error.ErrorKind;
import io.wings.common.error.WingsException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;
import org.apache.arrow.vector.types.pojo.Schema;
import org.apache.iceberg.PartitionField;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.PartitionSpecParser;
import org.apache.iceberg.SortField;
import org.apache.iceberg.SortOrder;
import org.apache.iceberg.SortOrderParser;
import org.apache.iceberg.TableProperties;
import org.apache.iceberg.catalog.Catalog;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.SupportsNamespaces;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.exceptions.AlreadyExistsException;
import org.apache.iceberg.exceptions.NoSuchNamespaceException;
import org.apache.iceberg.exceptions.ValidationException;
import org.apache.iceberg.transforms.UnknownTransform;
import org.jspecify.annotations.Nullable;

/** Makes tables from what a client sends. */
public final class TableCreation {
  /** Metadata files that a new table's log names; older ones are no longer needed by anyone. */
  static final int PREVIOUS_METADATA_FILES = 20;

  private static final String FORMAT_VERSION = Integer.toString(TableLoad.FORMAT_VERSION);

  private TableCreation() {}

  /**
   * Creates the table unless it exists, in Iceberg format 3, and its namespace if need be (when the
   * catalog has namespaces). Losing a race against another creator is no error. Doesn't adopt it.
   *
   * @param arrow the schema of messages, converted by {@link ArrowSchemas#toIceberg}, which also
   *     numbers the columns: from 1, a level before the levels below it
   * @param partitionSpec Iceberg's JSON of a partition spec; null: unpartitioned
   * @param sortOrder Iceberg's JSON of a sort order; null: unsorted
   * @param properties table properties, those of Wings included; {@code
   *     write.metadata.delete-after-commit.enabled} and {@code
   *     write.metadata.previous-versions-max} are set where they say nothing
   * @param making runs before anything is created
   * @return whether this call created it
   * @throws WingsException {@code schema-invalid}, {@code type-unsupported}, {@code
   *     partition-spec-invalid}, {@code sort-order-invalid}, {@code table-format-unsupported},
   *     {@code table-name-invalid}, {@code table-unsupported} (no worker could write it) and those
   *     of {@link TableSettings#parse}; nothing is left behind then; {@code catalog-unavailable}:
   *     it may have been created
   */
  public static boolean createIfMissing(
      Catalog catalog,
      TableIdentifier table,
      Schema arrow,
      @Nullable String partitionSpec,
      @Nullable String sortOrder,
      Map<String, String> properties,
      Runnable making) {
    checkName(table);
    org.apache.iceberg.Schema schema = ArrowSchemas.toIceberg(arrow);
    Writable.requireColumns(schema);
    PartitionSpec spec = partitionSpec(schema, partitionSpec);
    SortOrder order = sortOrder(schema, sortOrder);
    Map<String, String> complete = properties(properties);
    try {
      if (catalog.tableExists(table)) {
        return false;
      }
      making.run();
      createNamespace(catalog, table.namespace());
      catalog
          .buildTable(table, schema)
          .withPartitionSpec(spec)
          .withSortOrder(order)
          .withProperties(complete)
          .create();
      return true;
    } catch (AlreadyExistsException e) {
      return false;
    } catch (WingsException e) {
      throw e;
    } catch (IllegalArgumentException | ValidationException e) {
      throw new WingsException(
          ErrorKind.INVALID,
          "schema-invalid",
          "Iceberg refuses the table: " + Printable.of(String.valueOf(e.getMessage())),
          e);
    } catch (NoSuchNamespaceException e) {
      throw new WingsException(
          ErrorKind.NOT_FOUND,
          "namespace-not-found",
          "no namespace \"%s\"".formatted(Printable.of(table.namespace().toString())),
          e);
    } catch (RuntimeException e) {
      throw TableLoad.unavailable(table, e);
    }
  }

  private static void checkName(TableIdentifier table) {
    boolean valid =
        valid(table.name())
            && !table.namespace().isEmpty()
            && Arrays.stream(table.namespace().levels()).allMatch(TableCreation::valid);
    if (!valid) {
      throw WingsException.invalid(
          "table-name-invalid",
          "a table needs a namespace, and names of 1 to 255 printable characters without \"/\", got \"%s\""
              .formatted(Printable.of(table.toString())));
    }
  }

  private static boolean valid(String name) {
    return !name.isBlank()
        && name.length() <= 255
        && name.indexOf('/') < 0
        && name.chars().noneMatch(Character::isISOControl);
  }

  private static PartitionSpec partitionSpec(
      org.apache.iceberg.Schema schema, @Nullable String json) {
    if (json == null) {
      return PartitionSpec.unpartitioned();
    }
    PartitionSpec spec =
        parsed(
            "partition-spec-invalid",
            json,
            text ->
                PartitionSpecParser.fromJson(
                    schema, SourceNames.resolve("partition-spec-invalid", schema, text)));
    for (PartitionField field : spec.fields()) {
      refuseUnknown("partition-spec-invalid", field.name(), field.transform());
      if (schema.findField(field.sourceId()) == null) {
        throw WingsException.invalid(
            "partition-spec-invalid",
            "\"%s\": the schema has no column of id %d"
                .formatted(Printable.of(field.name()), field.sourceId()));
      }
    }
    return spec;
  }

  private static SortOrder sortOrder(org.apache.iceberg.Schema schema, @Nullable String json) {
    if (json == null) {
      return SortOrder.unsorted();
    }
    SortOrder order =
        parsed(
            "sort-order-invalid",
            json,
            text ->
                SortOrderParser.fromJson(
                    schema, SourceNames.resolve("sort-order-invalid", schema, text)));
    for (SortField field : order.fields()) {
      refuseUnknown(
          "sort-order-invalid", schema.findColumnName(field.sourceId()), field.transform());
    }
    return order;
  }

  private static <T> T parsed(String code, String json, Function<String, T> parser) {
    try {
      return parser.apply(json);
    } catch (WingsException e) {
      throw e;
    } catch (RuntimeException e) {
      throw new WingsException(
          ErrorKind.INVALID,
          code,
          "expected Iceberg's JSON with columns of the schema, got %s: %s"
              .formatted(Printable.of(json), Printable.of(String.valueOf(e.getMessage()))),
          e);
    }
  }

  private static void refuseUnknown(String code, String field, Object transform) {
    if (transform instanceof UnknownTransform<?, ?>) {
      throw WingsException.invalid(
          code,
          "\"%s\": unknown transform %s"
              .formatted(Printable.of(field), Printable.of(transform.toString())));
    }
  }

  private static Map<String, String> properties(Map<String, String> given) {
    Map<String, String> complete = new HashMap<>(given);
    String format = complete.putIfAbsent(TableProperties.FORMAT_VERSION, FORMAT_VERSION);
    if (format != null && !format.equals(FORMAT_VERSION)) {
      throw WingsException.invalid(
          "table-format-unsupported",
          "property format-version: expected %s, got \"%s\""
              .formatted(FORMAT_VERSION, Printable.of(format)));
    }
    if (given.keySet().stream().anyMatch(key -> key.startsWith(Watermarks.PREFIX))) {
      throw WingsException.invalid(
          "table-setting-invalid", "watermarks are computed; leave out " + Watermarks.PREFIX + "*");
    }
    TableSettings.parse(complete);
    Writable.requireProperties(complete);
    complete.putIfAbsent(TableProperties.METADATA_DELETE_AFTER_COMMIT_ENABLED, "true");
    complete.putIfAbsent(
        TableProperties.METADATA_PREVIOUS_VERSIONS_MAX, Integer.toString(PREVIOUS_METADATA_FILES));
    return complete;
  }

  private static void createNamespace(Catalog catalog, Namespace namespace) {
    if (!(catalog instanceof SupportsNamespaces namespaces)) {
      return;
    }
    for (int depth = 1; depth <= namespace.length(); depth++) {
      Namespace level = Namespace.of(Arrays.copyOf(namespace.levels(), depth));
      try {
        if (!namespaces.namespaceExists(level)) {
          namespaces.createNamespace(level);
        }
      } catch (AlreadyExistsException _) {
        // Someone else was faster.
      }
    }
  }
}
