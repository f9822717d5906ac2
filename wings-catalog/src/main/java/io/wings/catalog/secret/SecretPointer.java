package io.wings.catalog.secret;

import io.wings.common.cluster.Printable;
import io.wings.common.error.WingsException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.Matcher;
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

  /**
   * A secret of AWS Secrets Manager, its current version: {@code
   * aws-secretsmanager://REGION/NAME-or-ARN}.
   *
   * @param id its name or its ARN
   */
  record InAws(String region, String id) implements SecretPointer {
    private static final Pattern FORM =
        Pattern.compile(
            "(?<region>[a-z]{2,4}(-[a-z]{1,16}){1,4}-[0-9]{1,2})/"
                + "(?<id>(arn:aws[a-z-]{0,16}:secretsmanager:\\k<region>:[0-9]{12}:secret:)?"
                + "[A-Za-z0-9/_+=.@!-]{1,519})");

    public InAws {
      if (!FORM.matcher(region + "/" + id).matches()) {
        throw invalid(
            "expected "
                + AWS
                + "REGION/NAME or REGION/ARN, with a region such as eu-central-1 (the ARN's own)"
                + " and a name of letters, digits and /_+=.@!-");
      }
    }

    static InAws of(String text) {
      int end = Math.max(text.indexOf('/'), 0);
      return new InAws(text.substring(0, end), text.substring(Math.min(end + 1, text.length())));
    }

    @Override
    public String toString() {
      return AWS + region + "/" + id;
    }
  }

  /**
   * A secret of Azure Key Vault: {@code azure-keyvault://VAULT-HOST/NAME[/VERSION]}.
   *
   * @param host one of Azure's own: the process's token is for them alone
   * @param version empty: the current one
   */
  record InAzure(String host, String name, Optional<String> version) implements SecretPointer {
    private static final Pattern FORM =
        Pattern.compile(
            "(?<host>[a-z][a-z0-9-]{1,22}[a-z0-9]"
                + "\\.vault\\.(azure\\.net|azure\\.cn|usgovcloudapi\\.net))"
                + "/(?<name>[A-Za-z0-9-]{1,127})(/(?<version>[0-9a-f]{32}))?");

    public InAzure {
      matched(text(host, name, version));
    }

    static InAzure of(String text) {
      Matcher matcher = matched(text);
      return new InAzure(
          matcher.group("host"),
          matcher.group("name"),
          Optional.ofNullable(matcher.group("version")));
    }

    private static Matcher matched(String text) {
      Matcher matcher = FORM.matcher(text);
      if (!matcher.matches()) {
        throw invalid(
            "expected "
                + AZURE
                + "VAULT.vault.azure.net/NAME or …/NAME/VERSION (or the vault's host in Azure's"
                + " other clouds), with a name of letters, digits and - and a version of 32 digits"
                + " from 0 to f");
      }
      return matcher;
    }

    @Override
    public String toString() {
      return AZURE + text(host, name, version);
    }
  }

  /**
   * A secret of Google Secret Manager: {@code gcp-secretmanager://PROJECT/NAME[/VERSION]}.
   *
   * @param project its id or number
   * @param version its number or alias; empty: the latest one
   */
  record InGoogle(String project, String name, Optional<String> version) implements SecretPointer {
    private static final Pattern FORM =
        Pattern.compile(
            "(?<project>[a-z0-9][a-z0-9-]{0,61}[a-z0-9])/(?<name>[A-Za-z0-9_-]{1,255})"
                + "(/(?<version>[A-Za-z0-9_-]{1,63}))?");

    public InGoogle {
      matched(text(project, name, version));
    }

    static InGoogle of(String text) {
      Matcher matcher = matched(text);
      return new InGoogle(
          matcher.group("project"),
          matcher.group("name"),
          Optional.ofNullable(matcher.group("version")));
    }

    private static Matcher matched(String text) {
      Matcher matcher = FORM.matcher(text);
      if (!matcher.matches()) {
        throw invalid(
            "expected "
                + GOOGLE
                + "PROJECT/NAME or PROJECT/NAME/VERSION, with the project's id or number, a name of"
                + " letters, digits, _ and -, and a version's number or alias");
      }
      return matcher;
    }

    @Override
    public String toString() {
      return GOOGLE + text(project, name, version);
    }
  }

  /** The schemes' beginnings. */
  String FILE = "file://";

  String ENVIRONMENT = "env://";
  String AWS = "aws-secretsmanager://";
  String AZURE = "azure-keyvault://";
  String GOOGLE = "gcp-secretmanager://";

  /** What a scheme looks like. */
  Pattern SCHEME = Pattern.compile("[A-Za-z][A-Za-z0-9+.-]{0,31}");

  /** What a person may write, in short. */
  String FORMS =
      "file:///path, env://NAME, aws-secretsmanager://REGION/NAME,"
          + " azure-keyvault://VAULT.vault.azure.net/NAME, gcp-secretmanager://PROJECT/NAME";

  /**
   * The pointer that its text form, or a person, wrote.
   *
   * @throws WingsException {@code secret-pointer-invalid}, {@code secret-scheme-unsupported}
   */
  static SecretPointer parse(String text) {
    int end = text.indexOf("://");
    if (end < 0 || !SCHEME.matcher(text.substring(0, end)).matches()) {
      // What has no scheme may be a secret pasted by mistake, URLs and all: it isn't repeated.
      throw invalid("expected one of " + FORMS + "; got something without a scheme");
    }
    String scheme = text.substring(0, end);
    String rest = text.substring(end + "://".length());
    return switch (scheme + "://") {
      case FILE -> inFile(rest);
      case ENVIRONMENT -> new InEnvironment(rest);
      case AWS -> InAws.of(rest);
      case AZURE -> InAzure.of(rest);
      case GOOGLE -> InGoogle.of(rest);
      default ->
          throw WingsException.invalid(
              "secret-scheme-unsupported",
              "secrets in %s:// are not supported; use one of %s"
                  .formatted(Printable.of(scheme), FORMS));
    };
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

  private static String text(String where, String name, Optional<String> version) {
    return where + "/" + name + version.map(text -> "/" + text).orElse("");
  }

  private static WingsException invalid(String detail) {
    return WingsException.invalid("secret-pointer-invalid", detail);
  }
}
