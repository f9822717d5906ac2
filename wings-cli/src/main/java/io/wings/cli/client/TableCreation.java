package io.wings.cli.client;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.wings.common.error.ErrorKind;
import io.wings.common.error.WingsException;
import java.util.Base64;
import java.util.Map;
import org.apache.arrow.vector.types.pojo.Schema;
import org.jspecify.annotations.Nullable;

/** The {@code create-table} action. */
public final class TableCreation {
  private static final String EXISTS = "table-exists";

  private final TableName table;

  public TableCreation(TableName table) {
    this.table = table;
  }

  /** Creates the table with {@code schema}, unpartitioned, unless it is there. */
  public void ifMissing(WingsClient client, Schema schema) {
    try {
      client.action("describe-table", table.into(WingsClient.JSON.createObjectNode()));
    } catch (WingsException e) {
      if (e.kind() != ErrorKind.NOT_FOUND) {
        throw e;
      }
      createUnlessRaced(client, schema);
    }
  }

  private void createUnlessRaced(WingsClient client, Schema schema) {
    try {
      create(client, schema, null, null, Map.of());
    } catch (WingsException e) {
      if (!e.code().equals(EXISTS)) {
        throw e;
      }
    }
  }

  /**
   * Creates the table.
   *
   * @param partitionSpec Iceberg's JSON of a partition spec, over the ids that the schema gets
   * @param sortOrder Iceberg's JSON of a sort order
   */
  public JsonNode create(
      WingsClient client,
      Schema schema,
      @Nullable JsonNode partitionSpec,
      @Nullable JsonNode sortOrder,
      Map<String, String> properties) {
    ObjectNode request = table.into(WingsClient.JSON.createObjectNode());
    request.put("schema", Base64.getEncoder().encodeToString(schema.serializeAsMessage()));
    if (partitionSpec != null) {
      request.set("partition_spec", partitionSpec);
    }
    if (sortOrder != null) {
      request.set("sort_order", sortOrder);
    }
    ObjectNode entries = request.putObject("properties");
    properties.forEach(entries::put);
    return client.action("create-table", request);
  }
}
