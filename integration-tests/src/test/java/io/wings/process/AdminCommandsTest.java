package io.wings.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.wings.cli.Wings;
import io.wings.cli.client.WingsClient;
import io.wings.common.cluster.CatalogName;
import io.wings.common.cluster.ClusterFile;
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
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

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
    assertEquals(List.of(), acts("adopt-table", "main", "moved", "t"));
    JsonNode adopted = dev.admin("table", "adopt", table, "--again", "--yes", "--json").json();

    assertNotEquals(before, adopted.path("incarnation").asText());
    assertEquals(1, acts("adopt-table", "main", "moved", "t").size());
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
    assertEquals(List.of(), acts("forget-table", "main"));
    assertTrue(
        dev.admin("table", "forget", id, "--yes", "--json").json().path("forgotten").asBoolean());
    assertTrue(dev.admin("table", "forget", id).err().contains("table-unknown"));
    assertEquals("gone.t", acts("forget-table", "main").getFirst().path("name").asText());
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
    assertEquals(
        "a test broke it",
        acts("quarantine-segment", "main", "poisoned", "t").getFirst().path("reason").asText());
    assertEquals(1, acts("retry-task", retried.path("key").asText()).size());
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

    JsonNode noted = acts("add-tenant", "other").getFirst();
    assertEquals(pointer, noted.path("secret").asText());
    assertEquals(System.getProperty("user.name"), noted.path("who").asText());
    assertFalse(noted.path("from").asText().isBlank());
    assertEquals("command", noted.path("via").asText());
    assertTrue(noted.path("at").asText().matches("20.*Z"), noted.toString());
    assertEquals(2, acts("remove-tenant", "other").size(), "the one that was refused as well");
  }

  @Test
  void grantsAreNotedWithWhomTheyAreFor() throws Exception {
    String[] what = {"--principal", "etl", "--catalog", "main", "--namespace", "noted", "write"};
    for (String act : List.of("add", "remove")) {
      List<String> typed = new ArrayList<>(List.of("grant", act));
      typed.addAll(List.of(what));
      assertEquals(0, dev.admin(typed.toArray(String[]::new)).code());
      JsonNode noted = acts(act + "-grant", "main", "noted").getFirst();
      assertEquals("etl", noted.path("principal").asText());
      assertEquals("write", noted.path("privileges").asText());
    }
    assertTrue(
        dev.admin("cluster", "acts")
            .out()
            .contains("remove-grant \"main\" \"noted\"  principal=\"etl\"  privileges=\"write\""));
  }

  @Test
  void movesOfAClusterAreNotedWhereItWas() throws Exception {
    String store = dev.store().resolveSibling("moving").toString();
    String pointer = directory.resolve("other.json").toUri().toString();
    for (List<String> typed :
        List.of(
            List.of("tenant", "add", "other", "--secret", pointer, "--no-check"),
            List.of("cluster", "move", "--to", store + "-on", "--yes"),
            List.of("cluster", "move", "--here", "--yes"))) {
      List<String> all = new ArrayList<>(typed);
      all.addAll(List.of("--store", store));
      DevCommands.Ended ended = DevCommands.run(all.toArray(String[]::new));
      assertEquals(0, ended.code(), ended.err());
    }
    List<String> whats = new ArrayList<>();
    for (String line :
        DevCommands.run("cluster", "acts", "--json", "--last", "2", "--store", store)
            .out()
            .lines()
            .toList()) {
      whats.add(WingsClient.JSON.readTree(line).path("what").asText());
    }
    assertEquals(List.of("move-cluster", "take-cluster-over"), whats);
  }

  /** Without the note, which can't be written, nothing is done. */
  @Test
  void whatCanNotBeNotedIsNotDone() throws Exception {
    Path acts = dev.store().resolveSibling("unwritable/acts");
    Files.createDirectories(acts.getParent());
    Files.writeString(acts, "no directory");
    try (ObjectStore opened =
        ObjectStores.open(acts.getParent().toString(), StoreOptions.defaults())) {
      ClusterFile _ = ClusterFile.open(opened, Time.system(), Ids.secure());
    }
    DevCommands.Ended ended =
        DevCommands.run(
            "grant",
            "add",
            "--principal",
            "etl",
            "--all-catalogs",
            "admin",
            "--store",
            acts.getParent().toString());
    assertNotEquals(0, ended.code());
    assertFalse(Files.exists(acts.resolveSibling("grants.json")), ended.err());
  }

  /** Section 12: a new command that opens the store says here whether it notes what it does. */
  @Test
  void everyCommandThatOpensTheStoreIsKnownToNoteOrToChangeNothing() {
    SortedSet<String> noting =
        new TreeSet<>(
            Set.of(
                "cluster move",
                "cluster upgrade",
                "grant add",
                "grant remove",
                "queue retry",
                "table adopt",
                "table forget",
                "table resume",
                "tenant add",
                "tenant remove"));
    SortedSet<String> reading =
        new TreeSet<>(
            Set.of(
                "cluster acts",
                "cluster show",
                "grant list",
                "queue list",
                "table orphans",
                "tenant list",
                "wal cat",
                "wal list"));
    SortedSet<String> roles =
        new TreeSet<>(Set.of("broker", "catalog", "demo", "ingestor", "load-balancer", "worker"));
    SortedSet<String> all = new TreeSet<>();
    openers(Wings.commandLine(), "", all);
    noting.addAll(reading);
    noting.addAll(roles);
    assertEquals(noting, all);
  }

  private static void openers(CommandLine line, String path, SortedSet<String> found) {
    if (line.getCommandSpec().findOption("--store") != null) {
      found.add(path.strip());
    }
    line.getSubcommands().forEach((name, command) -> openers(command, path + " " + name, found));
  }

  /** Acts of that kind on just that, the oldest first. */
  private static List<JsonNode> acts(String what, String... on) throws IOException {
    List<JsonNode> found = new ArrayList<>();
    for (String line : dev.admin("cluster", "acts", "--json").out().lines().toList()) {
      JsonNode act = WingsClient.JSON.readTree(line);
      List<String> levels = new ArrayList<>();
      act.path("on").forEach(level -> levels.add(level.asText()));
      if (act.path("what").asText().equals(what) && levels.equals(List.of(on))) {
        found.add(act);
      }
    }
    return found;
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
    assertEquals(1, acts("upgrade-formats").size());
    DevCommands.Ended moved =
        dev.admin("cluster", "move", "--to", directory.resolve("b").toString(), "--yes");
    assertTrue(moved.err().contains("cluster-running"), moved.err());
    assertTrue(dev.admin("cluster", "move", "--here").err().contains("not-confirmed"));
    assertEquals(List.of(), acts("move-cluster"));
  }
}
