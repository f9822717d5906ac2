package io.wings.worker.engine;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * Files that no one here wrote: beside the repository in {@code ../shared/corpus}, or where {@code
 * WINGS_CORPUS} says.
 */
final class Corpus {
  private Corpus() {}

  /** The files of a folder whose name ends so; the test is skipped where there is no corpus. */
  static List<Path> files(String folder, String suffix) throws IOException {
    Path beside =
        Objects.requireNonNull(Path.of("").toAbsolutePath().getParent())
            .resolveSibling("shared")
            .resolve("corpus");
    String named = System.getenv("WINGS_CORPUS");
    Path root = Files.isDirectory(beside) || named == null ? beside : Path.of(named);
    assumeTrue(
        Files.isDirectory(root.resolve(folder)),
        "no corpus: neither ../shared/corpus beside the repository nor WINGS_CORPUS has " + folder);
    try (Stream<Path> files = Files.list(root.resolve(folder))) {
      return files.filter(file -> file.toString().endsWith(suffix)).sorted().toList();
    }
  }
}
