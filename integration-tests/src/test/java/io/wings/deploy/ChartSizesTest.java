package io.wings.deploy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.wings.common.config.HostPort;
import io.wings.common.flight.ClusterIdentity;
import io.wings.deploy.Manifests.Pod;
import io.wings.ingestor.IngestorSettings;
import io.wings.ingestor.lane.LaneSettings;
import io.wings.loadbalancer.LoadBalancerSettings;
import io.wings.loadbalancer.proxy.ProxyLimits;
import io.wings.worker.WorkerSettings;
import io.wings.worker.lease.LeaseSettings;
import io.wings.worker.materialize.MaterializeSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Memory, disk and time that the chart gives, and what the program's own limits ask for. */
class ChartSizesTest {
  private static final long MIB = 1L << 20;
  private static final long SLACK_MIB = 64;

  /** What a role does between SIGTERM and its end that has a limit of its own. */
  private static final Duration ENDING_CONNECTIONS = Duration.ofSeconds(4);

  private static final Duration LOAD_BALANCERS_ANSWERS = Duration.ofSeconds(10);

  @Test
  void aPodsMemoryIsHeapAndDirectMemoryAndEnginesAndOverhead() throws IOException {
    Map<String, Long> direct =
        Map.of(
            "load-balancer", loadBalancerDirect(),
            "ingestor", ingestorDirect(),
            "worker", workerDirect(),
            "broker", 0L,
            "catalog", 0L);
    for (Pod pod : Chart.render("catalog").rolePods()) {
      long heap = mebibytes(pod.variable("WINGS_HEAP"), "m");
      long buffers = direct.get(pod.component()) / MIB + SLACK_MIB;
      long engines = pod.component().equals("worker") ? enginesMib() : 0;
      assertTrue(
          pod.variable("WINGS_JAVA_OPTS").contains("-XX:MaxDirectMemorySize=" + buffers + "m"),
          pod::toString);
      assertEquals(heap + buffers + engines + 256 + heap / 10, limit(pod), pod.component());
      assertTrue(
          sizing()
              .contains(
                  "| %s | %d | %d | %d | %d | %d |"
                      .formatted(
                          pod.component().replace('-', ' '),
                          heap,
                          buffers,
                          engines,
                          256 + heap / 10,
                          limit(pod))),
          () -> pod.component() + " in docs/operations.md");
      assertEquals(
          pod.container().at("/resources/limits/memory"),
          pod.container().at("/resources/requests/memory"));
    }
  }

  private static String sizing() throws IOException {
    return Files.readString(Chart.ROOT.resolve("docs/operations.md"));
  }

  private static long loadBalancerDirect() {
    return ProxyLimits.DEFAULT.buffer().bytes() + ProxyLimits.DEFAULT.tenantBuffer().bytes();
  }

  private static long ingestorDirect() {
    IngestorSettings settings = ingestor();
    return 2L
            * settings.decoding()
            * (settings.streams().bodyBytes() + settings.streams().batchBytes())
        + settings.dictionaries().bytes()
        + settings.inbound().bytes();
  }

  private static IngestorSettings ingestor() {
    return IngestorSettings.of(
        new HostPort("localhost", 1), new ClusterIdentity("0".repeat(32)), LaneSettings.of("i"));
  }

  private static long workerDirect() {
    return WorkerSettings.DEFAULT_SLOTS * MaterializeSettings.DEFAULT.decodeBytes();
  }

  /** DuckDB's limit, and a quarter of it that DuckDB doesn't count. */
  private static long enginesMib() {
    return WorkerSettings.DEFAULT_SLOTS
        * WorkerSettings.DEFAULT_ENGINE_MEMORY.bytes()
        * 5
        / 4
        / MIB;
  }

  private static long limit(Pod pod) {
    return mebibytes(pod.container().at("/resources/limits/memory").asText(), "Mi");
  }

  private static long mebibytes(String text, String unit) {
    assertTrue(text.endsWith(unit), text);
    return Long.parseLong(text.substring(0, text.length() - unit.length()));
  }

  @Test
  void anIngestorsHeapHoldsTheBatchesThatWait() throws IOException {
    long heap = mebibytes(Chart.render().pod("ingestor").variable("WINGS_HEAP"), "m");
    assertTrue(heap * MIB >= 3 * LaneSettings.of("i").processBufferBytes(), heap + " MiB");
  }

  @Test
  void aLimitThatIsGivenIsTaken() throws IOException {
    assertEquals(16384, limit(Chart.render("placed").pod("worker")));
  }

  @Test
  void scratchSpaceHoldsWhatTheEnginesMayUse() throws IOException {
    long engines = WorkerSettings.DEFAULT_SLOTS * WorkerSettings.DEFAULT_ENGINE_DISK.bytes();
    assertTrue(scratchGib(Chart.render()) * 1024 * MIB >= engines);
    assertEquals(100, scratchGib(Chart.render("placed")));
    // What the chart refuses to go below.
    assertEquals(8, engines / MIB / 1024);
  }

  private static long scratchGib(Manifests manifests) {
    for (JsonNode volume : manifests.pod("worker").spec().path("volumes")) {
      if (volume.path("name").asText().equals("scratch")) {
        return mebibytes(volume.at("/emptyDir/sizeLimit").asText(), "Gi");
      }
    }
    throw new AssertionError("no scratch space");
  }

  /** A pod that is killed before its role has ended interrupts clients. */
  @Test
  void kubernetesWaitsLongerThanARoleTakesToStop() throws IOException {
    Manifests usual = Chart.render("catalog");
    longer(
        usual.pod("load-balancer"),
        LoadBalancerSettings.DRAIN_GRACE.plus(LOAD_BALANCERS_ANSWERS).plus(ENDING_CONNECTIONS));
    Duration stop = ingestor().stopGrace();
    longer(usual.pod("ingestor"), stop.multipliedBy(2).plus(Duration.ofSeconds(6 + 1)));
    longer(usual.pod("worker"), LeaseSettings.of("w", 1).grace());
    longer(usual.pod("broker"), Duration.ofSeconds(3));
    longer(
        Chart.render("placed").pod("load-balancer"),
        Duration.ofMinutes(2).plus(LOAD_BALANCERS_ANSWERS).plus(ENDING_CONNECTIONS));
  }

  private static void longer(Pod pod, Duration stopping) {
    long preStop = pod.container().at("/lifecycle/preStop/sleep/seconds").asLong();
    long given = pod.spec().path("terminationGracePeriodSeconds").asLong();
    assertTrue(
        given >= preStop + stopping.toSeconds() + 10,
        "%s: %d s given, %d + %s s taken".formatted(pod.component(), given, preStop, stopping));
  }

  /**
   * Until everybody has heard that a pod goes, it serves; and a new one isn't counted before it is
   * heard of.
   */
  @Test
  void podsThatOthersLookUpOutliveTheLookUp() throws IOException {
    Manifests manifests = Chart.render();
    for (String role : List.of("load-balancer", "ingestor")) {
      Pod pod = manifests.pod(role);
      assertEquals(10, pod.container().at("/lifecycle/preStop/sleep/seconds").asInt());
      JsonNode spec = manifests.of("Deployment", role).path("spec");
      assertTrue(spec.path("minReadySeconds").asInt() >= 10);
      assertEquals(0, spec.at("/strategy/rollingUpdate/maxUnavailable").asInt(-1));
      assertTrue(pod.variable("WINGS_JAVA_OPTS").contains("-Dsun.net.inetaddr.ttl=5"));
    }
  }
}
