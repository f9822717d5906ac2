package io.wings.cli.client;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.wings.common.error.WingsException;
import java.util.List;

/**
 * A table as the command line names it: {@code catalog.namespace.table}, the namespace of one or
 * more levels. Names that contain dots themselves can't be written this way.
 */
public record TableName(String catalog, List<String> namespace, String table) {
  public static TableName parse(String text) {
    List<String> parts = List.of(text.split("\\.", -1));
    if (parts.size() < 3 || parts.stream().anyMatch(String::isEmpty)) {
      throw WingsException.invalid(
          "table-name-invalid", "expected catalog.namespace.table, got \"" + text + "\"");
    }
    return new TableName(parts.getFirst(), parts.subList(1, parts.size() - 1), parts.getLast());
  }

  /** Puts {@code catalog}, {@code namespace} and {@code table} into a request. */
  public ObjectNode into(ObjectNode request) {
    request.put("catalog", catalog);
    namespace.forEach(request.putArray("namespace")::add);
    return request.put("table", table);
  }

  @Override
  public String toString() {
    return catalog + "." + String.join(".", namespace) + "." + table;
  }
}
