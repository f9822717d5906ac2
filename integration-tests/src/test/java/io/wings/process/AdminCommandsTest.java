package io.wings.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.wings.cli.Wings;
import io.wings.cli.client.WingsClient;
import io.wings.common.objectstore.Body;
import io.wings.common.objectstore.ObjectStore;
import io.wings.common.objectstore.ObjectStores;
import io.wings.common.objectstore.PutCondition;
import io.wings.common.objectstore.StoreOptions;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** The commands of an operator, against {@code wings dev} at work. */
class AdminCommandsTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @TempDir private static Path directory;
  private static WingsProcess dev;

  @BeforeAll
  static void startDev() throws IOException {
    dev =
        WingsProcess.start(
            directory,
            "dev",
            List.of(
                "dev",
                "--json",
                "--listen",
                "127.0.0.1:0",
                "--catalog",
                "127.0.0.1:0",
                "--flush-interval",
                "100ms"));
  }

  @AfterAll
  static void stopDev() {
    dev.close();
  }

  /** How a command ended. */
  private record Ended(int code, String out, String err) {
    JsonNode json() throws IOException {
      assertEquals(0, code, err);
      return WingsClient.JSON.readTree(out);
    }
  }

  private static Ended run(List<String> first, String... more) {
    List<String> all = new ArrayList<>(Arrays.asList(more));
    all.addAll(first);
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    CommandLine line = Wings.commandLine();
    line.setOut(new PrintWriter(out, true));
    line.setErr(new PrintWriter(err, true));
    return new Ended(line.execute(all.toArray(String[]::new)), out.toString(), err.toString());
  }

  private static Ended client(String... arguments) {
    return run(List.of("--server", "grpc://" + dev.address()), arguments);
  }

  private static Ended admin(String... arguments) {
    return run(List.of("--store", store().toString()), arguments);
  }

  private static Path store() {
    return directory.resolve("wings-data/cluster");
  }

  private static Path rows(String name, int first, int count) throws IOException {
    StringBuilder text = new StringBuilder("id\n");
    for (int id = first; id < first + count; id++) {
      text.append(id).append('\n');
    }
    return Files.writeString(directory.resolve(name), text);
  }

  private static JsonNode load(String table, Path file) throws IOException {
    return client("ingest", "--table", table, "--json", file.toString()).json();
  }

  private static JsonNode describe(String table) throws IOException {
    return client("table", "describe", table, "--json").json();
  }

  private static void awaitWatermark(String table, long number) throws Exception {
    long begun = System.nanoTime();
    while (describe(table).at("/watermarks/0").asLong() < number) {
      assertTrue(
          System.nanoTime() - begun < PATIENCE.toNanos(), () -> table + " stays below " + number);
      Thread.sleep(200);
    }
  }

  @Test
  void aTableThatGetsANewLogKeepsItsProducers() throws Exception {
    String table = "main.moved.t";
    Path first = rows("first.csv", 0, 10);
    client(
        "table",
        "create",
        table,
        "--column",
        "id long",
        "--property",
        "wings.commit-interval=200ms");
    load(table, first);
    String before = describe(table).path("incarnation").asText();

    assertTrue(admin("table", "adopt", table).out().contains("nothing was done"));
    assertTrue(admin("table", "adopt", table, "--again").err().contains("not-confirmed"));
    JsonNode adopted = admin("table", "adopt", table, "--again", "--yes", "--json").json();

    assertNotEquals(before, adopted.path("incarnation").asText());
    assertEquals(0, adopted.path("left_behind").size());
    assertEquals(10, load(table, first).path("rows_stored_before").asLong());
    assertEquals(5, load(table, rows("second.csv", 10, 5)).path("rows").asLong());
    assertEquals(adopted.path("incarnation"), describe(table).path("incarnation"));
    // 256 begins the incarnation, 257 opens the epochs and so on: all of it goes into the table.
    awaitWatermark(table, 258);
  }

  @Test
  void aTableThatNoNameLoadsIsForgottenWhenAPersonSaysSo() throws Exception {
    String table = "main.gone.t";
    client(
        "table", "create", table, "--column", "id long", "--property", "wings.commit-interval=1h");
    load(table, rows("gone.csv", 0, 10));
    String id = "main/" + describe(table).path("uuid").asText();
    assertTrue(admin("table", "forget", id, "--yes").err().contains("table-loads"));
    assertEquals(0, client("table", "drop", table).code());

    JsonNode listed = admin("table", "forget", id, "--json").json();
    assertEquals(10, listed.at("/lanes/0/rows_above").asLong());
    assertTrue(!listed.path("forgotten").asBoolean());
    assertTrue(
        admin("table", "forget", id, "--yes", "--json").json().path("forgotten").asBoolean());
    assertTrue(admin("table", "forget", id).err().contains("table-unknown"));
  }

  /** Trap 13: a segment that can't be read stops its table until a person lets it go on. */
  @Test
  void aTableStoppedByASegmentGoesOnWithoutIt() throws Exception {
    String table = "main.poisoned.t";
    client(
        "table", "create", table, "--column", "id long", "--property", "wings.commit-interval=1h");
    load(table, rows("lost.csv", 0, 10));
    String lane =
        "catalogs/main/tables/%s/%s/00/"
            .formatted(
                describe(table).path("uuid").asText(),
                describe(table).path("incarnation").asText());
    try (ObjectStore opened = ObjectStores.open(store().toString(), StoreOptions.defaults())) {
      opened.put(
          lane + "%020d.wal".formatted(2), Body.of(new byte[] {1, 2, 3}), PutCondition.any());
    }
    JsonNode resumed =
        admin(
                "table",
                "resume",
                table,
                "--quarantine",
                "0/2",
                "--reason",
                "a test broke it",
                "--json")
            .json();
    assertTrue(!resumed.path("footer_readable").asBoolean());
    Ended retried =
        admin(
            "queue",
            "retry",
            resumed.path("task").asText(),
            "--cluster-token-file",
            directory.resolve("wings-data/cluster-token").toString());
    assertEquals(0, retried.code(), retried.err());
    awaitWatermark(table, 2);

    assertEquals(0, admin("table", "adopt", table, "--again", "--yes").code());
    assertEquals(4, load(table, rows("kept.csv", 100, 4)).path("rows").asLong());
  }

  @Test
  void aClusterThatRunsIsShownAndUpgradedAndNotMoved() throws Exception {
    JsonNode shown = admin("cluster", "show", "--json").json();
    assertTrue(shown.path("cluster_id").asText().matches("[0-9a-f]{32}"));
    String role = "127.0.0.1:" + dev.ready().path("http_port").asInt();
    assertEquals(shown, admin("cluster", "upgrade", "--roles", role, "--json").json());
    assertTrue(
        admin("cluster", "upgrade", "--roles", "127.0.0.1:1").err().contains("role-unreachable"));
    Ended moved = admin("cluster", "move", "--to", directory.resolve("b").toString(), "--yes");
    assertTrue(moved.err().contains("cluster-running"), moved.err());
    assertTrue(admin("cluster", "move", "--here").err().contains("not-confirmed"));
  }
}
