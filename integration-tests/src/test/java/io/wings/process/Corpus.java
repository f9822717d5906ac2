package io.wings.process;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Inputs that no one here wrote: {@code WINGS_CORPUS}, else {@code ../shared/corpus} of the
 * checkout.
 */
public final class Corpus {
  private Corpus() {}

  /** The directory, or empty where it isn't there: tests skip then, and say so. */
  public static Optional<Path> find() {
    String set = System.getenv("WINGS_CORPUS");
    Path checkout = Path.of("").toAbsolutePath().getParent();
    return Stream.of(set == null ? checkout.resolveSibling("shared/corpus") : Path.of(set))
        .filter(Files::isDirectory)
        .findFirst();
  }
}
