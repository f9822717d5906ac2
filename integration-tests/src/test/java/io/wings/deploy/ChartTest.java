package io.wings.deploy;

import static io.wings.deploy.Manifests.component;
import static io.wings.deploy.Manifests.name;
import static io.wings.deploy.Manifests.stream;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.marcnuri.helm.LintResult;
import io.wings.deploy.Manifests.Pod;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What the chart promises of its manifests. */
class ChartTest {
  private static final String METRICS = "9090 from monitoring, worker";

  @TempDir private Path directory;

  static List<String> cases() throws IOException {
    return Chart.cases();
  }

  @ParameterizedTest
  @MethodSource("cases")
  void everyDocumentIsOneNamedObjectOfItsNamespace(String values) throws IOException {
    Set<String> seen = new TreeSet<>();
    for (JsonNode manifest : Chart.render(values).all()) {
      assertTrue(manifest.path("apiVersion").isTextual(), manifest::toString);
      assertTrue(
          seen.add(manifest.path("kind").asText() + " " + name(manifest)), manifest::toString);
      assertEquals(Chart.NAMESPACE, manifest.path("metadata").path("namespace").asText());
      assertEquals(
          Chart.RELEASE,
          manifest.path("metadata").path("labels").path("app.kubernetes.io/instance").asText());
    }
    assertTrue(seen.size() >= 13, seen::toString);
  }

  @ParameterizedTest
  @MethodSource("cases")
  void lintFindsNothing(String values) throws IOException {
    LintResult result = Chart.lint(directory, values);
    assertFalse(result.isFailed(), () -> result.getMessages().toString());
  }

  @Test
  void theChartsVersionIsTheProgramsOwn() throws IOException {
    String pom = Files.readString(Chart.ROOT.resolve("pom.xml"));
    String version =
        Chart.YAML
            .readTree(Chart.DIRECTORY.resolve("Chart.yaml").toFile())
            .path("appVersion")
            .asText();
    assertTrue(pom.contains("<version>" + version + "</version>"), version);
    assertEquals(
        "registry.example/wings:" + version,
        Chart.render().pod("worker").container().path("image").asText());
  }

  /**
   * Restricted, as Kubernetes' pod security standards have it, and a file system that is read only.
   */
  @ParameterizedTest
  @MethodSource("cases")
  void everyPodIsRestricted(String values) throws IOException {
    Manifests manifests = Chart.render(values);
    assertTrue(manifests.pods().size() >= 4);
    for (Pod pod : manifests.pods()) {
      JsonNode security = pod.spec().path("securityContext");
      assertTrue(security.path("runAsNonRoot").asBoolean(), pod::toString);
      assertEquals("RuntimeDefault", security.path("seccompProfile").path("type").asText());
      JsonNode own = pod.container().path("securityContext");
      assertEquals("[\"ALL\"]", own.path("capabilities").path("drop").toString());
      assertTrue(own.path("readOnlyRootFilesystem").asBoolean(), pod::toString);
      assertFalse(own.path("allowPrivilegeEscalation").asBoolean(true), pod::toString);
      assertFalse(pod.spec().path("enableServiceLinks").asBoolean(true), pod::toString);
      for (String shared : List.of("hostNetwork", "hostPID", "hostIPC")) {
        assertTrue(pod.spec().path(shared).isMissingNode(), pod::toString);
      }
      for (JsonNode volume : pod.spec().path("volumes")) {
        assertTrue(
            volume.at("/emptyDir").has("sizeLimit")
                || volume.has("secret")
                || volume.has("configMap"),
            volume::toString);
      }
      assertEquals(names(pod.spec().path("volumes")), names(pod.container().path("volumeMounts")));
    }
  }

  private static List<String> names(JsonNode array) {
    return stream(array).map(each -> each.path("name").asText()).sorted().toList();
  }

  @ParameterizedTest
  @MethodSource("cases")
  void probesAskThePortThatTellsHowTheRoleIs(String values) throws IOException {
    for (Pod pod : Chart.render(values).rolePods()) {
      for (String probe : List.of("startupProbe", "livenessProbe", "readinessProbe")) {
        JsonNode asked = pod.container().path(probe).path("httpGet");
        assertEquals("http", asked.path("port").asText(), pod.component());
        assertEquals(
            pod.arguments().stream().anyMatch(each -> each.startsWith("--http-tls-cert="))
                ? "HTTPS"
                : "HTTP",
            asked.path("scheme").asText());
        assertEquals(
            probe.equals("readinessProbe") ? "/readyz" : "/livez", asked.path("path").asText());
      }
      assertEquals("0.0.0.0:" + port(pod, "http"), pod.argument("--http"));
    }
  }

