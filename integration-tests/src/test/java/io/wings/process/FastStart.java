package io.wings.process;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * Halves what the start of a process takes: the JVM's ahead-of-time cache of its classes, made once
 * for a classpath by a process that serves all roles for a moment. Where none can be made, because
 * classes are in directories, processes start without.
 */
final class FastStart {
  private static final int LONGEST_TRAINING_SECONDS = 120;

  private static final class Options {
    private static final List<String> ONCE = train(WingsProcess.java());
  }

  private FastStart() {}

  /** Jars, and nothing of the tests. */
  static String classpath() {
    String path = System.getProperty("java.class.path");
    return Arrays.stream(path.split(File.pathSeparator, -1))
        .filter(entry -> !entry.matches(".*integration-tests.target.(test-)?classes/?"))
        .collect(Collectors.joining(File.pathSeparator));
  }

  /** For a process of {@link WingsProcess#java} with {@link #classpath}. */
  static List<String> options() {
    return Options.ONCE;
  }

  private static List<String> train(List<String> java) {
    try {
      Path cache = Path.of("target", "roles-%08x.aot".formatted(stamp())).toAbsolutePath();
      if (!Files.exists(cache)) {
        serveForAMoment(java, cache);
      }
      return Files.exists(cache) ? using(cache) : List.of();
    } catch (IOException e) {
      return List.of();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return List.of();
    }
  }

  /** What the JVM finds wrong with parts of a cache, it says on stdout, where roles say JSON. */
  private static List<String> using(Path cache) {
    return List.of("-XX:AOTCache=" + cache, "-Xlog:disable", "-Xlog:all=error:stderr");
  }

  private static void serveForAMoment(List<String> java, Path cache)
      throws IOException, InterruptedException {
    Path directory = Files.createTempDirectory(cache.getParent(), "training-");
    List<String> command = new ArrayList<>(java);
    command.addAll(List.of("-XX:AOTCacheOutput=" + cache, "-cp", classpath()));
    String free = "127.0.0.1:0";
    command.addAll(
        List.of("io.wings.cli.Wings", "dev", "--json", "--listen", free, "--catalog", free));
    Process process =
        new ProcessBuilder(command)
            .directory(directory.toFile())
            .redirectError(directory.resolve("training.log").toFile())
            .start();
    try {
      var _ = process.inputReader().readLine();
      process.destroy();
      var _ = process.waitFor(LONGEST_TRAINING_SECONDS, TimeUnit.SECONDS);
    } finally {
      var _ = process.destroyForcibly();
    }
  }

  /** Changes with every jar. */
  private static int stamp() throws IOException {
    int stamp = 0;
    for (String entry : classpath().split(File.pathSeparator, -1)) {
      Path path = Path.of(entry);
      stamp = 31 * stamp + Objects.hash(entry, Files.getLastModifiedTime(path), Files.size(path));
    }
    return stamp;
  }
}
