package io.wings.catalog;

import io.wings.common.cluster.Printable;
import io.wings.common.error.WingsException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/** Where a secret is; never the secret itself. Its text form is what was registered. */
public sealed interface SecretPointer {
  /** A mounted file: {@code file:///path}. */
  record InFile(Path path) implements SecretPointer {
    @Override
    public String toString() {
      return FILE + path;
    }
  }

  /** A variable of the process's environment, for development: {@code env://NAME}. */
  record InEnvironment(String variable) implements SecretPointer {
    private static final Pattern NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_]{0,127}");

    public InEnvironment {
      if (!NAME.matcher(variable).matches()) {
        throw invalid("expected env://NAME with a name that matches " + NAME.pattern());
      }
    }

    @Override
    public String toString() {
      return ENVIRONMENT + variable;
    }
  }

  /** The schemes' beginnings. */
  String FILE = "file://";

  String ENVIRONMENT = "env://";

  /** Schemes of secret stores that are to come. */
  List<String> LATER = List.of("aws-secretsmanager", "azure-keyvault", "gcp-secretmanager");

  /**
   * The pointer that its text form, or a person, wrote.
   *
   * @throws WingsException {@code secret-pointer-invalid}, {@code secret-scheme-unsupported}
   */
  static SecretPointer parse(String text) {
    if (text.startsWith(FILE)) {
      return inFile(text.substring(FILE.length()));
    }
    if (text.startsWith(ENVIRONMENT)) {
      return new InEnvironment(text.substring(ENVIRONMENT.length()));
    }
    int end = text.indexOf("://");
    if (end < 0) {
      // What has no scheme may be a secret pasted by mistake: it isn't repeated.
      throw invalid("expected file:///path or env://NAME, got something without a scheme");
    }
    String scheme = text.substring(0, end).toLowerCase(Locale.ROOT);
    String when = LATER.contains(scheme) ? " in this version" : "";
    throw WingsException.invalid(
        "secret-scheme-unsupported",
        "secrets in %s:// are not supported%s; use file:///path or env://NAME"
            .formatted(Printable.of(scheme), when));
  }

  private static SecretPointer inFile(String path) {
    Path file;
    try {
      file = Path.of(path);
    } catch (InvalidPathException _) {
      throw invalid("expected an absolute path in file:///path");
    }
    if (!file.isAbsolute()) {
      // Only what is a file here is surely no secret pasted by mistake, and may be repeated.
      String meant =
          Files.exists(file)
              ? "; here it is " + FILE + Printable.of(file.toAbsolutePath().normalize().toString())
              : "";
      throw invalid(
          "expected an absolute path in file:///path, got a relative one, which every role would"
              + " look up in its own directory"
              + meant);
    }
    return new InFile(file.normalize());
  }

  private static WingsException invalid(String detail) {
    return WingsException.invalid("secret-pointer-invalid", detail);
  }
}
