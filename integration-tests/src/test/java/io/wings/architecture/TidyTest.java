package io.wings.architecture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Sizes and words of the sources that no compiler checks. */
class TidyTest {
  private static final int MAX_FILE_LINES = 600;
  private static final int MAX_METHOD_LINES = 70;
  private static final Path ROOT = Path.of("").toAbsolutePath().getParent();

  /** A member at the formatter's member indentation that opens a body, up to its closing brace. */
  private static final Pattern MEMBER =
      Pattern.compile("^(  |    )(?!  )(?!(class|record|enum|interface)\\b)[\\w@<].*$");

  private static final Pattern TYPE = Pattern.compile("\\b(class|record|enum|interface) \\w+");

  @Test
  void filesHaveAtMostSixHundredLines() throws IOException {
    List<String> tooLong = new ArrayList<>();
    for (Path file : sources()) {
      int lines = Files.readAllLines(file).size();
      if (lines > MAX_FILE_LINES) {
        tooLong.add(ROOT.relativize(file) + ": " + lines);
      }
    }
    assertEquals(List.of(), tooLong);
  }

  @Test
  void methodsHaveAtMostSeventyLines() throws IOException {
    List<String> tooLong = new ArrayList<>();
    for (Path file : sources()) {
      List<String> lines = Files.readAllLines(file);
      for (int depth : new int[] {2, 4}) {
        tooLong.addAll(longMembers(file, lines, " ".repeat(depth)));
      }
    }
    assertEquals(List.of(), tooLong);
  }

  @Test
  void theCheckFindsALongMethod() {
    List<String> lines = new ArrayList<>(List.of("class A {", "  void f() {"));
    for (int i = 0; i < MAX_METHOD_LINES + 1; i++) {
      lines.add("    g();");
    }
    lines.add("  }");
    lines.add("}");
    assertFalse(longMembers(ROOT.resolve("A.java"), lines, "  ").isEmpty());
  }

  private static List<String> longMembers(Path file, List<String> lines, String indent) {
    List<String> found = new ArrayList<>();
    int start = -1;
    boolean type = false;
    for (int i = 0; i < lines.size(); i++) {
      String line = lines.get(i);
      if (start < 0) {
        if (line.startsWith(indent)
            && MEMBER.matcher(line).matches()
            && indentOf(line) == indent.length()) {
          start = i;
          type = false;
        }
      }
      if (start >= 0) {
        type |= i - start < 4 && TYPE.matcher(line).find();
        if (line.equals(indent + "}")
            || line.equals(indent + "};")
            || endsWithoutBody(lines, start, i)) {
          if (!type && i - start + 1 > MAX_METHOD_LINES) {
            found.add(
                ROOT.relativize(file) + ":" + (start + 1) + ": " + (i - start + 1) + " lines");
          }
          start = -1;
        } else if (type && line.endsWith("{")) {
          start = -1;
        }
      }
    }
    return found;
  }

  private static boolean endsWithoutBody(List<String> lines, int start, int i) {
    String line = lines.get(i);
    return line.endsWith(";")
        && indentOf(line) <= indentOf(lines.get(start)) + 8
        && lines.subList(start, i + 1).stream().noneMatch(l -> l.endsWith("{"));
  }

  private static int indentOf(String line) {
    int n = 0;
    while (n < line.length() && line.charAt(n) == ' ') {
      n++;
    }
    return n;
  }

  private static List<Path> sources() throws IOException {
    try (Stream<Path> files = Files.walk(ROOT)) {
      return files
          .filter(f -> f.toString().endsWith(".java"))
          .filter(f -> !ROOT.relativize(f).toString().contains("target/"))
          .sorted()
          .toList();
    }
  }
}
