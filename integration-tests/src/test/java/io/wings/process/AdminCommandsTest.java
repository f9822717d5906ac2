package io.wings.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.wings.common.cluster.CatalogName;
import io.wings.common.cluster.TableId;
import io.wings.common.id.Ids;
import io.wings.common.objectstore.Body;
import io.wings.common.objectstore.ObjectStore;
import io.wings.common.objectstore.ObjectStores;
import io.wings.common.objectstore.PutCondition;
import io.wings.common.objectstore.StoreOptions;
import io.wings.common.time.Time;
import io.wings.worker.ledger.Ledgers;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The commands of an operator, against {@code wings dev} at work. */
class AdminCommandsTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @TempDir private static Path directory;
  private static DevCommands dev;

  @BeforeAll
  static void startDev() throws IOException {
    dev = DevCommands.start(directory);
  }

  @AfterAll
  static void stopDev() {
    dev.close();
  }

  private static Path rows(String name, int first, int count) throws IOException {
    StringBuilder text = new StringBuilder("id\n");
    for (int id = first; id < first + count; id++) {
      text.append(id).append('\n');
    }
    return Files.writeString(directory.resolve(name), text);
  }

  private static JsonNode load(String table, Path file) throws IOException {
    return dev.client("ingest", "--table", table, "--json", file.toString()).json();
  }

  private static JsonNode describe(String table) throws IOException {
    return dev.client("table", "describe", table, "--json").json();
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
    dev.client(
        "table",
        "create",
        table,
        "--column",
        "id long",
        "--property",
        "wings.commit-interval=200ms");
    load(table, first);
    String before = describe(table).path("incarnation").asText();

    assertTrue(dev.admin("table", "adopt", table).out().contains("nothing was done"));
    assertTrue(dev.admin("table", "adopt", table, "--again").err().contains("not-confirmed"));
    JsonNode adopted = dev.admin("table", "adopt", table, "--again", "--yes", "--json").json();

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
    dev.client(
        "table", "create", table, "--column", "id long", "--property", "wings.commit-interval=1h");
    load(table, rows("gone.csv", 0, 10));
    String id = "main/" + describe(table).path("uuid").asText();
    assertTrue(dev.admin("table", "forget", id, "--yes").err().contains("table-loads"));
    assertEquals(0, dev.client("table", "drop", table).code());

    JsonNode listed = dev.admin("table", "forget", id, "--json").json();
    assertEquals(10, listed.at("/lanes/0/rows_above").asLong());
    assertTrue(!listed.path("forgotten").asBoolean());
    assertTrue(
        dev.admin("table", "forget", id, "--yes", "--json").json().path("forgotten").asBoolean());
    assertTrue(dev.admin("table", "forget", id).err().contains("table-unknown"));
  }

  /** Trap 13: a segment that can't be read stops its table until a person lets it go on. */
  @Test
  void aTableStoppedByASegmentGoesOnWithoutIt() throws Exception {
    String table = "main.poisoned.t";
    dev.client(
        "table", "create", table, "--column", "id long", "--property", "wings.commit-interval=1h");
    load(table, rows("lost.csv", 0, 10));
    String lane =
        "catalogs/main/tables/%s/%s/00/"
            .formatted(
                describe(table).path("uuid").asText(),
                describe(table).path("incarnation").asText());
    try (ObjectStore opened = ObjectStores.open(dev.store().toString(), StoreOptions.defaults())) {
      opened.put(
          lane + "%020d.wal".formatted(2), Body.of(new byte[] {1, 2, 3}), PutCondition.any());
    }
    JsonNode resumed =
        dev.admin(
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
    JsonNode retried =
        dev.admin(
                "queue",
                "retry",
                resumed.path("task").asText(),
                "--json",
                "--cluster-token-file",
                directory.resolve("wings-data/cluster-token").toString())
            .json();
    assertEquals("retried", retried.path("outcome").asText());
    assertEquals(resumed.path("task"), retried.path("key"));
    awaitWatermark(table, 2);

    assertEquals(0, dev.admin("table", "adopt", table, "--again", "--yes").code());
    assertEquals(4, load(table, rows("kept.csv", 100, 4)).path("rows").asLong());
  }

  @Test
  void orphansAreListedAndStay() throws Exception {
    String table = "main.untidy.t";
    dev.client("table", "create", table, "--column", "id long");
    load(table, rows("tidy.csv", 0, 10));
    JsonNode described = describe(table);
    Path data =
        Path.of(described.path("metadata_location").asText().replaceFirst("^file:(//)?", ""))
            .resolve("../../data")
            .normalize();
    Path orphan;
    try (ObjectStore opened = ObjectStores.open(dev.store().toString(), StoreOptions.defaults())) {
      Ledgers ledgers = new Ledgers(opened, "a test", Time.system(), Ids.secure());
      TableId id =
          new TableId(new CatalogName("main"), UUID.fromString(described.path("uuid").asText()));
      String ledger =
          ledgers
              .open(
                  id,
                  described.path("incarnation").asText(),
                  List.of(),
                  data.toString(),
                  data.toString())
              .id();
      Files.createDirectories(data);
      orphan = Files.writeString(data.resolve(ledger + "-00001.parquet"), "left behind");

      JsonNode open = dev.admin("table", "orphans", table, "--grace", "0s", "--json").json();
      assertEquals(1, open.path("ledgers_to_close").asInt());
      assertEquals(0, open.path("files").size());
      assertFalse(ledgers.read(id, ledger).orElseThrow().closed());

      ledgers.close(id, ledger);
      JsonNode due = dev.admin("table", "orphans", table, "--grace", "0s", "--json").json();
      assertEquals(1, due.path("ledgers_due").asInt());
      assertTrue(due.at("/files/0").asText().endsWith("/" + orphan.getFileName()), due.toString());
      assertEquals(0, dev.admin("table", "orphans", table, "--json").json().path("files").size());
      assertTrue(ledgers.read(id, ledger).isPresent());
    }
    assertTrue(Files.exists(orphan));
    assertTrue(dev.admin("table", "orphans", table, "--grace", "0s").out().contains("1 are due"));
  }

  @Test
  void aCatalogIsRegisteredAndTakenOff() throws Exception {
    String pointer = directory.resolve("other.json").toUri().toString();
    JsonNode added =
        dev.admin("tenant", "add", "other", "--secret", pointer, "--no-check", "--json").json();
    assertEquals("other", added.path("name").asText());
    JsonNode removed = dev.admin("tenant", "remove", "other", "--json").json();
    assertEquals("other", removed.path("name").asText());
    assertEquals("removed", removed.path("outcome").asText());
    assertTrue(dev.admin("tenant", "remove", "other").err().contains("catalog-unknown"));
  }

  @Test
  void aClusterThatRunsIsShownAndUpgradedAndNotMoved() throws Exception {
    JsonNode shown = dev.admin("cluster", "show", "--json").json();
    assertTrue(shown.path("cluster_id").asText().matches("[0-9a-f]{32}"));
    String role = "127.0.0.1:" + dev.process().ready().path("http_port").asInt();
    assertEquals(shown, dev.admin("cluster", "upgrade", "--roles", role, "--json").json());
    assertTrue(
        dev.admin("cluster", "upgrade", "--roles", "127.0.0.1:1")
            .err()
            .contains("role-unreachable"));
    DevCommands.Ended moved =
        dev.admin("cluster", "move", "--to", directory.resolve("b").toString(), "--yes");
    assertTrue(moved.err().contains("cluster-running"), moved.err());
    assertTrue(dev.admin("cluster", "move", "--here").err().contains("not-confirmed"));
  }
}
