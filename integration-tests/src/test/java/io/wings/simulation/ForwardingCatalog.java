package io.wings.simulation;

import io.wings.catalog.own.OwnCatalog;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.Catalog;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableIdentifier;

/** Names and new tables of the own catalog, for clients that load and commit in another way. */
abstract class ForwardingCatalog implements Catalog {
  private final OwnCatalog own;

  ForwardingCatalog(OwnCatalog own) {
    this.own = own;
  }

  @Override
  public List<TableIdentifier> listTables(Namespace namespace) {
    return own.listTables(namespace);
  }

  @Override
  public boolean dropTable(TableIdentifier identifier, boolean purge) {
    return own.dropTable(identifier, purge);
  }

  @Override
  public void renameTable(TableIdentifier from, TableIdentifier to) {
    own.renameTable(from, to);
  }

  @Override
  public TableBuilder buildTable(TableIdentifier identifier, Schema schema) {
    return own.buildTable(identifier, schema);
  }

  @Override
  public Table createTable(
      TableIdentifier identifier,
      Schema schema,
      PartitionSpec spec,
      Map<String, String> properties) {
    return own.createTable(identifier, schema, spec, properties);
  }

  @Override
  public Table loadTable(TableIdentifier identifier) {
    return own.loadTable(identifier);
  }
}
