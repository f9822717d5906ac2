package io.wings.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code ./wings} in a checkout, with a Maven that does nothing but say that it was called. */
@Timeout(120)
class LauncherTest {
  private static final Path ROOT = Path.of("").toAbsolutePath().getParent();

  @TempDir private Path directory;

  private record Ended(int code, String out, String err) {}

  /** A checkout with the program that is built here. */
  @BeforeEach
  void checkOut() throws IOException {
    for (String copied : List.of("wings", "pom.xml", "wings-cli/pom.xml")) {
      Path to = directory.resolve(copied);
      Files.createDirectories(to.getParent());
      Files.copy(ROOT.resolve(copied), to, StandardCopyOption.COPY_ATTRIBUTES);
    }
    Files.createDirectories(directory.resolve("wings-cli/src/main"));
    Files.createDirectories(directory.resolve("integration-tests/src"));
    Path target = Files.createDirectories(directory.resolve("wings-cli/target"));
    for (String linked : List.of("classes", "lib")) {
      Files.createSymbolicLink(target.resolve(linked), ROOT.resolve("wings-cli/target/" + linked));
    }
    Path maven = Files.createDirectories(directory.resolve("bin")).resolve("mvn");
    Files.writeString(maven, "#!/bin/sh\necho \"$@\" >>\"" + directory + "/built\"\nexit 1\n");
    assertTrue(maven.toFile().setExecutable(true));
  }

  private Ended run(String... arguments) throws Exception {
    Path out = directory.resolve("out");
    Path err = directory.resolve("err");
    ProcessBuilder process =
        new ProcessBuilder(
            Stream.concat(Stream.of(directory + "/wings"), Stream.of(arguments)).toList());
    process.environment().merge("PATH", "", (path, _) -> directory.resolve("bin") + ":" + path);
    process.environment().put("WINGS_JAVA_HOME", System.getProperty("java.home"));
    int code = process.redirectOutput(out.toFile()).redirectError(err.toFile()).start().waitFor();
    return new Ended(
        code,
        Files.readString(out, StandardCharsets.UTF_8),
        Files.readString(err, StandardCharsets.UTF_8));
  }

  private void built(Instant begun) throws IOException {
    Files.writeString(
        directory.resolve("wings-cli/target/launcher.built"),
        begun.toString().substring(0, 19).replace('T', ' ') + " UTC\n");
  }

  @Test
  void aBuildSaysWhenItBegan() throws IOException {
    String begun = Files.readString(ROOT.resolve("wings-cli/target/launcher.built"));
    assertTrue(begun.matches("20\\d\\d-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d UTC\n"), begun);
  }

  @Test
  void buildsNothingWhereTheProgramIsNewerThanItsSourcesAndNamesWhatOnlyACheckoutHas()
      throws Exception {
    built(Instant.now().plusSeconds(1));
    Ended ended = run("--help");
    assertEquals(new Ended(0, ended.out(), ""), ended);
    assertTrue(ended.out().contains("\n  load-balancer "), ended.out());
    assertTrue(ended.out().contains("\n  simulate "), ended.out());
  }

  @Test
  void buildsWhatIsNewerThanTheProgram() throws Exception {
    Instant begun = Instant.now().minusSeconds(60);
    built(begun);
    Path source = directory.resolve("wings-cli/src/main/A.java");
    Files.writeString(source, "");
    Files.setLastModifiedTime(source, FileTime.from(begun.plusSeconds(30)));
    for (Path pom : List.of(directory.resolve("pom.xml"), directory.resolve("wings-cli/pom.xml"))) {
      Files.setLastModifiedTime(pom, FileTime.from(begun.minusSeconds(30)));
    }
    assertTrue(run("--version").err().contains("wings: the build failed"));
    Files.setLastModifiedTime(source, FileTime.from(begun.minusSeconds(30)));
    assertEquals(0, run("--version").code());
    assertEquals(1, Files.readAllLines(directory.resolve("built")).size());
  }
}
