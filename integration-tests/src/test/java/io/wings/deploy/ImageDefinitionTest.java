package io.wings.deploy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** What is written down more than once is the same everywhere. */
class ImageDefinitionTest {
  private static final Path ROOT = Path.of("").toAbsolutePath().getParent();
  private static final Path IMAGE = ROOT.resolve("deploy/image");

  private static final Pattern OPTION = Pattern.compile("(?m)(?<=^|\\s)(--[a-z]|-D|-X)[^\\s\\\\]*");

  /** The image's, and no checkout's. */
  private static final Set<String> IMAGE_ONLY =
      Set.of(
          "-Dorg.xerial.snappy.use.systemlib=true",
          "-XX:+ExitOnOutOfMemoryError",
          "-XX:-UsePerfData",
          "-Xlog:disable",
          "-Xlog:all=warning:stderr");

  @Test
  void theImagesJvmGetsTheOptionsOfTheLauncher() throws IOException {
    Set<String> expected = new TreeSet<>(IMAGE_ONLY);
    String launcher = Files.readString(ROOT.resolve("wings"));
    // The last one starts the program, the one before it the simulator; heaps are in $heap.
    expected.addAll(options(launcher.substring(launcher.lastIndexOf("exec "))));

    Set<String> image = new TreeSet<>();
    for (String line : Files.readAllLines(IMAGE.resolve("jvm.options"))) {
      if (!line.isBlank() && !line.startsWith("#")) {
        image.add(line);
      }
    }
    assertEquals(expected, image);
  }

  @Test
  void theTestsJvmGetsWhatTheProgramsNeeds() throws IOException {
    Set<String> tests = options(found("<wings.jvm>(.*)</wings.jvm>", ROOT.resolve("pom.xml")));
    Set<String> image = options(Files.readString(IMAGE.resolve("jvm.options")));

    image.removeIf(option -> !option.startsWith("--"));
    assertEquals(image, tests);
  }

  @Test
  void theSameCommandsAreServers() throws IOException {
    String servers = "(?m)^ *(dev [a-z| -]+)\\)";
    assertEquals(found(servers, ROOT.resolve("wings")), found(servers, IMAGE.resolve("wings")));
  }

  @Test
  void dockerAndJibBuildTheSame() throws IOException {
    Path docker = IMAGE.resolve("Dockerfile");
    Path jib = IMAGE.resolve("pom.xml");
    List<List<String>> same =
        List.of(
            List.of("(?m)^ARG BASE=(\\S+)$", "<wings.image.base>(.*)</wings.image.base>"),
            List.of("(?m)^USER (\\S+)$", "<user>(.*)</user>"),
            List.of("(?m)^WORKDIR (/tmp)$", "<workingDirectory>(.*)</workingDirectory>"),
            List.of("(?m)^ENTRYPOINT \\[\"(.*)\"]$", "<entrypoint><arg>(.*)</arg></entrypoint>"),
            List.of("(?m)^CMD \\[\"(.*)\"]$", "<args><arg>(.*)</arg></args>"));
    for (List<String> patterns : same) {
      assertEquals(found(patterns.getFirst(), docker), found(patterns.getLast(), jib));
    }
    assertEquals("65532:65532", found("(?m)^USER (\\S+)$", docker));
    assertTrue(Files.isExecutable(IMAGE.resolve("assemble")));
    assertTrue(Files.isExecutable(IMAGE.resolve("wings")));
  }

  private static Set<String> options(String text) {
    Set<String> options = new TreeSet<>();
    Matcher matcher = OPTION.matcher(text);
    while (matcher.find()) {
      options.add(matcher.group());
    }
    return options;
  }

  private static String found(String pattern, Path file) throws IOException {
    Matcher matcher = Pattern.compile(pattern).matcher(Files.readString(file));
    assertTrue(matcher.find(), () -> file + " has no " + pattern);
    return matcher.group(1);
  }
}
