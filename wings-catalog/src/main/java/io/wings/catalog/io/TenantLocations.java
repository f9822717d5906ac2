package io.wings.catalog.io;

import io.wings.common.cluster.Printable;
import io.wings.common.error.WingsException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The locations of one tenant: its bucket's objects, or files below its own local root; never the
 * cluster's own prefix, and never where its catalog keeps its objects.
 */
public final class TenantLocations implements LocationPolicy {

  private final @Nullable Path localRoot;
  private final @Nullable Path realLocalRoot;
  private final List<String> refused;

  /**
   * @param localRoot where its local files are; empty: it has none
   * @param refused locations that it may not use; local ones are real paths
   */
  public TenantLocations(Optional<Path> localRoot, List<String> refused) {
    this.localRoot = localRoot.map(Path::normalize).orElse(null);
    this.realLocalRoot = localRoot.map(TenantLocations::real).orElse(null);
    this.refused = refused.stream().map(TenantLocations::plain).toList();
  }

  /** The path with the links of its existing part resolved. */
  private static Path real(Path path) {
    Path existing = path.toAbsolutePath().normalize();
    Path rest = Path.of("");
    while (!Files.exists(existing) && existing.getParent() != null) {
      rest = existing.getFileName().resolve(rest);
      existing = existing.getParent();
    }
    try {
      return existing.toRealPath().resolve(rest).normalize();
    } catch (IOException _) {
      return path.toAbsolutePath().normalize();
    }
  }

  @Override
  public void checkFile(String location) {
    check(location, false);
  }

  @Override
  public void checkDirectory(String location) {
    check(location, true);
  }

  private void check(String location, boolean around) {
    String plain =
        switch (Locations.scheme(location)) {
          case "s3", "s3a", "s3n" -> object(location);
          case "file" -> local(location);
          default -> throw refuse(location, "expected s3:// or a local file");
        };
    for (String prefix : refused) {
      if (isInside(plain, prefix) || (around && isInside(prefix, plain))) {
        throw refuse(location, "inside or around what is not the tenant's");
      }
    }
  }

  private static String object(String location) {
    if (Locations.DOT_SEGMENT.matcher(location).find()) {
      throw refuse(location, "expected no . or .. in it");
    }
    // S3FileIO cuts what follows these off, and would use another object than was checked.
    if (location.indexOf('?') >= 0 || location.indexOf('#') >= 0) {
      throw refuse(location, "expected no ? and no # in it");
    }
    return plain(location);
  }

  private String local(String location) {
    if (localRoot == null || realLocalRoot == null) {
      throw refuse(location, "this tenant has no local files");
    }
    Path path = Locations.localPath(location);
    if (path.startsWith(localRoot)) {
      return real(realLocalRoot.resolve(localRoot.relativize(path))).toString();
    }
    if (path.startsWith(realLocalRoot)) {
      return real(path).toString();
    }
    throw refuse(location, "outside of the tenant's local root");
  }

  /** One spelling of each location: {@code s3://…} or an absolute path. */
  private static String plain(String location) {
    String bare = Locations.withoutTrailingSlash(location);
    return switch (Locations.scheme(bare)) {
      case "s3", "s3a", "s3n" -> "s3" + bare.substring(bare.indexOf(':'));
      case "file" -> real(Locations.localPath(bare)).toString();
      default -> bare;
    };
  }

  private static boolean isInside(String location, String prefix) {
    return location.equals(prefix)
        || location.startsWith(prefix.endsWith("/") ? prefix : prefix + "/");
  }

  private static WingsException refuse(String location, String why) {
    return WingsException.invalid(
        "location-refused", why + ", got \"" + Printable.of(location) + "\"");
  }
}
