package io.wings.cli.client;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.wings.common.error.WingsException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A table as the command line names it: {@code catalog.namespace.table}, the namespace of one or
 * more levels. A name with dots or double quotes in it is written in double quotes, those in it
 * twice, as in SQL: {@code main.shop."orders.2026"}.
 */
public record TableName(String catalog, List<String> namespace, String table) {
  /** One name, and what ends it: a dot, or nothing at the end. */
  private static final Pattern PART = Pattern.compile("(?:\"((?:[^\"]|\"\")+)\"|([^.\"]+))(\\.|$)");

  public static TableName parse(String text) {
    List<String> parts = parts(text);
    if (parts.size() < 3) {
      throw WingsException.invalid(
          "table-name-invalid",
          "expected catalog.namespace.table, with names that have dots in double quotes, got: "
              + text);
    }
    return new TableName(
        parts.getFirst(), List.copyOf(parts.subList(1, parts.size() - 1)), parts.getLast());
  }

  /** Empty when {@code text} isn't made of names. */
  private static List<String> parts(String text) {
    List<String> parts = new ArrayList<>();
    Matcher part = PART.matcher(text);
    int at = 0;
    boolean more = true;
    while (more) {
      if (!part.find(at) || part.start() != at) {
        return List.of();
      }
      String quoted = part.group(1);
      parts.add(quoted == null ? part.group(2) : quoted.replace("\"\"", "\""));
      at = part.end();
      more = !part.group(3).isEmpty();
    }
    return parts;
  }

  /** Catalog, namespace and table, level by level. */
  public List<String> levels() {
    return Stream.of(Stream.of(catalog), namespace.stream(), Stream.of(table))
        .flatMap(names -> names)
        .toList();
  }

  /** Puts {@code catalog}, {@code namespace} and {@code table} into a request. */
  public ObjectNode into(ObjectNode request) {
    request.put("catalog", catalog);
    namespace.forEach(request.putArray("namespace")::add);
    return request.put("table", table);
  }

  /** As it is parsed. */
  @Override
  public String toString() {
    return levels().stream().map(TableName::quoted).collect(Collectors.joining("."));
  }

  private static String quoted(String name) {
    return name.contains(".") || name.contains("\"")
        ? "\"" + name.replace("\"", "\"\"") + "\""
        : name;
  }
}
