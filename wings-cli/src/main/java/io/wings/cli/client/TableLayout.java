package io.wings.cli.client;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.wings.common.config.Suggestion;
import io.wings.common.error.WingsException;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Partition and sort expressions of the command line as Iceberg's JSON, columns by {@code
 * source-name}.
 *
 * <p>{@code column}, {@code day(column)} (also year, month, hour, void), {@code bucket(16,
 * column)}, {@code truncate(4, column)}; a sort adds {@code asc|desc} and {@code nulls first|last}.
 */
public final class TableLayout {
  private static final Pattern TRANSFORM =
      Pattern.compile("(?<name>\\w+)\\(\\s*(?:(?<width>\\d+)\\s*,\\s*)?(?<column>[^()]+?)\\s*\\)");
  private static final List<String> PLAIN = List.of("year", "month", "day", "hour", "void");
  private static final List<String> SIZED = List.of("bucket", "truncate");
  private static final List<String> DIRECTIONS = List.of("asc", "desc", "ascending", "descending");
  private static final Pattern SORT =
      Pattern.compile(
          "(?<term>.+?)(?:\\s+(?<direction>asc|desc))?(?:\\s+nulls\\s+(?<nulls>first|last))?",
          Pattern.CASE_INSENSITIVE);

  private TableLayout() {}

  /** A term: an Iceberg transform of a column. */
  private record Term(String transform, String column) {
    String fieldName() {
      return switch (transform.replaceAll("\\[.*", "")) {
        case "identity" -> column;
        case "truncate" -> column + "_trunc";
        case "void" -> column + "_null";
        case String name -> column + "_" + name;
      };
    }
  }

  /** The partition spec, or null when there are no expressions. */
  public static @Nullable ObjectNode partitionSpec(List<String> expressions) {
    if (expressions.isEmpty()) {
      return null;
    }
    ObjectNode spec = WingsClient.JSON.createObjectNode().put("spec-id", 0);
    ArrayNode fields = spec.putArray("fields");
    for (String expression : expressions) {
      Term term = term(expression);
      fields
          .addObject()
          .put("name", term.fieldName())
          .put("transform", term.transform())
          .put("source-name", term.column());
    }
    return spec;
  }

  /** The sort order, or null when there are no expressions. */
  public static @Nullable ObjectNode sortOrder(List<String> expressions) {
    if (expressions.isEmpty()) {
      return null;
    }
    ObjectNode order = WingsClient.JSON.createObjectNode().put("order-id", 1);
    ArrayNode fields = order.putArray("fields");
    for (String expression : expressions) {
      Matcher sort = SORT.matcher(expression.strip());
      if (!sort.matches()) {
        throw invalid(expression);
      }
      boolean descending = "desc".equalsIgnoreCase(sort.group("direction"));
      String nulls = sort.group("nulls");
      boolean nullsFirst = nulls == null ? !descending : nulls.equalsIgnoreCase("first");
      refuseMisspeltDirection(sort.group("term"));
      Term term = term(sort.group("term"));
      fields
          .addObject()
          .put("transform", term.transform())
          .put("source-name", term.column())
          .put("direction", descending ? "desc" : "asc")
          .put("null-order", nullsFirst ? "nulls-first" : "nulls-last");
    }
    return order;
  }

  private static Term term(String expression) {
    String text = expression.strip();
    Matcher matcher = TRANSFORM.matcher(text);
    if (!matcher.matches()) {
      if (text.isEmpty() || text.contains("(")) {
        throw invalid(expression);
      }
      return new Term("identity", text);
    }
    String name = matcher.group("name").toLowerCase(Locale.ROOT);
    String width = matcher.group("width");
    String column = matcher.group("column");
    if (SIZED.contains(name)) {
      if (width == null) {
        throw WingsException.invalid(
            "layout-invalid",
            "%s needs a number first, as in %s(16, %s)".formatted(name, name, column));
      }
      return new Term(name + "[" + width + "]", column);
    }
    if (!PLAIN.contains(name)) {
      throw Suggestion.unknown(
          "layout-invalid",
          "transform",
          name,
          Stream.concat(PLAIN.stream(), SIZED.stream()).toList());
    }
    if (width != null) {
      throw WingsException.invalid(
          "layout-invalid", "%s takes a column alone, as in %s(%s)".formatted(name, name, column));
    }
    return new Term(name, column);
  }

  /** A direction that is no part of the grammar would be taken for a part of the column's name. */
  private static void refuseMisspeltDirection(String term) {
    int space = term.lastIndexOf(' ');
    String last = term.substring(space + 1).toLowerCase(Locale.ROOT);
    if (space > 0 && Suggestion.closest(last, DIRECTIONS).isPresent()) {
      throw WingsException.invalid(
          "layout-invalid",
          "after a column come asc|desc, then nulls first|last, got \"" + term + "\"");
    }
  }

  private static WingsException invalid(String expression) {
    return WingsException.invalid(
        "layout-invalid",
        "expected column, year|month|day|hour|void(column), bucket(n, column) or truncate(n,"
            + " column), got \""
            + expression
            + "\"");
  }
}
