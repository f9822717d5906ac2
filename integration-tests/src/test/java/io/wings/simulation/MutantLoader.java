package io.wings.simulation;

import io.wings.simulation.Mutant.Edit;
import io.wings.simulation.kernel.SeededSecureRandom;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.net.MalformedURLException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import javax.tools.FileObject;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.jspecify.annotations.Nullable;

/**
 * Wings once more, beside the Wings that loaded this: all of {@code io.wings} anew, with some of
 * its source files compiled after an edit, and the libraries shared. So a mutant is exactly what
 * was edited, and production needs no switch.
 */
final class MutantLoader extends ClassLoader {
  private static final String OWN = "io.wings.";

  private static final JavaCompiler COMPILER = ToolProvider.getSystemJavaCompiler();

  /** Stays open: to open some hundred libraries takes longer than to compile a file. */
  private static final StandardJavaFileManager LIBRARIES =
      COMPILER.getStandardFileManager(null, null, null);

  private final List<Path> directories;
  private final Map<String, byte[]> compiled;

  /** Without edits: production itself. */
  MutantLoader(List<Edit> edits) {
    this(edits, List.of());
  }

  /**
   * With more classes and resources than this was loaded with.
   *
   * @param directories where they are
   */
  MutantLoader(List<Edit> edits, List<Path> directories) {
    super(MutantLoader.class.getClassLoader());
    this.directories = directories;
    this.compiled = edits.isEmpty() ? Map.of() : compile(edited(edits));
  }

  /** Runs {@code main} of the same name as {@code of}, in this loader. */
  void main(Class<?> of, String[] args) {
    try {
      var main = loadClass(of.getName()).getDeclaredMethod("main", String[].class);
      main.setAccessible(true);
      var _ = main.invoke(null, (Object) args);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }

  /** A {@link Play} of this loader's. */
  @SuppressWarnings("unchecked")
  BiFunction<String, Long, Map<String, Object>> play() {
    try {
      var constructor = loadClass(Play.class.getName()).getDeclaredConstructor();
      constructor.setAccessible(true);
      return (BiFunction<String, Long, Map<String, Object>>) constructor.newInstance();
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
    // The JVM has one source of randomness, whoever asks.
    if (!name.startsWith(OWN) || name.startsWith(SeededSecureRandom.class.getName())) {
      return super.loadClass(name, resolve);
    }
    synchronized (getClassLoadingLock(name)) {
      Class<?> known = findLoadedClass(name);
      return known != null ? known : define(name);
    }
  }

  @Override
  protected @Nullable URL findResource(String name) {
    for (Path directory : directories) {
      Path file = directory.resolve(name);
      if (Files.exists(file)) {
        try {
          return file.toUri().toURL();
        } catch (MalformedURLException e) {
          throw new UncheckedIOException(e);
        }
      }
    }
    return null;
  }

  private Class<?> define(String name) throws ClassNotFoundException {
    byte[] edited = compiled.get(name);
    if (edited != null) {
      return defineClass(name, edited, 0, edited.length);
    }
    try (InputStream in = getResourceAsStream(name.replace('.', '/') + ".class")) {
      if (in == null) {
        throw new ClassNotFoundException(name);
      }
      byte[] bytes = in.readAllBytes();
      return defineClass(name, bytes, 0, bytes.length);
    } catch (IOException e) {
      throw new ClassNotFoundException(name, e);
    }
  }

  // --- sources ---------------------------------------------------------------------------------

  /** The checkout that this was built from. */
  static Path checkout() {
    try {
      Path classes =
          Path.of(MutantLoader.class.getProtectionDomain().getCodeSource().getLocation().toURI());
      return classes.resolve("../../..").normalize();
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Whole files by their path, edited. */
  static Map<String, String> edited(List<Edit> edits) {
    Map<String, String> files = new LinkedHashMap<>();
    for (Edit edit : edits) {
      files.put(edit.file(), edited(files.getOrDefault(edit.file(), read(edit.file())), edit));
    }
    return files;
  }

  private static String read(String file) {
    try {
      return Files.readString(checkout().resolve(file));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String edited(String text, Edit edit) {
    int at = text.indexOf(edit.from());
    if (at < 0 || text.indexOf(edit.from(), at + 1) >= 0) {
      throw new IllegalStateException(
          "%s: expected exactly once, found %s:%n%s"
              .formatted(edit.file(), at < 0 ? "nowhere" : "more than once", edit.from()));
    }
    return text.substring(0, at) + edit.to() + text.substring(at + edit.from().length());
  }

  private static Map<String, byte[]> compile(Map<String, String> files) {
    StringWriter messages = new StringWriter();
    Classes classes = new Classes(LIBRARIES);
    List<Source> sources = new ArrayList<>();
    files.forEach((file, text) -> sources.add(new Source(file, text)));
    String classPath =
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    boolean done =
        COMPILER
            .getTask(
                messages,
                classes,
                null,
                List.of("-proc:none", "-nowarn", "-Xlint:none", "-cp", classPath),
                null,
                sources)
            .call();
    if (!done) {
      throw new IllegalStateException("the mutant doesn't compile:\n" + messages);
    }
    return classes.bytes();
  }

  private static final class Source extends SimpleJavaFileObject {
    private final String text;

    Source(String file, String text) {
      super(URI.create("edited:///" + file), Kind.SOURCE);
      this.text = text;
    }

    @Override
    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
      return text;
    }
  }

  /** Keeps compiled classes in memory. */
  private static final class Classes extends ForwardingJavaFileManager<JavaFileManager> {
    private final Map<String, ByteArrayOutputStream> outputs = new HashMap<>();

    Classes(JavaFileManager files) {
      super(files);
    }

    Map<String, byte[]> bytes() {
      Map<String, byte[]> bytes = new HashMap<>();
      outputs.forEach((name, output) -> bytes.put(name, output.toByteArray()));
      return bytes;
    }

    @Override
    public JavaFileObject getJavaFileForOutput(
        Location location, String className, JavaFileObject.Kind kind, FileObject sibling) {
      return new SimpleJavaFileObject(
          URI.create("compiled:///" + className.replace('.', '/') + kind.extension), kind) {
        @Override
        public OutputStream openOutputStream() {
          ByteArrayOutputStream output = new ByteArrayOutputStream();
          outputs.put(className, output);
          return output;
        }
      };
    }
  }
}
