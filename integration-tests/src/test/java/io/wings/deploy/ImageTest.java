package io.wings.deploy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.wings.process.WingsProcess;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;

/** What is in the image: small, for one platform, the same every time. */
@Tag("long")
@ResourceLock("target/image")
class ImageTest {
  /** Uncompressed, without the base; it was 329 MiB when the limit was set. */
  private static final long MOST_BYTES = 340L << 20;

  private static final byte[] ELF = {0x7f, 'E', 'L', 'F'};
  private static final List<String> OTHER_PLATFORMS = List.of(".dll", ".dylib", ".jnilib", ".a");

  private static Path tree;

  @TempDir private Path directory;

  @BeforeAll
  static void assemble() throws IOException, InterruptedException {
    tree = ImageTree.assembled();
  }

  @Test
  void isSmall() throws IOException {
    long bytes = 0;
    for (Path file : files(tree)) {
      bytes += Files.size(file);
    }
    assertTrue(bytes < MOST_BYTES, bytes + " bytes");
  }

  @Test
  void everyNativeLibraryIsForThisPlatformAndNoneHasToBeUnpacked() throws IOException {
    byte[] own = head(Files.newInputStream(tree.resolve("opt/wings/jre/bin/java")));
    List<String> wrong = new ArrayList<>();
    for (Path file : files(tree)) {
      byte[] head = head(Files.newInputStream(file));
      if (isNative(file.toString(), head) && !Arrays.equals(platform(own), platform(head))) {
        wrong.add(file.toString());
      }
      if (file.toString().endsWith(".jar")) {
        wrong.addAll(nativesIn(file));
      }
    }
    assertEquals(List.of(), wrong);
  }

  @Test
  void librariesOfTheProgramAreForGlibc() throws IOException {
    List<Path> libraries = files(tree.resolve("opt/wings/lib/native"));
    assertTrue(libraries.size() >= 5, libraries::toString);
    for (Path library : libraries) {
      String content = Files.readString(library, StandardCharsets.ISO_8859_1);
      assertTrue(content.contains("libc.so.6"), library::toString);
    }
  }

  /** In the same place: the archive of classes says where it was made. */
  @Test
  void twoAssembliesGiveTheSameBytesModesAndTimes() throws Exception {
    Map<String, String> first = contents(tree);
    Path classes =
        Files.copy(tree.resolve("opt/wings/lib/wings.classes"), directory.resolve("classes"));
    ImageTree.assemble(tree, "--classes", classes.toString());

    assertEquals(first, contents(tree));
  }

  /** {@code -Xshare:on}: the JVM ends at once where the archive doesn't fit its jars. */
  @Test
  void classesComeFromTheArchiveWhereverTheTreeIs() throws Exception {
    Path moved = directory.resolve("moved");
    WingsProcess.Ended copied =
        WingsProcess.run(
            new ProcessBuilder("cp", "-a", tree.toString(), moved.toString()), directory);
    assertEquals(0, copied.code(), copied.err());
    Path program = moved.resolve("opt/wings/bin/wings");

    ProcessBuilder strict = new ProcessBuilder(program.toString(), "--version");
    strict.environment().put("WINGS_JAVA_OPTS", "-Xshare:on");
    WingsProcess.Ended ended = WingsProcess.run(strict, directory);
    assertEquals(0, ended.code(), ended.out() + ended.err());
    assertEquals("wings 0.1.0-SNAPSHOT", ended.out().strip());
    assertEquals("", ended.err());

    Files.setLastModifiedTime(
        moved.resolve("opt/wings/lib/wings.jar"), java.nio.file.attribute.FileTime.fromMillis(0));
    assertNotEquals(0, WingsProcess.run(strict, directory).code());
    ProcessBuilder usual = new ProcessBuilder(program.toString(), "--version");
    WingsProcess.Ended without = WingsProcess.run(usual, directory);
    assertEquals(0, without.code(), without.err());
    assertEquals("wings 0.1.0-SNAPSHOT", without.out().strip());
  }

  private static List<Path> files(Path root) throws IOException {
    try (Stream<Path> files = Files.walk(root)) {
      return files.filter(Files::isRegularFile).sorted().toList();
    }
  }

  private static byte[] head(InputStream in) throws IOException {
    try (in) {
      return Arrays.copyOf(in.readNBytes(20), 20);
    }
  }

  private static boolean isNative(String name, byte[] head) {
    return Arrays.equals(ELF, Arrays.copyOf(head, ELF.length))
        || OTHER_PLATFORMS.stream().anyMatch(name::endsWith);
  }

  /** Width and byte order, and the processor. */
  private static byte[] platform(byte[] head) {
    return new byte[] {head[0], head[4], head[5], head[18], head[19]};
  }

  private static List<String> nativesIn(Path jar) throws IOException {
    List<String> found = new ArrayList<>();
    try (ZipFile zip = new ZipFile(jar.toFile())) {
      for (ZipEntry entry : zip.stream().filter(entry -> !entry.isDirectory()).toList()) {
        if (isNative(entry.getName(), head(zip.getInputStream(entry)))) {
          found.add(jar + "!" + entry.getName());
        }
      }
    }
    return found;
  }

  private static Map<String, String> contents(Path root) throws Exception {
    Map<String, String> contents = new TreeMap<>();
    try (Stream<Path> all = Files.walk(root)) {
      for (Path file : all.toList()) {
        Map<String, Object> attributes =
            Files.readAttributes(file, "posix:*", LinkOption.NOFOLLOW_LINKS);
        String content =
            Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS) ? sha256(file) : "no file";
        contents.put(
            root.relativize(file).toString(),
            "%s %s %s"
                .formatted(
                    attributes.get("permissions"), attributes.get("lastModifiedTime"), content));
      }
    }
    return contents;
  }

  private static String sha256(Path file) throws Exception {
    MessageDigest digest = MessageDigest.getInstance("SHA-256");
    try (InputStream in = Files.newInputStream(file)) {
      byte[] part = new byte[1 << 16];
      for (int read = in.read(part); read >= 0; read = in.read(part)) {
        digest.update(part, 0, read);
      }
    }
    return HexFormat.of().formatHex(digest.digest());
  }
}
