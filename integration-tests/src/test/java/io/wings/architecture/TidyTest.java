package io.wings.architecture;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.LineMap;
import com.sun.source.tree.MethodTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.SourcePositions;
import com.sun.source.util.TreeScanner;
import com.sun.source.util.Trees;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;

/** What no compiler checks of the sources: sizes, and where tests run. */
class TidyTest {
  private static final int MAX_FILE_LINES = 600;
  private static final int MAX_METHOD_LINES = 70;
  private static final Path ROOT = Path.of("").toAbsolutePath().getParent();

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
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
      assertEquals(
          List.of(), longMethods(compiler, files, files.getJavaFileObjectsFromPaths(sources())));
    }
  }

  @Test
  void aLongMethodIsFound() throws IOException {
    String source =
        "class A {\n  void f() {\n" + "    g();\n".repeat(MAX_METHOD_LINES) + "  }\n}\n";
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
      assertEquals(1, longMethods(compiler, files, List.of(new Text(source))).size());
    }
  }

  /**
   * Untagged, it would run in a JVM where random ids aren't seeded, and not in the other. Tests
   * that tell mutants draw ids of their own, and belong in neither.
   */
  @Test
  void testsOfTheSimulationAreTaggedSo() throws IOException {
    List<String> untagged = new ArrayList<>();
    for (Path file : sources()) {
      String name = ROOT.relativize(file).toString();
      boolean simulates = name.contains("io/wings/simulation/");
      boolean tagged = Files.readString(file).contains("@Tag(\"simulation\")");
      boolean apart =
          name.endsWith("TidyTest.java") || name.endsWith("simulation/TestedMutantsTest.java");
      if (name.endsWith("Test.java") && simulates != tagged && !apart) {
        untagged.add(name);
      }
    }
    assertEquals(List.of(), untagged);
  }

  private static List<String> longMethods(
      JavaCompiler compiler,
      StandardJavaFileManager files,
      Iterable<? extends JavaFileObject> sources)
      throws IOException {
    List<String> tooLong = new ArrayList<>();
    JavacTask task = (JavacTask) compiler.getTask(null, files, null, null, null, sources);
    SourcePositions positions = Trees.instance(task).getSourcePositions();
    for (CompilationUnitTree unit : task.parse()) {
      LineMap lines = unit.getLineMap();
      new TreeScanner<Void, Void>() {
        @Override
        public Void visitMethod(MethodTree method, Void unused) {
          long first = lines.getLineNumber(positions.getStartPosition(unit, method));
          long last = lines.getLineNumber(positions.getEndPosition(unit, method));
          if (last - first + 1 > MAX_METHOD_LINES) {
            tooLong.add(
                "%s:%d %s has %d lines"
                    .formatted(
                        unit.getSourceFile().getName(), first, method.getName(), last - first + 1));
          }
          return super.visitMethod(method, null);
        }
      }.scan(unit, null);
    }
    return tooLong;
  }

  private static List<Path> sources() throws IOException {
    try (Stream<Path> files = Files.walk(ROOT)) {
      return files
          .filter(file -> file.toString().endsWith(".java"))
          .filter(file -> !ROOT.relativize(file).toString().contains("target/"))
          .sorted()
          .toList();
    }
  }

  private static final class Text extends SimpleJavaFileObject {
    private final String text;

    Text(String text) {
      super(URI.create("string:///A.java"), Kind.SOURCE);
      this.text = text;
    }

    @Override
    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
      return text;
    }
  }
}
