package io.wings.worker.engine;

import io.wings.common.cluster.CatalogName;
import io.wings.common.error.WingsException;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import org.jspecify.annotations.Nullable;

/** Local scratch space of one catalog: {@code {directory}/{catalog}/…}, removed as a whole. */
record Scratch(Path directory) {
  static Scratch create(Path parent, CatalogName catalog) {
    try {
      Path directory = parent.toAbsolutePath().normalize().resolve(catalog.value());
      remove(directory);
      Scratch scratch = new Scratch(directory);
      Files.createDirectories(scratch.spill());
      Files.createDirectories(scratch.files());
      return scratch;
    } catch (IOException e) {
      throw failed(e);
    }
  }

  /** Where DuckDB puts what doesn't fit in memory. */
  Path spill() {
    return directory.resolve("spill");
  }

  /** Where Parquet files wait for their upload. */
  Path files() {
    return directory.resolve("files");
  }

  void emptyFiles() {
    try {
      remove(files());
      Files.createDirectories(files());
    } catch (IOException e) {
      throw failed(e);
    }
  }

  void remove() {
    try {
      remove(directory);
    } catch (IOException e) {
      throw failed(e);
    }
  }

  /** Removes whatever an earlier process left in {@code directory}, which may not exist. */
  static void empty(Path directory) {
    try {
      remove(directory);
      Files.createDirectories(directory);
    } catch (IOException e) {
      throw failed(e);
    }
  }

  private static WingsException failed(IOException e) {
    return WingsException.unavailable("engine-failed", "scratch space: " + e.getMessage(), e);
  }

  private static void remove(Path directory) throws IOException {
    if (!Files.exists(directory)) {
      return;
    }
    Files.walkFileTree(
        directory,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            Files.delete(file);
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult postVisitDirectory(Path visited, @Nullable IOException error)
              throws IOException {
            if (error != null) {
              throw error;
            }
            Files.delete(visited);
            return FileVisitResult.CONTINUE;
          }
        });
  }
}
