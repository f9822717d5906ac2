package io.wings.deploy;

import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import com.marcnuri.helm.Helm;
import com.marcnuri.helm.LintResult;
import com.marcnuri.helm.TemplateCommand;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/** The chart {@code deploy/helm/wings}. */
final class Chart {
  static final Path ROOT = Path.of("").toAbsolutePath().getParent();
  static final Path DIRECTORY = ROOT.resolve("deploy/helm/wings");
  static final YAMLMapper YAML = new YAMLMapper();

  /** As the tests install it. */
  static final String RELEASE = "prod";

  static final String NAMESPACE = "streams";
  static final String NAME = "prod-wings";

  /** The least that is taken; every other case lies over it. */
  private static final String MINIMAL = "minimal";

  private static final String KUBERNETES = "1.34.0";

  private static final String HOOK = "    helm.sh/hook: test\n";

  /** Rendering as a library leaves hooks out, so that here the test's pod is none. */
  private static final Path WITHOUT_HOOKS = withoutHooks();

  /** By cases: most tests look at the same ones. */
  private static final Map<List<String>, Manifests> RENDERED = new ConcurrentHashMap<>();

  private Chart() {}

  private static Path withoutHooks() {
    try {
      Path copy = Files.createTempDirectory(Path.of("target"), "chart-").resolve("wings");
      copyTo(copy);
      Path pod = copy.resolve("templates/tests/table-list.yaml");
      String text = Files.readString(pod);
      assertTrue(text.contains(HOOK), text);
      Files.writeString(pod, text.replace(HOOK, ""));
      return copy;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void copyTo(Path directory) throws IOException {
    try (Stream<Path> files = Files.walk(DIRECTORY)) {
      for (Path file : files.toList()) {
        Files.copy(file, directory.resolve(DIRECTORY.relativize(file).toString()));
      }
    }
  }

  /** The names of the values that the tests render. */
  static List<String> cases() throws IOException {
    try (Stream<Path> files = Files.list(valuesOf(MINIMAL).getParent())) {
      return files
          .map(file -> file.getFileName().toString())
          .filter(name -> name.endsWith(".yaml"))
          .map(name -> name.substring(0, name.length() - ".yaml".length()))
          .sorted()
          .toList();
    }
  }

  private static Path valuesOf(String name) {
    URL found = Objects.requireNonNull(Chart.class.getResource(name + ".yaml"), name);
    try {
      return Path.of(found.toURI());
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }

  /** What Helm makes of the least and the named cases over it. */
  static Manifests render(String... cases) throws IOException {
    List<String> names = List.of(cases);
    Manifests known = RENDERED.get(names);
    if (known == null) {
      known = render(names.stream().map(Chart::valuesOf).toList());
      RENDERED.put(names, known);
    }
    return known;
  }

  /** The same, with files of values. */
  static Manifests render(List<Path> values) throws IOException {
    return Manifests.read(text(KUBERNETES, values));
  }

  /** The text that `helm template` prints for Kubernetes of a version. */
  static String text(String kubernetes, List<Path> values) {
    TemplateCommand command =
        new Helm(WITHOUT_HOOKS)
            .template()
            .withName(RELEASE)
            .withNamespace(NAMESPACE)
            .withKubeVersion(kubernetes)
            .withValuesFile(valuesOf(MINIMAL));
    for (Path file : values) {
      command = command.withValuesFile(file);
    }
    return command.call();
  }

  /**
   * What `helm lint --strict` says; a linter takes no values, so they are in a copy of the chart.
   */
  static LintResult lint(Path directory, String name) throws IOException {
    Path copy = directory.resolve("wings");
    copyTo(copy);
    Path values = copy.resolve("values.yaml");
    JsonNode merged = YAML.readTree(values.toFile());
    for (String overlay : List.of(MINIMAL, name)) {
      merged = YAML.readerForUpdating(merged).readTree(Files.readString(valuesOf(overlay)));
    }
    Files.writeString(values, YAML.writeValueAsString(merged));
    return new Helm(copy).lint().strict().call();
  }

  /** The documents of a YAML text, without empty ones. */
  static List<JsonNode> documents(String text) throws IOException {
    try (MappingIterator<JsonNode> documents = YAML.readerFor(JsonNode.class).readValues(text)) {
      return documents.readAll().stream()
          .filter(document -> !document.isNull() && !document.isMissingNode())
          .toList();
    }
  }
}
