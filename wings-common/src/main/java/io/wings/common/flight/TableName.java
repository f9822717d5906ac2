package io.wings.common.flight;

import io.wings.common.cluster.CatalogName;
import io.wings.common.cluster.Printable;
import io.wings.common.error.WingsException;
import java.util.List;
import org.apache.arrow.flight.impl.Flight;
import org.jspecify.annotations.Nullable;

/**
 * How clients name a table.
 *
 * @param namespace at least one level
 */
public record TableName(CatalogName catalog, List<String> namespace, String table) {
  static final int MAX_LEVELS = 16;
  static final int MAX_NAME_CHARS = 255;

  public TableName {
    requirePresent("catalog", catalog);
    requirePresent("namespace", namespace);
    requirePresent("table", table);
    requireNamespace(namespace);
    if (namespace.isEmpty()) {
      throw WingsException.invalid(
          "table-name-invalid", "a namespace has at least one level, got none");
    }
    requireName("table", table);
    namespace = List.copyOf(namespace);
  }

  static void requirePresent(String field, @Nullable Object value) {
    if (value == null) {
      throw WingsException.invalid("request-invalid", "'" + field + "' is missing");
    }
  }

  /**
   * Whether a table could be in the namespace, or in one below it.
   *
   * @throws WingsException {@code table-name-invalid}
   */
  public static void requireNamespace(List<String> namespace) {
    if (namespace.size() > MAX_LEVELS) {
      throw WingsException.invalid(
          "table-name-invalid",
          "a namespace has at most " + MAX_LEVELS + " levels, got " + namespace.size());
    }
    namespace.forEach(level -> requireName("namespace level", level));
  }

  /** Clients of REST catalogs take such a name for a step in a path, and reach another table. */
  private static boolean isPathStep(String name) {
    return name.equals(".") || name.equals("..");
  }

  private static void requireName(String what, @Nullable String name) {
    if (name == null
        || name.isEmpty()
        || name.length() > MAX_NAME_CHARS
        || !isPrintable(name)
        || isPathStep(name)) {
      throw WingsException.invalid(
          "table-name-invalid",
          "a "
              + what
              + " has 1 to "
              + MAX_NAME_CHARS
              + " characters, no control characters, and isn't \".\" or \"..\", got \""
              + Printable.of(String.valueOf(name))
              + "\"");
    }
  }

  /** Whether text from outside has neither control characters nor halves of a character. */
  static boolean isPrintable(String text) {
    return text.codePoints()
        .noneMatch(
            c ->
                Character.isISOControl(c)
                    || (c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE));
  }

  /** The canonical descriptor of a look-up: JSON in its {@code cmd}. */
  public Flight.FlightDescriptor toDescriptor() {
    return FlightJson.descriptor(this);
  }

  /** {@code catalog.namespace.table}, for people; levels that hold dots make it ambiguous. */
  @Override
  public String toString() {
    return catalog + "." + String.join(".", namespace) + "." + table;
  }
}
