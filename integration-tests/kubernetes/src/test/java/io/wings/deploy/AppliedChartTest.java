package io.wings.deploy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.marcnuri.helm.Helm;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.server.mock.KubernetesCrudDispatcher;
import io.fabric8.kubernetes.client.server.mock.KubernetesMockServer;
import io.fabric8.mockwebserver.Context;
import io.fabric8.mockwebserver.MockWebServer;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Objects;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The chart, read by Kubernetes' own model in Java and created on an API server's double. The
 * double keeps what it is given and checks nothing: types are checked, behaviour isn't.
 */
class AppliedChartTest {
  private static final Path ROOT = Path.of("").toAbsolutePath().getParent().getParent();
  private static final Path CASES =
      ROOT.resolve("integration-tests/src/test/resources/io/wings/deploy");

  private static final KubernetesMockServer server =
      new KubernetesMockServer(
          new Context(),
          new MockWebServer(),
          new HashMap<>(),
          new KubernetesCrudDispatcher(),
          true);
  private static KubernetesClient client;

  /** Held, so that the level set below isn't collected with it. */
  private static final Logger REQUESTS = Logger.getLogger("io.fabric8.mockwebserver");

  @BeforeAll
  static void start() {
    REQUESTS.setLevel(Level.WARNING);
    server.init();
    client = server.createClient();
  }

  @AfterAll
  static void stop() {
    client.close();
    server.destroy();
  }

  static List<String> cases() throws IOException {
    try (Stream<Path> files = Files.list(CASES)) {
      return files
          .map(file -> file.getFileName().toString())
          .filter(name -> name.endsWith(".yaml"))
          .sorted()
          .toList();
    }
  }

  /** The Prometheus operator's kinds are no part of the model. */
  private static List<HasMetadata> manifests(String release, String values) {
    String text =
        new Helm(ROOT.resolve("deploy/helm/wings"))
            .template()
            .withName(release)
            .withNamespace("streams")
            .withKubeVersion("1.34.0")
            .withValuesFile(CASES.resolve("minimal.yaml"))
            .withValuesFile(CASES.resolve(values))
            .call();
    return client
        .load(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)))
        .items()
        .stream()
        .filter(manifest -> !manifest.getKind().equals("ServiceMonitor"))
        .toList();
  }

  @ParameterizedTest
  @MethodSource("cases")
  void everyManifestIsCreatedAndReadBack(String values) {
    String release = values.replace(".yaml", "");
    List<HasMetadata> manifests = manifests(release, values);
    assertTrue(manifests.size() >= 12, values);
    for (HasMetadata manifest : manifests) {
      HasMetadata created = client.resource(manifest).create();
      HasMetadata found =
          Objects.requireNonNull(client.resource(manifest).get(), created::toString);
      assertEquals(manifest.getMetadata().getLabels(), found.getMetadata().getLabels());
    }
    assertEquals(
        manifests.stream().filter(Deployment.class::isInstance).count(),
        client
            .apps()
            .deployments()
            .inNamespace("streams")
            .withLabel("app.kubernetes.io/instance", release)
            .list()
            .getItems()
            .size());
  }

  /** What Kubernetes refuses to change in a Deployment stays, whatever else an upgrade brings. */
  @Test
  void anUpgradeToOtherValuesChangesNoSelector() {
    manifests("upgraded", "minimal.yaml").forEach(manifest -> client.resource(manifest).create());
    for (HasMetadata manifest : manifests("upgraded", "scaling.yaml")) {
      if (manifest instanceof Deployment next) {
        Deployment now = client.resource(next).get();
        assertEquals(now.getSpec().getSelector(), next.getSpec().getSelector());
        Deployment updated = client.resource(next).update();
        assertEquals(next.getSpec().getReplicas(), updated.getSpec().getReplicas());
      }
    }
  }
}
