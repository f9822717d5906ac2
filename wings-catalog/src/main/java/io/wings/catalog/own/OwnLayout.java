package io.wings.catalog.own;

import java.util.regex.Pattern;
import org.apache.iceberg.catalog.TableIdentifier;

/** Where things are below a warehouse; see {@code docs/formats/catalog.md}. */
final class OwnLayout {
  /** Below the warehouse: holds this catalog's own objects; no table may be inside. */
  static final String DIRECTORY = "_wings";

  static final String NAMES = "names.json";

  private static final int MAX_READABLE_CHARS = 48;
  private static final Pattern NOT_PLAIN = Pattern.compile("[^A-Za-z0-9_-]");

  private OwnLayout() {}

  /**
   * Below {@link #DIRECTORY}.
   *
   * @param tableId 32 hexadecimal digits
   */
  static String pointer(String tableId) {
    return "tables/" + tableId + ".json";
  }

  /**
   * The default location of a table below its warehouse: its name for people, made plain, and a
   * random id that makes it unique.
   */
  static String table(TableIdentifier name, String id) {
    StringBuilder path = new StringBuilder();
    for (String level : name.namespace().levels()) {
      path.append(plain(level)).append('/');
    }
    return path.append(plain(name.name())).append('-').append(id).toString();
  }

  /** Letters, digits, hyphens and underscores, not starting with an underscore, bounded. */
  private static String plain(String name) {
    String safe = NOT_PLAIN.matcher(name).replaceAll("_");
    String bounded = safe.substring(0, Math.min(safe.length(), MAX_READABLE_CHARS));
    return bounded.isEmpty() || bounded.startsWith("_") ? "n" + bounded : bounded;
  }
}
