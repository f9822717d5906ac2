package io.wings.deploy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.wings.cli.client.WingsClient;
import io.wings.common.auth.TestTokens;
import io.wings.common.objectstore.StoreOptions;
import io.wings.common.objectstore.s3.S3ProxyServer;
import io.wings.common.tls.TestAuthority;
import io.wings.engines.Python;
import io.wings.process.WingsProcess;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;

/**
 * The image's tree as the chart's containers run it, by its entry point: nobody may write to it,
 * the environment is the pod's and nothing else, and where the tests run as root, the user is the
 * image's, who has no entry in the password file.
 */
@Tag("long")
@ResourceLock("target/image")
@Timeout(600)
class ImageRolesTest {
  private static final int STOPPED = 143;
  private static final int USAGE = 2;
  private static final int ROWS = 1_000;
  private static final long READY_NANOS = TimeUnit.SECONDS.toNanos(90);

  /** Of the image's user. */
  private static final String UID = "65532";

  private static final boolean ROOT =
      ProcessHandle.current().info().user().orElse("").equals("root");

  @TempDir private Path directory;

  private final Deque<WingsProcess> roles = new ArrayDeque<>();
  private Path program = Path.of("");

  @BeforeEach
  void copyTheTreeAndTakeItsPermissionToWrite() throws Exception {
    Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
    Path root = directory.resolve("root");
    system("cp", "-a", ImageTree.assembled().toString(), root.toString());
    system("chmod", "-R", "a-w", root.toString());
    program = root.resolve("opt/wings/bin/wings");
  }

  @AfterEach
  void stopAndGiveItBack() throws Exception {
    while (!roles.isEmpty()) {
      roles.pop().close();
    }
    system("chmod", "-R", "u+w", directory.toString());
  }

  @Test
  void argumentsAndExitCodesPassTheEntryPoint() throws Exception {
    assertEquals(USAGE, run(List.of(), List.of("no-such-command")).code());
    WingsProcess.Ended refused =
        run(List.of(), List.of("table", "list", "--token-file", "no such file"));
    assertEquals(3, refused.code());
    assertTrue(refused.err().contains("no such file can't be read"), refused.err());
    assertEquals(0, run(List.of(), List.of("worker", "--help")).code());
  }

  /** Section 12: arguments and variables are the chart's, to the letter but for places. */
  @Test
  void theChartsRolesServeAPyarrowClientByTlsAndTokenFromATreeThatTheyCantWriteTo()
      throws Exception {
    List<String> touch = new ArrayList<>(user());
    touch.addAll(List.of("touch", program.resolveSibling("new").toString()));
    assumeTrue(
        WingsProcess.run(new ProcessBuilder(touch), directory).code() != 0,
        "this user can write everywhere");
    try (S3ProxyServer store = S3ProxyServer.start()) {
      LocalPods pods =
          new LocalPods(
              Chart.render(List.of(values(store))), directory.resolve("pods"), secrets(store));
      for (String role : List.of("broker", "ingestor", "worker")) {
        start(pods, role);
      }
      // As docs/operations.md says, in a worker.
      operate(pods, "tenant add main --secret file:///etc/wings/tenants/main-catalog/catalog.json");
      operate(pods, "grant add --principal loader --catalog main create write read");
      // Last, since they read grants when they start, and then every few seconds.
      for (String role : List.of("catalog", "load-balancer")) {
        start(pods, role);
      }
      for (WingsProcess role : roles) {
        awaitReady(role);
      }

      clientWritesAndReads(pods, store);
      WingsProcess.Ended helmTest = run(pods.environment("test"), pods.arguments("test"));
      assertEquals(0, helmTest.code(), helmTest.err());
      assertTrue(helmTest.out().contains("main.shop.orders"), helmTest.out());
    }
    for (WingsProcess role : roles) {
      assertRunsAsTheImagesUser(role);
      role.terminate();
      assertEquals(STOPPED, role.awaitExit(), role::toString);
    }
  }

  private Path values(S3ProxyServer store) throws IOException {
    return Files.writeString(
        directory.resolve("values.yaml"),
        """
        store: {address: "%s", endpoint: "%s", region: us-east-1, pathStyle: true, keys: {secretName: s3-keys}}
        tls: {cluster: {secretName: wings-cluster-tls}, clients: {secretName: wings-tls}}
        tests: {token: {secretName: test-token}, authority: {secretName: wings-tls}}
        catalog: {enabled: true}
        tenants: {secrets: [main-catalog]}
        """
            .formatted(store.address("cluster"), store.endpoint()));
  }

  /** What the chart's values name, as an operator makes it. */
  private Map<String, Map<String, String>> secrets(S3ProxyServer store) throws Exception {
    StoreOptions.Credentials key = store.options().credentials().orElseThrow();
    String catalog = WingsClient.JSON.writeValueAsString(catalog(store));
    return Map.of(
        "wings-cluster",
        Map.of("token", "of-the-test"),
        "wings-tokens",
        Map.of("tokens.jsonl", TestTokens.line("loader", "loads")),
        "test-token",
        Map.of("token", "loads"),
        "main-catalog",
        Map.of("catalog.json", catalog),
        "s3-keys",
        Map.of(
            "AWS_ACCESS_KEY_ID", key.accessKeyId(), "AWS_SECRET_ACCESS_KEY", key.secretAccessKey()),
        "wings-cluster-tls",
        certificate("the cluster's", "wings"),
        "wings-tls",
        certificate("a company's", "localhost"));
  }

