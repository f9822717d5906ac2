import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.Manifest;
import java.util.regex.Pattern;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;

/**
 * Copies the program's jars into the image's {@code lib}. Native libraries of the image's own
 * platform, Linux with glibc on this machine's processor, go into {@code lib/native}, where the JVM
 * finds them: nothing has to be unpacked when a role starts. Those of other platforms go nowhere.
 * {@code wings.jar} names all jars and the main class, in one order for all machines.
 *
 * <p>{@code java Libraries.java LIB MAIN-JAR JAR...}; the same jars give the same bytes.
 */
final class Libraries {
  private static final Pattern NAMED_LIKE_NATIVE =
      Pattern.compile(".*\\.(so|dylib|jnilib|dll|a)(_[a-z0-9_]+)?");

  /** Systems that use ELF as well, by what jars call them. */
  private static final Pattern OTHER_SYSTEM =
      Pattern.compile(".*(musl|android|bsd|sunos|solaris|aix).*", Pattern.CASE_INSENSITIVE);

  /** The same for all entries, and in all time zones. */
  private static final LocalDateTime TIME = LocalDateTime.of(1980, 2, 1, 0, 0);

  private static final int HEAD_BYTES = 20;
  private static final int ELF = 0x7f454c46;
  private static final int ELF_64_BIT_LITTLE_ENDIAN = 0x0201;
  private static final int ELF_SYSTEM_V = 0;
  private static final int ELF_LINUX = 3;
  private static final int ELF_X86_64 = 62;
  private static final int ELF_AARCH64 = 183;

  private final Path lib;
  private final int processor;

  private Libraries(Path lib) {
    this.lib = lib;
    String name = System.getProperty("os.arch");
    this.processor =
        switch (name) {
          case "amd64" -> ELF_X86_64;
          case "aarch64" -> ELF_AARCH64;
          default -> throw new IllegalStateException("no image for the processor " + name);
        };
  }

  public static void main(String[] args) throws IOException {
    Libraries libraries = new Libraries(Path.of(args[0]));
    Files.createDirectories(libraries.lib.resolve("native"));
    List<String> copied = new ArrayList<>();
    for (String jar : Arrays.asList(args).subList(1, args.length)) {
      if (libraries.copy(Path.of(jar))) {
        copied.add(Path.of(jar).getFileName().toString());
      }
    }
    libraries.writeMain(copied);
  }

  /** Whether anything of the jar is for this platform. */
  private boolean copy(Path jar) throws IOException {
    Path to = lib.resolve(jar.getFileName());
    try (ZipFile from = new ZipFile(jar.toFile())) {
      List<ZipEntry> all =
          from.stream().filter(entry -> !entry.isDirectory()).map(ZipEntry.class::cast).toList();
      List<ZipEntry> rest = new ArrayList<>();
      List<ZipEntry> own = new ArrayList<>();
      for (ZipEntry entry : all) {
        byte[] head = head(from, entry);
        if (!isNative(entry.getName(), head)) {
          rest.add(entry);
        } else if (isOwn(entry.getName(), head)) {
          own.add(entry);
        }
      }
      if (rest.size() == all.size()) {
        Files.copy(jar, to);
        return true;
      }
      if (own.isEmpty()) {
        requireNoClasses(jar, rest);
        return false;
      }
      for (ZipEntry entry : own) {
        try (InputStream in = from.getInputStream(entry)) {
          // Fails where two are taken for this platform's.
          Files.copy(in, lib.resolve("native").resolve(nativeName(entry.getName())));
        }
      }
      write(to, from, rest);
      return true;
    }
  }

  private static byte[] head(ZipFile from, ZipEntry entry) throws IOException {
    try (InputStream in = from.getInputStream(entry)) {
      return Arrays.copyOf(in.readNBytes(HEAD_BYTES), HEAD_BYTES);
    }
  }

  private static boolean isNative(String name, byte[] head) {
    return NAMED_LIKE_NATIVE.matcher(name).matches() || ByteBuffer.wrap(head).getInt() == ELF;
  }

  private boolean isOwn(String name, byte[] head) {
    ByteBuffer elf = ByteBuffer.wrap(head);
    int system = elf.get(7);
    return elf.getInt(0) == ELF
        && elf.getShort(4) == ELF_64_BIT_LITTLE_ENDIAN
        && (system == ELF_SYSTEM_V || system == ELF_LINUX)
        && elf.order(ByteOrder.LITTLE_ENDIAN).getShort(18) == processor
        && !OTHER_SYSTEM.matcher(name).matches();
  }

  /** What {@code System.loadLibrary} looks for; DuckDB's jar has the platform behind it. */
  private static String nativeName(String entry) {
    return entry.substring(entry.lastIndexOf('/') + 1).replaceFirst("\\.so_.*", ".so");
  }

  private static void requireNoClasses(Path jar, List<ZipEntry> rest) {
    if (rest.stream().anyMatch(Libraries::isClass)) {
      throw new IllegalStateException(
          jar
              + " has native libraries, and none for Linux with glibc on "
              + System.getProperty("os.arch"));
    }
  }

  private static void write(Path to, ZipFile from, List<ZipEntry> entries) throws IOException {
    try (ZipOutputStream out = new ZipOutputStream(Files.newOutputStream(to))) {
      for (ZipEntry entry : entries) {
        put(out, entry.getName());
        try (InputStream in = from.getInputStream(entry)) {
          in.transferTo(out);
        }
        out.closeEntry();
      }
    }
  }

  private void writeMain(List<String> jars) throws IOException {
    Manifest manifest = new Manifest();
    Attributes main = manifest.getMainAttributes();
    main.put(Attributes.Name.MANIFEST_VERSION, "1.0");
    main.put(Attributes.Name.MAIN_CLASS, "io.wings.cli.Wings");
    main.put(Attributes.Name.CLASS_PATH, String.join(" ", jars));
    ByteArrayOutputStream text = new ByteArrayOutputStream();
    manifest.write(text);
    try (ZipOutputStream out = new ZipOutputStream(Files.newOutputStream(lib.resolve("wings.jar")))) {
      put(out, "META-INF/MANIFEST.MF");
      text.writeTo(out);
      out.closeEntry();
    }
  }

  private static boolean isClass(ZipEntry entry) {
    return entry.getName().endsWith(".class") && !entry.getName().endsWith("module-info.class");
  }

  private static void put(ZipOutputStream out, String name) throws IOException {
    ZipEntry entry = new ZipEntry(name);
    entry.setTimeLocal(TIME);
    out.putNextEntry(entry);
  }
}
