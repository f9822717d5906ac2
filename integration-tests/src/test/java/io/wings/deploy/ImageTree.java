package io.wings.deploy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** What the image holds, as {@code deploy/image/assemble} makes it of the jars that were built. */
final class ImageTree {
  private static final Path ROOT = Path.of("").toAbsolutePath().getParent();

  /** Two minutes on an idle machine with two cores. */
  private static final long LONGEST_ASSEMBLY_MINUTES = 15;

  private ImageTree() {}

  /** The directory that is the image's root; assembled once for the same jars. */
  static Path assembled() throws IOException, InterruptedException {
    Path tree = Path.of("target", "image").toAbsolutePath();
    Path stamp = Path.of("target", "image.stamp");
    String now = stamp();
    if (!Files.exists(stamp) || !Files.readString(stamp).equals(now)) {
      assemble(tree);
      Files.writeString(stamp, now);
    }
    return tree;
  }

  /** Assembles into {@code tree} with these options. */
  static void assemble(Path tree, String... options) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(ROOT.resolve("deploy/image/assemble").toString());
    command.addAll(List.of(options));
    command.add(tree.toString());
    Path log = Path.of("target", "image.log");
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile());
    builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
    Process process = builder.start();
    if (!process.waitFor(LONGEST_ASSEMBLY_MINUTES, TimeUnit.MINUTES)) {
      process.destroyForcibly();
      throw new IOException("no end in " + LONGEST_ASSEMBLY_MINUTES + " minutes: " + log);
    }
    if (process.exitValue() != 0) {
      throw new IOException("exit code " + process.exitValue() + ": " + Files.readString(log));
    }
  }

  /** Changes with every jar, and with what says how to assemble them. */
  private static String stamp() throws IOException {
    StringBuilder all = new StringBuilder();
    for (String directory : List.of("wings-cli/target", "wings-cli/target/lib", "deploy/image")) {
      try (Stream<Path> files = Files.list(ROOT.resolve(directory))) {
        for (Path file : files.filter(Files::isRegularFile).sorted().toList()) {
          all.append(file).append(' ').append(Files.size(file));
          all.append(' ').append(Files.getLastModifiedTime(file)).append('\n');
        }
      }
    }
    return "%08x".formatted(all.toString().hashCode());
  }
}
