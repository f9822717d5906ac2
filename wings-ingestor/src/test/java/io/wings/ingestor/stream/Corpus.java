package io.wings.ingestor.stream;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * Files that no one here wrote: beside the repository in {@code ../shared/corpus}, or where {@code
 * WINGS_CORPUS} says.
 */
public final class Corpus {
  private Corpus() {}

  /** The files of a folder whose name ends so; the test is skipped where there is no corpus. */
  public static List<Path> files(String folder, String suffix) {
    Path found = root().resolve(folder);
    assumeTrue(
        Files.isDirectory(found),
        "no corpus: neither ../shared/corpus beside the repository nor WINGS_CORPUS has " + folder);
    try (Stream<Path> files = Files.list(found)) {
      return files.filter(f -> f.toString().endsWith(suffix)).sorted().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Path root() {
    Path beside =
        Objects.requireNonNull(Path.of("").toAbsolutePath().getParent())
            .resolveSibling("shared")
            .resolve("corpus");
    String named = System.getenv("WINGS_CORPUS");
    return Files.isDirectory(beside) || named == null ? beside : Path.of(named);
  }
}
