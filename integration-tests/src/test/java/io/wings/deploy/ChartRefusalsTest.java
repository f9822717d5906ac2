package io.wings.deploy;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the chart doesn't render, over the least that it does. */
class ChartRefusalsTest {
  @TempDir private Path directory;

  /** Values, and what the refusal names. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        // Without it there is no cluster, or none that is known.
        "image: {repository: ''}|/image/repository",
        "store: {address: ''}|/store/address",
        "store: {address: /var/lib/wings}|/store/address",
        "store: {address: gs://bucket/wings}|/store/address",
        "clusterToken: {secretName: ''}|/clusterToken/secretName",
        // Who may connect has to be said, and only once.
        "auth: {tokens: {secretName: ''}}|auth: say who may connect",
        "auth: {open: true}|auth.open: true lets everybody in",
        "auth: {jwt: {issuer: a}}|auth.jwt.audiences: is missing",
        "auth: {jwt: {keysUrl: 'https://a/b'}}|auth.jwt.issuer: is missing",
        "auth: {jwt: {issuer: a, audiences: [b]}}|auth.jwt.keysUrl or auth.jwt.keysConfigMap",
        "auth: {jwt: {issuer: a, audiences: [b], keysUrl: 'https://a', keysConfigMap: c}}"
            + "|auth.jwt: both keysUrl and keysConfigMap",
        "auth: {jwt: {issuer: a, audiences: [b], keysUrl: 'http://a'}}|/auth/jwt/keysUrl",
        "catalog: {enabled: true, open: true}|open",
        // Tokens and rows don't leave the cluster in the clear.
        "loadBalancer: {service: {type: LoadBalancer}}|loadBalancer.service.type",
        "loadBalancer: {service: {type: NodePort}}|/loadBalancer/service/type",
        "tls: {clients: {authoritySecretName: a}}|tls.clients.authoritySecretName: needs",
        "tls: {clients: {secretName: a, authoritySecretName: a}}"
            + "|tls.clients.authoritySecretName: a holds",
        "tls: {clients: {secretName: a, authoritySecretName: b}, cluster: {secretName: b}}"
            + "|tls.clients.authoritySecretName: b holds",
        // One pod can't be replaced without interrupting clients.
        "loadBalancer: {replicas: 1}|loadBalancer.replicas",
        "ingestor: {replicas: 1}|ingestor.replicas",
        "broker: {replicas: 1}|broker.replicas",
        "loadBalancer: {autoscaling: {enabled: true, minReplicas: 1}}"
            + "|loadBalancer.autoscaling.minReplicas",
        "worker: {autoscaling: {enabled: true, minReplicas: 20}}|worker.autoscaling.maxReplicas",
        // Prometheus reads what it may.
        "{metrics: {tokens: {secretName: a}}, serviceMonitor: {enabled: true}}"
            + "|serviceMonitor.token.secretName",
        "serviceMonitor: {enabled: true, token: {secretName: a}}|metrics.tokens.secretName",
        "metrics: {tokens: {value: a}}|value",
        "tenants: {authority: {file: a}}|file",
        // Less than it needs.
        "worker: {memoryLimitMiB: 2048}|worker.memoryLimitMiB",
        "ingestor: {heapMiB: 8192, memoryLimitMiB: 9000}|ingestor.memoryLimitMiB",
        "broker: {heapMiB: 64}|/broker/heapMiB",
        "worker: {scratchGiB: 7}|worker.scratchGiB",
        "ingestor: {preStopSeconds: 0}|/ingestor/preStopSeconds",
        // Neither secrets nor what nobody reads.
        "store: {keys: {secret: s}}|secret",
        "clusterToken: {value: s}|value",
        "worker: {extraEnv: [a]}|extraEnv",
        "podSecurity: {runAsUser: 0}|/podSecurity/runAsUser",
        "podSecurity: {runAsNonRoot: false}|runAsNonRoot",
        "store: {endpoint: 'https://key:secret@s3.example'}|/store/endpoint",
        "serviceAccount: {create: false}|serviceAccount.name",
        "serviceAccount: {create: false, name: a, loadBalancer: {name: b}}|serviceAccount.broker.name",
      })
  void refusesAnUnsafeShapeAndNamesTheKey(String values, String named) throws IOException {
    assertRefused(values, named);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        // What would have no effect isn't what was meant.
        "loadBalancer: {service: {loadBalancerSourceRanges: [10.0.0.0/8]}}"
            + "|loadBalancer.service.loadBalancerSourceRanges",
        "worker: {autoscaling: {backlog: {metric: a}}}|worker.autoscaling.backlog.metric",
        "tests: {authority: {secretName: a}}|tests.authority",
        // A tenant's pointer leads to tenants' secrets alone.
        "{clusterToken: {secretName: a}, tenants: {secrets: [a]}}|tenants.secrets",
        // The tag has a key of its own.
        "image: {repository: 'registry.example/wings:1'}|/image/repository",
        "image: {repository: 'registry.example/wings@sha256:12'}|/image/repository",
      })
  void refusesWhatWasNotMeantSo(String values, String named) throws IOException {
    assertRefused(values, named);
  }

  private void assertRefused(String values, String named) throws IOException {
    Path file = Files.writeString(directory.resolve("values.yaml"), values);
    String said =
        assertThrows(IllegalStateException.class, () -> Chart.render(List.of(file))).getMessage();
    assertTrue(said.contains(named), said);
  }

  /** What every chart has to take. */
  @Test
  void takesGlobalValuesOfAnUmbrella() throws IOException {
    Path file = Files.writeString(directory.resolve("values.yaml"), "global: {any: thing}");
    assertTrue(Chart.render(List.of(file)).all().size() > 5);
  }

  /** The preStop hook `sleep` isn't there before. */
  @Test
  void refusesAKubernetesThatIsTooOld() {
    String said =
        assertThrows(IllegalStateException.class, () -> Chart.text("1.29.9", List.of()))
            .getMessage();
    assertTrue(said.contains("1.30"), said);
  }
}
