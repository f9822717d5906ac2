package io.wings.deploy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.wings.engines.Python;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Kubernetes' own schemas, which know every key and no other. */
@Tag("engines")
@Timeout(120)
class ChartSchemasTest {
  /** The oldest and the newest that the chart is for. */
  private static final List<String> VERSIONS = List.of("1.30", "1.37");

  @TempDir private Path directory;

  @Test
  void everyManifestIsWhatKubernetesKnows() throws IOException, InterruptedException {
    List<Path> files = new ArrayList<>();
    int manifests = 0;
    for (String values : Chart.cases()) {
      List<JsonNode> known = known(Chart.render(values));
      manifests += known.size();
      files.add(write(values, known));
    }
    assertTrue(manifests > 200, manifests + " manifests");
    Ended ended = validate(files);
    assertEquals(0, ended.code, ended.output);
    assertEquals(
        (long) VERSIONS.size() * manifests,
        ended.output.lines().filter(line -> line.contains("pass")).count(),
        ended.output);
  }

  /** Strictly: a key that nobody knows is found. */
  @Test
  void aKeyThatKubernetesDoesNotKnowIsFound() throws IOException, InterruptedException {
    String text = Chart.render().text().replace("enableServiceLinks:", "enableServiceLink:");
    Ended ended = validate(List.of(write("misspelt", known(Manifests.read(text)))));
    assertNotEquals(0, ended.code, ended.output);
    assertTrue(ended.output.contains("enableServiceLink"), ended.output);
  }

  /** The Prometheus operator's kinds aren't Kubernetes'. */
  private static List<JsonNode> known(Manifests manifests) {
    return manifests.all().stream()
        .filter(manifest -> !manifest.path("kind").asText().equals("ServiceMonitor"))
        .toList();
  }

  private Path write(String name, List<JsonNode> manifests) throws IOException {
    StringBuilder text = new StringBuilder();
    for (JsonNode manifest : manifests) {
      text.append(Chart.YAML.writeValueAsString(manifest));
    }
    return Files.writeString(directory.resolve(name + ".yaml"), text);
  }

  private record Ended(int code, String output) {}

  private static Ended validate(List<Path> files) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of(Python.interpreter()));
    command.addAll(List.of("-m", "kubernetes_validate", "--strict"));
    VERSIONS.forEach(version -> command.addAll(List.of("--kubernetes-version", version)));
    files.forEach(file -> command.add(file.toString()));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    byte[] output = process.getInputStream().readAllBytes();
    return new Ended(process.waitFor(), new String(output, StandardCharsets.UTF_8));
  }
}