  private static int port(Pod pod, String name) {
    return stream(pod.container().path("ports"))
        .filter(port -> port.path("name").asText().equals(name))
        .mapToInt(port -> port.path("containerPort").asInt())
        .findFirst()
        .orElseThrow(() -> new AssertionError(pod.component() + " has no port " + name));
  }

  @ParameterizedTest
  @MethodSource("cases")
  void everySelectorTakesThePodsOfItsRoleAlone(String values) throws IOException {
    Manifests manifests = Chart.render(values);
    for (String kind : List.of("Deployment", "PodDisruptionBudget", "Service", "NetworkPolicy")) {
      for (JsonNode manifest : manifests.ofKind(kind)) {
        JsonNode spec = manifest.path("spec");
        JsonNode selector =
            switch (kind) {
              case "Service" -> spec.path("selector");
              case "NetworkPolicy" -> spec.path("podSelector").path("matchLabels");
              default -> spec.path("selector").path("matchLabels");
            };
        String role = component(manifest.path("metadata").path("labels"));
        List<String> expected =
            role.equals("metrics")
                ? manifests.rolePods().stream().map(Pod::component).sorted().toList()
                : List.of(role);
        assertEquals(expected, manifests.selected(selector), kind + " " + name(manifest));
      }
    }
  }

  @ParameterizedTest
  @MethodSource("cases")
  void everyServiceLeadsToAPortOfItsPods(String values) throws IOException {
    Manifests manifests = Chart.render(values);
    for (JsonNode service : manifests.ofKind("Service")) {
      for (String role : manifests.selected(service.path("spec").path("selector"))) {
        for (JsonNode port : service.path("spec").path("ports")) {
          assertTrue(port(manifests.pod(role), port.path("targetPort").asText()) > 0);
        }
      }
    }
  }

  /** Who reaches which port: what isn't here is refused where the network holds to policies. */
  @Test
  void onlyLoadBalancersAndTheCatalogAreReachedByClients() throws IOException {
    assertEquals(
        new TreeMap<>(
            Map.of(
                "load-balancer", List.of("8815 from data, test", METRICS),
                "catalog", List.of("8181 from data, test, ingestor, worker", METRICS),
                "ingestor", List.of("8817 from load-balancer", METRICS),
                "broker", List.of("8816 from ingestor, worker", METRICS),
                "worker", List.of(METRICS))),
        reached(Chart.render("catalog")));
  }

  @Test
  void clientsAreEverybodyUnlessTheyAreNamed() throws IOException {
    assertEquals(
        List.of("8815 from everybody", METRICS), reached(Chart.render()).get("load-balancer"));
    assertEquals(
        List.of("8817 from load-balancer", "9090 from observability/prometheus, worker"),
        reached(Chart.render("monitor")).get("ingestor"));
  }

  private static Map<String, List<String>> reached(Manifests manifests) {
    TreeMap<String, List<String>> found = new TreeMap<>();
    for (JsonNode policy : manifests.ofKind("NetworkPolicy")) {
      assertEquals("[\"Ingress\"]", policy.path("spec").path("policyTypes").toString());
      List<String> rules = new ArrayList<>();
      for (JsonNode rule : policy.path("spec").path("ingress")) {
        assertEquals(1, rule.path("ports").size());
        String from =
            rule.has("from")
                ? String.join(", ", stream(rule.path("from")).map(ChartTest::peer).toList())
                : "everybody";
        rules.add(rule.path("ports").path(0).path("port").asInt() + " from " + from);
      }
      found.put(component(policy.path("spec").path("podSelector").path("matchLabels")), rules);
    }
    return found;
  }

  private static String peer(JsonNode peer) {
    JsonNode pods = peer.path("podSelector").path("matchLabels");
    if (pods.has("app.kubernetes.io/component")) {
      return component(pods);
    }
    JsonNode namespaces = peer.path("namespaceSelector").path("matchLabels");
    return Stream.concat(stream(namespaces), stream(pods))
        .map(JsonNode::asText)
        .reduce((a, b) -> a + "/" + b)
        .orElse("");
  }

