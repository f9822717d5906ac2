package io.wings.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.wings.cli.client.WingsClient;
import io.wings.common.auth.TestTokens;
import io.wings.common.objectstore.ObjectHead;
import io.wings.common.objectstore.ObjectStore;
import io.wings.common.objectstore.ObjectStores;
import io.wings.common.objectstore.StoreOptions;
import io.wings.common.objectstore.s3.S3ProxyServer;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Secrets, and what one tenant's rows say, are planted in a run with two tenants and looked for in
 * all that the run leaves: logs, errors, metrics, thread dumps and objects.
 */
@Tag("long")
@Timeout(300)
class PlantedSecretsTest {
  private static final String TOKEN = "planted-token-6b1f";
  private static final String GUESSED = "planted-guess-77aa";
  private static final String ROW = "planted-row-of-main-0c3d";
  private static final String OTHERS_ROW = "planted-row-of-other-91ee";
  private static final String REFUSED_ROW = "planted-row-refused-5d20";

  @TempDir private Path directory;
  private TestCluster cluster;
  private WingsProcess balancer;

  /** What was found, by where. */
  private final Map<String, String> said = new TreeMap<>();

  private void start(S3ProxyServer server) throws Exception {
    cluster = new TestCluster(directory, server);
    Map<String, String> other = cluster.properties();
    other.put("warehouse", server.address("warehouse-of-other"));
    Path secret =
        Files.writeString(
            directory.resolve("other.json"), WingsClient.JSON.writeValueAsString(other));
    admin("tenant", "add", "other", "--secret", "file://" + secret);
    for (String catalog : List.of("main", "other")) {
      admin("grant", "add", "--principal", "loader", "--catalog", catalog, "create", "write");
    }
    WingsProcess _ = cluster.broker();
    WingsProcess ingestor = cluster.ingestor("ingestor", "--flush-interval", "100ms");
    WingsProcess _ = cluster.worker("worker");
    WingsProcess _ = cluster.start("catalog", "catalog", "--open", "--listen", "127.0.0.1:0");
    Path tokens = TestTokens.file(directory, TestTokens.line("loader", TOKEN));
    balancer =
        cluster.start(
            "load-balancer",
            "load-balancer",
            "--listen",
            "127.0.0.1:0",
            "--ingestors",
            ingestor.address(),
            "--tokens-file",
            tokens.toString());
  }

  private void admin(String... arguments) throws IOException, InterruptedException {
    WingsProcess.Ended ended = cluster.admin(arguments);
    said.put("output of wings " + arguments[0], ended.out() + ended.err());
    assertEquals(0, ended.code(), ended.err());
  }

  private DevCommands.Ended client(String token, String... arguments) throws IOException {
    List<String> all = new ArrayList<>(Arrays.asList(arguments));
    all.addAll(List.of("--server", "grpc://" + balancer.address()));
    all.addAll(
        List.of("--token-file", Files.writeString(directory.resolve("token"), token).toString()));
    DevCommands.Ended ended = DevCommands.run(all.toArray(String[]::new));
    said.put(
        "output %d of wings %s".formatted(said.size(), arguments[0]), ended.out() + ended.err());
    return ended;
  }

  private Path csv(String name, String row) throws IOException {
    return Files.writeString(directory.resolve(name), "id,city\n1," + row + "\n");
  }

  private void use() throws Exception {
    for (Map.Entry<String, String> each : Map.of("main", ROW, "other", OTHERS_ROW).entrySet()) {
      String table = each.getKey() + ".shop.orders";
      DevCommands.Ended stored =
          client(
              TOKEN,
              "ingest",
              "--create",
              "--table",
              table,
              csv(each.getKey() + ".csv", each.getValue()).toString());
      assertEquals(0, stored.code(), stored.err());
    }
    String orders = csv("again.csv", ROW).toString();
    assertNotEquals(0, client(GUESSED, "table", "list").code());
    assertNotEquals(0, client(TOKEN, "ingest", "--table", "main.shop.none", orders).code());
    Path typed =
        Files.writeString(directory.resolve("typed.csv"), "id,city\n" + REFUSED_ROW + ",1\n");
    assertNotEquals(
        0, client(TOKEN, "ingest", "--table", "main.shop.orders", typed.toString()).code());
    String strict = "main.shop.strict";
    DevCommands.Ended made =
        client(
            TOKEN,
            "table",
            "create",
            strict,
            "--column",
            "id long required",
            "--column",
            "city string");
    assertEquals(0, made.code(), made.err());
    Path holed = Files.writeString(directory.resolve("holed.csv"), "id,city\n1,a\n," + REFUSED_ROW);
    assertNotEquals(0, client(TOKEN, "ingest", "--table", strict, holed.toString()).code());
  }

