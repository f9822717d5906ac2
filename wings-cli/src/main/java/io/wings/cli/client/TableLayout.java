package io.wings.cli.client;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.wings.common.error.WingsException;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
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
      Pattern.compile(
          "(?<name>year|month|day|hour|void|bucket|truncate)"
              + "\\(\\s*(?:(?<width>\\d+)\\s*,\\s*)?(?<column>[^()]+?)\\s*\\)",
          Pattern.CASE_INSENSITIVE);
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
    boolean sized = name.equals("bucket") || name.equals("truncate");
    if (sized != (width != null)) {
      throw invalid(expression);
    }
    return new Term(sized ? name + "[" + width + "]" : name, matcher.group("column"));
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
