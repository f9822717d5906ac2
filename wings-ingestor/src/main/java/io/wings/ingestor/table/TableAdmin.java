package io.wings.ingestor.table;

import io.wings.catalog.table.ArrowSchemas;
import io.wings.catalog.table.TableSettings;
import io.wings.catalog.table.Watermarks;
import io.wings.common.cluster.CatalogName;
import io.wings.common.error.WingsException;
import io.wings.common.flight.TableName;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import org.apache.arrow.vector.types.pojo.Schema;
import org.apache.iceberg.HasTableOperations;
import org.apache.iceberg.PartitionSpecParser;
import org.apache.iceberg.SchemaParser;
import org.apache.iceberg.SortOrderParser;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableMetadata;
import org.jspecify.annotations.Nullable;

/** What clients ask about tables, and have done to them, beside streaming. */
public final class TableAdmin {
  private final CatalogTables tables;
  private final String cluster;

  /**
   * @param cluster the cluster's id
   */
  public TableAdmin(CatalogTables tables, String cluster) {
    this.tables = tables;
    this.cluster = cluster;
  }

  /**
   * A table as its catalog shows it.
   *
   * @param incarnation null until it is adopted by this cluster
   * @param watermarks by lane; empty until then
   * @param schema what batches are held against
   * @param definition what Iceberg says of it
   */
  public record Described(
      UUID uuid,
      @Nullable String incarnation,
      int lanes,
      List<Long> watermarks,
      String metadataLocation,
      Schema schema,
      Definition definition) {}

  /**
   * A table's definition, in Iceberg's JSON.
   *
   * @param properties those under {@code wings.}, watermarks aside
   */
  public record Definition(
      String schema, String partitionSpec, String sortOrder, Map<String, String> properties) {
    static Definition of(TableMetadata metadata) {
      Map<String, String> own = new TreeMap<>();
      metadata
          .properties()
          .forEach(
              (key, value) -> {
                if (key.startsWith(TableSettings.PREFIX) && !key.startsWith(Watermarks.PREFIX)) {
                  own.put(key, value);
                }
              });
      return new Definition(
          SchemaParser.toJson(metadata.schema()),
          PartitionSpecParser.toJson(metadata.spec()),
          SortOrderParser.toJson(metadata.sortOrder()),
          own);
    }
  }

  /** Looks the table up now; doesn't adopt it. */
  public Described describe(TableName name) {
    return tables.use(name, (catalog, id) -> described(name.catalog(), catalog.loadTable(id)));
  }

  private Described described(CatalogName catalog, Table table) {
    TableMetadata metadata = metadata(table);
    UUID uuid = UUID.fromString(metadata.uuid());
    Schema schema = ArrowSchemas.expected(metadata.schema());
    String location = String.valueOf(metadata.metadataFileLocation());
    Definition definition = Definition.of(metadata);
    return switch (Watermarks.read(metadata.properties(), cluster, catalog, uuid)) {
      case Watermarks.Reading.Own(Watermarks own) ->
          new Described(
              uuid, own.incarnation(), own.lanes(), own.numbers(), location, schema, definition);
      case Watermarks.Reading.Absent _, Watermarks.Reading.Copied _, Watermarks.Reading.Foreign _ ->
          new Described(
              uuid,
              null,
              TableSettings.parse(metadata.properties()).lanes(),
              List.of(),
              location,
              schema,
              definition);
    };
  }

  private static TableMetadata metadata(Table table) {
    return ((HasTableOperations) table).operations().current();
  }

  /**
   * Makes a table, adopts it, and describes it.
   *
   * @throws WingsException {@code table-exists}; those of {@link
   *     io.wings.catalog.table.TableCreation#createIfMissing}
   */
  public Described create(
      TableName name,
      Schema schema,
      @Nullable String partitionSpec,
      @Nullable String sortOrder,
      Map<String, String> properties) {
    if (!tables.create(name, schema, partitionSpec, sortOrder, properties, () -> {})) {
      throw WingsException.invalid("table-exists", "table \"" + name + "\" is there already");
    }
    StreamTable _ = tables.open(name, () -> {});
    return describe(name);
  }

  /** Takes a table out of its catalog; its files and its log stay. */
  public UUID drop(TableName name) {
    return tables.use(
        name,
        (catalog, id) -> {
          UUID uuid = UUID.fromString(metadata(catalog.loadTable(id)).uuid());
          if (!catalog.dropTable(id, false)) {
            throw WingsException.notFound("table-not-found", "no table \"" + name + "\"");
          }
          return uuid;
        });
  }

  /**
   * How far the table's rows are, by a look now.
   *
   * @throws WingsException {@code table-not-found}, {@code catalog-unavailable}
   */
  public TableSight look(TableName name) {
    return tables.use(name, (catalog, id) -> TableSight.of(name, catalog.loadTable(id), cluster));
  }
}