  @Test
  void noSecretIsMadeAndEachIsMountedWhereItIsReadAlone() throws IOException {
    Manifests manifests = Chart.render("keys", "catalog", "tls", "jwt-file");
    assertEquals(List.of(), manifests.ofKind("Secret"));
    TreeMap<String, Set<String>> used = new TreeMap<>();
    for (Pod pod : manifests.pods()) {
      used.put(pod.component(), secrets(pod));
    }
    assertEquals(Set.of("test-token", "wings-tls"), used.remove("test"));
    Set<String> roles = Set.of("wings-cluster", "wings-cluster-tls");
    String[] clients = {"wings-tokens", "wings-tls", "client-authority", "issuer-keys"};
    Set<String> store = with(roles, "s3-keys");
    Set<String> tenants = with(store, "main-catalog", "other-catalog");
    assertEquals(
        new TreeMap<>(
            Map.of(
                "load-balancer", with(with(roles, "s3-grants-keys"), clients),
                "ingestor", tenants,
                "worker", tenants,
                "catalog", with(tenants, clients),
                "broker", with(roles, "s3-queue-keys"))),
        used);
  }

  private static Set<String> with(Set<String> some, String... more) {
    Set<String> all = new TreeSet<>(some);
    all.addAll(List.of(more));
    return all;
  }

  private static Set<String> secrets(Pod pod) {
    Set<String> found = new TreeSet<>();
    for (JsonNode volume : pod.spec().path("volumes")) {
      if (volume.has("secret")) {
        found.add(volume.path("secret").path("secretName").asText());
      }
      if (volume.has("configMap")) {
        found.add(volume.path("configMap").path("name").asText());
      }
    }
    pod.environment()
        .values()
        .forEach(
            variable -> {
              JsonNode reference = variable.path("valueFrom").path("secretKeyRef");
              if (reference.has("name")) {
                found.add(reference.path("name").asText());
              }
            });
    return found;
  }

  /**
   * A load balancer that was broken into reads what is granted, a broker has the queue, and neither
   * anything else of the store.
   */
  @Test
  void loadBalancersAndBrokersHaveIdentitiesOfTheirOwn() throws IOException {
    Map<String, String> own = Map.of("load-balancer", "-grants", "broker", "-queue");
    Manifests manifests = Chart.render("irsa");
    for (Pod pod : manifests.pods()) {
      assertFalse(pod.spec().path("automountServiceAccountToken").asBoolean(true));
      String account = pod.spec().path("serviceAccountName").asText();
      boolean shared = !own.containsKey(pod.component());
      assertEquals(Chart.NAME + (shared ? "" : "-" + pod.component()), account, pod.component());
      List<String> roles =
          manifests.ofKind("ServiceAccount").stream()
              .filter(each -> name(each).equals(account))
              .map(each -> each.path("metadata").path("annotations"))
              .map(annotations -> annotations.path("eks.amazonaws.com/role-arn").asText())
              .toList();
      assertEquals(
          List.of("arn:aws:iam::111122223333:role/wings" + own.getOrDefault(pod.component(), "")),
          roles);
    }
    Manifests azure = Chart.render("azure");
    assertTrue(azure.pod("worker").spec().path("automountServiceAccountToken").asBoolean());
    assertEquals("true", azure.pod("worker").labels().path("azure.workload.identity/use").asText());
  }

  @Test
  void whoReadsTenantsSecretsKnowsTheAuthorityOfTheirCatalogs() throws IOException {
    for (Pod pod : Chart.render("authority").rolePods()) {
      boolean opens = List.of("ingestor", "worker", "catalog").contains(pod.component());
      assertEquals(opens, secrets(pod).contains("company-ca"), pod.component());
      assertEquals(opens, pod.environment().containsKey("WINGS_CATALOG_CA_FILE"));
      if (opens) {
        assertEquals("/etc/wings/catalog-ca/root.pem", pod.variable("WINGS_CATALOG_CA_FILE"));
      }
    }
  }

  @Test
  void whoReadsTenantsSecretsReachesCatalogsInPlaintextOnlyIfAskedTo() throws IOException {
    for (Pod pod : Chart.render("plaintext-catalogs").rolePods()) {
      boolean opens = List.of("ingestor", "worker", "catalog").contains(pod.component());
      assertEquals(opens, pod.environment().containsKey("WINGS_CATALOG_HTTP"), pod.component());
      if (opens) {
        assertEquals("true", pod.variable("WINGS_CATALOG_HTTP"));
      }
    }
    for (Pod pod : Chart.render("authority").rolePods()) {
      assertFalse(pod.environment().containsKey("WINGS_CATALOG_HTTP"), pod.component());
    }
  }

  @Test
  void withoutGrantsALoadBalancerHasNothingOfTheStore() throws IOException {
    for (String values : List.of("open", "jwt")) {
      Pod balancer = Chart.render("keys", values).pod("load-balancer");
      assertEquals(
          Set.of("WINGS_CLUSTER_TOKEN_FILE", "WINGS_HEAP", "WINGS_JAVA_OPTS"),
          balancer.environment().keySet());
    }
    assertTrue(Chart.render("keys").pod("load-balancer").environment().containsKey("WINGS_STORE"));
  }