  private static Map<String, String> catalog(S3ProxyServer store) {
    StoreOptions.Credentials key = store.options().credentials().orElseThrow();
    return Map.of(
        "type", "wings",
        "warehouse", store.address("warehouse"),
        "s3.endpoint", store.endpoint().toString(),
        "client.region", "us-east-1",
        "s3.path-style-access", "true",
        "s3.access-key-id", key.accessKeyId(),
        "s3.secret-access-key", key.secretAccessKey());
  }

  /** As cert-manager makes it: tls.crt, tls.key, ca.crt. */
  private Map<String, String> certificate(String authority, String name) throws IOException {
    Path files = directory.resolve("certificate-of-" + name);
    var _ = new TestAuthority(authority).issue(files, name, name);
    Map<String, String> secret = new TreeMap<>();
    for (String file : List.of("tls.crt", "tls.key", "ca.crt")) {
      secret.put(file, Files.readString(files.resolve(file)));
    }
    return secret;
  }

  private void start(LocalPods pods, String role) throws IOException {
    roles.push(
        WingsProcess.start(
            wings(pods.environment(role), pods.arguments(role)), directory.resolve(role + ".log")));
  }

  /** Runs a command in a worker's pod, with a small heap. */
  private void operate(LocalPods pods, String command) throws Exception {
    List<String> environment = new ArrayList<>(pods.environment("worker"));
    environment.add("WINGS_HEAP=128m");
    WingsProcess.Ended ended = run(environment, pods.arguments("worker", command.split(" ")));
    assertEquals(0, ended.code(), command + ": " + ended.err());
  }

  private void clientWritesAndReads(LocalPods pods, S3ProxyServer store) throws Exception {
    Map<String, String> properties = new TreeMap<>(catalog(store));
    properties.keySet().removeAll(List.of("type", "warehouse"));
    properties.put("s3.region", "us-east-1");
    Python.Ended client =
        Python.run(
            directory,
            script(),
            "grpc+tls://" + pods.address(8815),
            pods.file("load-balancer", "/etc/wings/tls/ca.crt").toString(),
            pods.file("test", "/etc/wings/token/token").toString(),
            "https://" + pods.address(8181),
            WingsClient.JSON.writeValueAsString(properties),
            Integer.toString(ROWS));
    assertEquals(0, client.code(), client.output());
    assertEquals(Integer.toString(ROWS), client.output().lines().toList().getLast());
  }

  private static String script() throws IOException {
    try (InputStream in =
        Objects.requireNonNull(ImageRolesTest.class.getResourceAsStream("chart_client.py"))) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  /** As the kubelet asks. */
  private static void awaitReady(WingsProcess role) throws Exception {
    long deadline = System.nanoTime() + READY_NANOS;
    URI probe =
        URI.create("http://127.0.0.1:" + role.ready().path("http_port").asInt() + "/readyz");
    try (HttpClient client = HttpClient.newHttpClient()) {
      HttpRequest get = HttpRequest.newBuilder(probe).build();
      HttpResponse<String> answer = client.send(get, HttpResponse.BodyHandlers.ofString());
      while (answer.statusCode() != 200) {
        assertTrue(System.nanoTime() < deadline, answer.body() + role.log());
        Thread.sleep(100);
        answer = client.send(get, HttpResponse.BodyHandlers.ofString());
      }
    }
  }

  private static void assertRunsAsTheImagesUser(WingsProcess role) throws IOException {
    assertTrue(
        Files.readSymbolicLink(Path.of("/proc/" + role.pid() + "/exe"))
            .endsWith("opt/wings/jre/bin/java"));
    if (ROOT) {
      List<String> status = Files.readAllLines(Path.of("/proc/" + role.pid() + "/status"));
      String uids = String.join("\t", "Uid:", UID, UID, UID, UID);
      assertTrue(status.contains(uids), status::toString);
    }
  }

  private WingsProcess.Ended run(List<String> environment, List<String> arguments)
      throws IOException, InterruptedException {
    return WingsProcess.run(wings(environment, arguments), directory);
  }

  private ProcessBuilder wings(List<String> environment, List<String> arguments) {
    List<String> command = new ArrayList<>(user());
    command.addAll(List.of("env", "-i", "PATH=/usr/bin:/bin"));
    command.addAll(environment);
    command.add(program.toString());
    command.addAll(arguments);
    return new ProcessBuilder(command).directory(Path.of("/").toFile());
  }

  private static List<String> user() {
    return ROOT
        ? List.of("setpriv", "--reuid=" + UID, "--regid=" + UID, "--clear-groups", "--no-new-privs")
        : List.of();
  }

  private void system(String... command) throws IOException, InterruptedException {
    WingsProcess.Ended ended = WingsProcess.run(new ProcessBuilder(command), directory);
    assertEquals(0, ended.code(), ended.err());
  }
}
