package io.wings.catalog.io;

import io.wings.common.cluster.Printable;
import io.wings.common.error.WingsException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Locale;

/**
 * Locations as Iceberg writes them: {@code s3://bucket/key}, {@code file:///path}, {@code /path}.
 */
public final class Locations {
  private static final String FILE = "file:";

  private Locations() {}

  /** The scheme in lower case; {@code file} when there is none. */
  public static String scheme(String location) {
    int colon = location.indexOf(':');
    int slash = location.indexOf('/');
    return colon < 0 || (slash >= 0 && slash < colon)
        ? "file"
        : location.substring(0, colon).toLowerCase(Locale.ROOT);
  }

  /** Whether it names a file of this machine. */
  public static boolean isLocal(String location) {
    return scheme(location).equals("file");
  }

  /**
   * The path of a local location, absolute and without {@code .} and {@code ..}.
   *
   * @throws WingsException {@code location-refused} when it is not local, or relative
   */
  public static Path localPath(String location) {
    if (!isLocal(location)) {
      throw refused(location, "expected a local file");
    }
    String path = location;
    if (path.regionMatches(true, 0, FILE, 0, FILE.length())) {
      path = path.substring(FILE.length());
      if (path.startsWith("//") && !path.startsWith("///")) {
        throw refused(location, "a file location has no host: file:///path");
      }
    }
    if (!path.startsWith("/")) {
      throw refused(location, "expected an absolute path");
    }
    try {
      return Path.of(path).normalize();
    } catch (InvalidPathException e) {
      throw refused(location, "not a path");
    }
  }

  /** {@code file:///path}. */
  public static String ofLocalPath(Path path) {
    return FILE + "//" + path.toAbsolutePath().normalize();
  }

  /** Without a slash at its end. */
  public static String withoutTrailingSlash(String location) {
    int end = location.length();
    while (end > 1 && location.charAt(end - 1) == '/') {
      end--;
    }
    return location.substring(0, end);
  }

  static WingsException refused(String location, String why) {
    return WingsException.invalid(
        "location-refused", why + ", got \"" + Printable.of(location) + "\"");
  }
}
