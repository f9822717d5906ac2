package io.wings.common.objectstore.local;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Objects;

/** Directories whose entries are on disk. */
final class Directories {
  private Directories() {}

  /** Makes {@code directory}, at or below {@code root}, and the missing ones above it. */
  static void create(Path root, Path directory) throws IOException {
    if (directory.equals(root) || Files.isDirectory(directory)) {
      return;
    }
    Path parent = Objects.requireNonNull(directory.getParent());
    create(root, parent);
    try {
      Files.createDirectory(directory);
    } catch (FileAlreadyExistsException e) {
      if (!Files.isDirectory(directory)) {
        throw e;
      }
    }
    sync(parent);
  }

  /** Waits until what was created, renamed and removed in {@code directory} is on disk. */
  static void sync(Path directory) throws IOException {
    try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
      channel.force(true);
    }
  }
}
