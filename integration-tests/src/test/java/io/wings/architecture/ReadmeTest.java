package io.wings.architecture;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What the documents point at is there. */
class ReadmeTest {
  private static final Path ROOT = Path.of("").toAbsolutePath().getParent();
  private static final Pattern LINK = Pattern.compile("\\]\\((?!https?:|#)([^)#]+)(#[^)]*)?\\)");

  @Test
  void everyRelativeLinkOfADocumentLeadsSomewhere() throws IOException {
    List<String> broken = new ArrayList<>();
    for (Path document : documents()) {
      Matcher links = LINK.matcher(Files.readString(document));
      while (links.find()) {
        if (!Files.exists(document.resolveSibling(links.group(1)))) {
          broken.add(ROOT.relativize(document) + " -> " + links.group(1));
        }
      }
    }
    assertEquals(List.of(), broken);
  }

  private static List<Path> documents() throws IOException {
    try (Stream<Path> files = Files.walk(ROOT)) {
      return files
          .filter(file -> file.toString().endsWith(".md"))
          .filter(file -> !ROOT.relativize(file).toString().contains("target/"))
          .sorted()
          .toList();
    }
  }
}