  private void lookAt(S3ProxyServer server) throws Exception {
    try (HttpClient http = HttpClient.newHttpClient()) {
      for (WingsProcess process : cluster.processes()) {
        said.put("log of " + process.pid(), process.log());
        said.put("thread dump of " + process.pid(), process.threadDump());
        for (String path : List.of("metrics", "readyz", "livez", "nothing")) {
          URI uri =
              URI.create(
                  "http://127.0.0.1:%d/%s"
                      .formatted(process.ready().path("http_port").asInt(), path));
          said.put(
              uri.toString(),
              http.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString())
                  .body());
        }
      }
    }
    objects(cluster.address(), server.options());
    objects(server.address("warehouse"), server.options());
    objects(server.address("warehouse-of-other"), server.options());
  }

  private void objects(String address, StoreOptions options) throws IOException {
    try (ObjectStore store = ObjectStores.open(address, options)) {
      Iterator<ObjectHead> all = store.list("", "");
      while (all.hasNext()) {
        String key = all.next().key();
        byte[] bytes = store.get(key).orElseThrow().bytes();
        said.put(address + "/" + key, new String(bytes, StandardCharsets.ISO_8859_1));
      }
    }
  }

  private List<String> whereIs(String planted) {
    return said.entrySet().stream()
        .filter(each -> (each.getKey() + each.getValue()).contains(planted))
        .map(Map.Entry::getKey)
        .toList();
  }

  private void awaitRowsInTables(S3ProxyServer server) throws Exception {
    for (int i = 0; i < 300; i++) {
      said.clear();
      objects(server.address("warehouse"), server.options());
      objects(server.address("warehouse-of-other"), server.options());
      if (!whereIs(ROW).isEmpty() && !whereIs(OTHERS_ROW).isEmpty()) {
        return;
      }
      Thread.sleep(100);
    }
    throw new AssertionError("the rows are in no file: " + said.keySet());
  }

  @Test
  void nothingIsFoundWhereItDoesntBelong() throws Exception {
    try (S3ProxyServer server = S3ProxyServer.start()) {
      start(server);
      use();
      Map<String, String> outputs = new TreeMap<>(said);
      awaitRowsInTables(server);
      said.putAll(outputs);
      lookAt(server);
      String s3 = server.options().credentials().orElseThrow().secretAccessKey();
      for (String secret :
          List.of(TOKEN, GUESSED, REFUSED_ROW, s3, Files.readString(cluster.token()))) {
        assertEquals(List.of(), whereIs(secret));
      }
      assertOnlyAt(ROW, cluster.address() + "/catalogs/main/", server.address("warehouse") + "/");
      assertOnlyAt(
          OTHERS_ROW,
          cluster.address() + "/catalogs/other/",
          server.address("warehouse-of-other") + "/");
    } finally {
      if (cluster != null) {
        cluster.close();
      }
    }
  }

  /** In the tenant's log and in its table, which shows that the search finds what is there. */
  private void assertOnlyAt(String row, String log, String table) {
    List<String> found = whereIs(row);
    assertTrue(found.stream().anyMatch(where -> where.startsWith(log)), found::toString);
    assertTrue(found.stream().anyMatch(where -> where.startsWith(table)), found::toString);
    List<String> elsewhere =
        found.stream().filter(where -> !where.startsWith(log) && !where.startsWith(table)).toList();
    assertEquals(List.of(), elsewhere);
  }
}
