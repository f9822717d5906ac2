package io.wings.common.objectstore.local;

import io.wings.common.objectstore.ObjectHead;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotLinkException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The bytes of one object: the file {@code .{name}.{version}} beside the link {@code name}.
 *
 * @param version 32 hexadecimal digits, never used twice
 */
record StoredFile(Path directory, String name, String version) {
  private static final Pattern DATA_NAME = Pattern.compile("\\.(.+)\\.([0-9a-f]{32})");

  /** For bytes yet to be written. */
  static StoredFile fresh(Path link, String version) {
    return new StoredFile(
        Objects.requireNonNull(link.getParent()), String.valueOf(link.getFileName()), version);
  }

  /** What {@code link} names now, or empty when there is no such object. */
  static Optional<StoredFile> at(Path link) throws IOException {
    String target;
    try {
      target = Files.readSymbolicLink(link).toString();
    } catch (NoSuchFileException _) {
      return Optional.empty();
    } catch (NotLinkException e) {
      if (Files.isDirectory(link)) {
        return Optional.empty();
      }
      throw new IOException("not an object of this store, but a plain file: " + link, e);
    }
    Matcher data = DATA_NAME.matcher(target);
    if (!data.matches() || !data.group(1).equals(String.valueOf(link.getFileName()))) {
      throw new IOException("not an object of this store, but a link to " + target + ": " + link);
    }
    return Optional.of(fresh(link, data.group(2)));
  }

  /** What the link holds: relative, so that the store's directory can be moved as a whole. */
  String target() {
    return "." + name + "." + version;
  }

  Path data() {
    return directory.resolve(target());
  }

  /** A name for the link until it is moved to its place. */
  Path temporaryLink() {
    return directory.resolve(target() + ".link");
  }

  /**
   * What the file system tells of the bytes.
   *
   * @throws NoSuchFileException when they are gone, because the object was replaced
   */
  ObjectHead head(String key) throws IOException {
    BasicFileAttributes attributes = Files.readAttributes(data(), BasicFileAttributes.class);
    return new ObjectHead(
        key, version, attributes.size(), attributes.lastModifiedTime().toInstant());
  }
}