  @Test
  void anAutoscaledRoleHasNoNumberOfItsOwn() throws IOException {
    Manifests scaled = Chart.render("scaling");
    for (String role : List.of("load-balancer", "worker")) {
      assertTrue(scaled.of("Deployment", role).path("spec").path("replicas").isMissingNode());
      JsonNode scaler = scaled.of("HorizontalPodAutoscaler", role).path("spec");
      assertEquals(Chart.NAME + "-" + role, scaler.path("scaleTargetRef").path("name").asText());
      assertEquals(2, scaler.path("minReplicas").asInt());
      assertEquals(
          70, scaler.at("/metrics/0/resource/target/averageUtilization").asInt(), scaler::toString);
    }
    assertEquals(2, scaled.of("Deployment", "ingestor").path("spec").path("replicas").asInt());
    assertEquals(List.of(), Chart.render().ofKind("HorizontalPodAutoscaler"));
  }

  @Test
  void workersScaleByBacklogWhereItIsMeasured() throws IOException {
    JsonNode metric =
        Chart.render("backlog").of("HorizontalPodAutoscaler", "worker").at("/spec/metrics/0");
    assertEquals("External", metric.path("type").asText());
    assertEquals(
        "wings_broker_oldest_runnable_seconds", metric.at("/external/metric/name").asText());
    assertEquals("a", metric.at("/external/metric/selector/matchLabels/cluster").asText());
    assertEquals("30", metric.at("/external/target/value").asText());
  }

  @Test
  void whereThePrometheusOperatorIsItFindsTheMetricsOfAllPods() throws IOException {
    assertEquals(List.of(), Chart.render().ofKind("ServiceMonitor"));
    Manifests manifests = Chart.render("monitor");
    JsonNode monitor = manifests.of("ServiceMonitor", "metrics");
    assertEquals("prometheus", monitor.at("/metadata/labels/release").asText());
    JsonNode service = manifests.of("Service", "metrics");
    monitor
        .at("/spec/selector/matchLabels")
        .properties()
        .forEach(
            wanted ->
                assertEquals(
                    wanted.getValue(), service.at("/metadata/labels").get(wanted.getKey())));
    assertEquals(
        monitor.at("/spec/endpoints/0/port").asText(), service.at("/spec/ports/0/name").asText());
  }

  @Test
  void metricsThatAreServedByTlsAreReadByTls() throws IOException {
    Manifests manifests = Chart.render("metrics-tls");
    for (Pod pod : manifests.rolePods()) {
      assertEquals("/etc/wings/metrics-tls/tls.crt", pod.argument("--http-tls-cert"));
      assertTrue(secrets(pod).contains("wings-metrics-tls"), pod.component());
    }
    JsonNode endpoint =
        manifests.of("ServiceMonitor", "metrics").path("spec").path("endpoints").path(0);
    assertEquals("https", endpoint.path("scheme").asText());
    assertEquals("metrics.example", endpoint.at("/tlsConfig/serverName").asText());
    assertEquals("wings-metrics-tls", endpoint.at("/tlsConfig/ca/secret/name").asText());
  }

  @Test
  void metricsThatAreToldToWhoShowsATokenAreReadWithOne() throws IOException {
    Manifests manifests = Chart.render("metrics-tokens");
    for (Pod pod : manifests.rolePods()) {
      assertEquals(
          "/etc/wings/metrics-tokens/scrapers.jsonl", pod.argument("--metrics-tokens-file"));
      assertTrue(secrets(pod).contains("metrics-tokens"), pod.component());
      assertFalse(secrets(pod).contains("prometheus-token"), pod.component());
    }
    JsonNode shown =
        manifests.of("ServiceMonitor", "metrics").at("/spec/endpoints/0/authorization");
    assertEquals("Bearer", shown.path("type").asText());
    assertEquals("prometheus-token", shown.at("/credentials/name").asText());
    assertEquals("bearer", shown.at("/credentials/key").asText());
    JsonNode open = Chart.render("monitor").of("ServiceMonitor", "metrics");
    assertTrue(open.at("/spec/endpoints/0/authorization").isMissingNode());
  }

  @Test
  void aDigestTakesThePlaceOfATag() throws IOException {
    assertEquals(
        "registry.example/wings@sha256:"
            + "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
        Chart.render("placed").pods().getFirst().container().path("image").asText());
  }
}
