package io.wings.catalog.table;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.wings.common.cluster.Printable;
import io.wings.common.config.Suggestion;
import org.apache.iceberg.Schema;
import org.apache.iceberg.types.TypeUtil;
import org.apache.iceberg.types.Types;

/**
 * Partition specs and sort orders whose fields name columns by {@code source-name}, for clients
 * that can't know the ids that a new table will have.
 */
final class SourceNames {
  private static final ObjectMapper JSON = new ObjectMapper();

  /** Columns that an error tells. */
  private static final int MAX_NAMED = 100;

  private SourceNames() {}

  /**
   * The same JSON with {@code source-id} in place of each {@code source-name}.
   *
   * @param code of the error
   * @throws io.wings.common.error.WingsException when it names a column that isn't there
   * @throws IllegalArgumentException when it isn't JSON
   */
  static String resolve(String code, Schema schema, String json) {
    JsonNode document;
    try {
      document = JSON.readTree(json);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException("not JSON", e);
    }
    for (JsonNode field : document.path("fields")) {
      if (field instanceof ObjectNode named && named.has("source-name")) {
        String column = named.remove("source-name").asText();
        Types.NestedField source = schema.findField(column);
        if (source == null) {
          throw Suggestion.unknown(
              code,
              "column",
              Printable.of(column),
              TypeUtil.indexNameById(schema.asStruct()).values().stream()
                  .limit(MAX_NAMED)
                  .map(Printable::of)
                  .toList());
        }
        if (named.has("source-id")) {
          throw new IllegalArgumentException("source-id and source-name together");
        }
        named.put("source-id", source.fieldId());
      }
    }
    return document.toString();
  }
}
