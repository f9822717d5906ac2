package io.wings.catalog.io;

import io.wings.common.cluster.Printable;
import io.wings.common.error.WingsException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * Locations as Iceberg writes them: {@code s3://bucket/key}, {@code file:///path}, {@code /path}.
 */
public final class Locations {
  private static final String FILE = "file:";

  /** A part that is {@code .} or {@code ..}. */
  static final Pattern DOT_SEGMENT = Pattern.compile("(^|/)\\.{1,2}(/|$)");

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

  /**
   * Whether a file or a directory lies below {@code directory}, level by level: {@code /shop2/a} is
   * not below {@code /shop}. What has {@code .} or {@code ..} in it on an object store, or is no
   * location at all, is below nothing.
   */
  public static boolean isBelow(String location, String directory) {
    if (isLocal(location) != isLocal(directory)) {
      return false;
    }
    if (!isLocal(location)) {
      String inner = oneScheme(location);
      return !DOT_SEGMENT.matcher(inner).find()
          && inner.startsWith(oneScheme(withoutTrailingSlash(directory)) + "/");
    }
    try {
      Path inner = localPath(location);
      Path outer = localPath(directory);
      return inner.startsWith(outer) && !inner.equals(outer);
    } catch (WingsException _) {
      return false;
    }
  }

  /** The names of S3's scheme are one. */
  private static String oneScheme(String location) {
    String rest = location.substring(location.indexOf(':'));
    return switch (scheme(location)) {
      case "s3", "s3a", "s3n" -> "s3" + rest;
      case String other -> other + rest;
    };
  }

  static WingsException refused(String location, String why) {
    return WingsException.invalid(
        "location-refused", why + ", got \"" + Printable.of(location) + "\"");
  }
}
