package io.wings.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;

/** A file that only its owner may read. */
public final class SecretFile {
  private SecretFile() {}

  /** Writes {@code content} to {@code file}, replacing what was there; returns the file. */
  public static Path write(Path file, String content) throws IOException {
    Files.deleteIfExists(file);
    FileAttribute<?>[] attributes =
        file.getFileSystem().supportedFileAttributeViews().contains("posix")
            ? new FileAttribute<?>[] {
              PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"))
            }
            : new FileAttribute<?>[0];
    Files.createFile(file, attributes);
    return Files.writeString(file, content);
  }
}
