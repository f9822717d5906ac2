package io.wings.deploy;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/** What a chart was rendered to. */
record Manifests(String text, List<JsonNode> all) {
  static final List<String> ROLES =
      List.of("load-balancer", "ingestor", "broker", "worker", "catalog");

  /** A pod, or what a Deployment makes pods of. */
  record Pod(String component, JsonNode labels, JsonNode spec) {
    JsonNode container() {
      assertEquals(1, spec.path("containers").size(), component);
      return spec.path("containers").path(0);
    }

    List<String> arguments() {
      return stream(container().path("args")).map(JsonNode::asText).toList();
    }

    /** The value of {@code --option=value}. */
    String argument(String option) {
      return arguments().stream()
          .filter(argument -> argument.startsWith(option + "="))
          .map(argument -> argument.substring(option.length() + 1))
          .findFirst()
          .orElseThrow(() -> new AssertionError(component + " has no " + option));
    }

    /** Its variables by name. */
    Map<String, JsonNode> environment() {
      Map<String, JsonNode> found = new TreeMap<>();
      stream(container().path("env"))
          .forEach(
              variable ->
                  assertEquals(
                      null,
                      found.put(variable.path("name").asText(), variable),
                      variable::toString));
      return found;
    }

    String variable(String name) {
      JsonNode found = environment().get(name);
      if (found == null) {
        throw new AssertionError(component + " has no " + name);
      }
      return found.path("value").asText();
    }
  }

  static Manifests read(String text) throws IOException {
    return new Manifests(text, Chart.documents(text));
  }

  static Stream<JsonNode> stream(JsonNode array) {
    return StreamSupport.stream(array.spliterator(), false);
  }

  static String name(JsonNode manifest) {
    return manifest.path("metadata").path("name").asText();
  }

  static String component(JsonNode labels) {
    return labels.path("app.kubernetes.io/component").asText();
  }

  List<JsonNode> ofKind(String kind) {
    return all.stream().filter(manifest -> manifest.path("kind").asText().equals(kind)).toList();
  }

  /** The one of a kind that is a role's. */
  JsonNode of(String kind, String role) {
    List<JsonNode> found =
        ofKind(kind).stream()
            .filter(manifest -> name(manifest).equals(Chart.NAME + "-" + role))
            .toList();
    assertEquals(1, found.size(), kind + " of " + role);
    return found.getFirst();
  }

  /** All pods, the test's among them. */
  List<Pod> pods() {
    return Stream.concat(
            ofKind("Deployment").stream().map(owner -> owner.path("spec").path("template")),
            ofKind("Pod").stream())
        .map(
            pod -> {
              JsonNode labels = pod.path("metadata").path("labels");
              return new Pod(component(labels), labels, pod.path("spec"));
            })
        .toList();
  }

  /** Those that run roles. */
  List<Pod> rolePods() {
    return pods().stream().filter(pod -> ROLES.contains(pod.component())).toList();
  }

  Pod pod(String component) {
    List<Pod> found = pods().stream().filter(pod -> pod.component().equals(component)).toList();
    assertEquals(1, found.size(), component);
    return found.getFirst();
  }

  /** The components of pods that a selector takes. */
  List<String> selected(JsonNode selector) {
    assertEquals(false, selector.isEmpty(), "a selector that takes everything");
    return pods().stream()
        .filter(
            pod ->
                selector.properties().stream()
                    .allMatch(
                        wanted -> wanted.getValue().equals(pod.labels().get(wanted.getKey()))))
        .map(Pod::component)
        .sorted()
        .toList();
  }
}
