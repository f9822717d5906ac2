package io.wings.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.wings.cli.client.ProducerStream;
import io.wings.cli.client.TableName;
import io.wings.cli.client.WingsClient;
import io.wings.cli.source.FileBatches;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.dictionary.DictionaryProvider;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The commands that a person types, against {@code wings dev}. */
class CommandsTest {
  private static final String PRODUCER = "wide-1";

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

  /** 120 MB in one row group: far above what one message may have. */
  private static Path wide() throws SQLException {
    Path file = directory.resolve("wide.parquet");
    if (!Files.exists(file)) {
      try (Connection connection = DriverManager.getConnection("jdbc:duckdb:");
          Statement statement = connection.createStatement()) {
        statement.execute(
            "COPY (SELECT i AS id, repeat('x', 3000) AS a FROM range(40000) t(i)) TO '"
                + file
                + "' (FORMAT parquet, ROW_GROUP_SIZE 50000)");
      }
    }
    return file;
  }

  @Test
  void aFileOfWideRowsIsLoadedAndAnInterruptedLoadGoesOnWhereItWas() throws Exception {
    TableName table = TableName.parse("main.wide.t");
    assertEquals(
        0, dev.client("table", "create", "main.wide.t", "--schema-from", wide().toString()).code());
    long before = 0;
    try (BufferAllocator allocator = new RootAllocator();
        WingsClient client = WingsClient.connect(dev.server(), null, allocator);
        FileBatches batches = FileBatches.open(wide(), 50_000, allocator);
        ProducerStream stream =
            ProducerStream.open(
                client,
                table,
                PRODUCER,
                batches.root(),
                new DictionaryProvider.MapDictionaryProvider(),
                (_, _) -> {})) {
      for (int i = 0; i < 5; i++) {
        assertTrue(batches.next());
        before += batches.root().getRowCount();
        stream.send("rows:" + before);
      }
      stream.finish();
    }
    DevCommands.Ended ended =
        dev.client(
            "ingest",
            "--table",
            "main.wide.t",
            "--producer",
            PRODUCER,
            "--json",
            wide().toString());
    assertEquals(0, ended.code(), ended.err());
    JsonNode line = WingsClient.JSON.readTree(ended.out());
    assertEquals(before, line.path("rows_stored_before").asLong());
    assertEquals(40_000 - before, line.path("rows").asLong());
  }

  @Test
  void aFileThatCantBeReadLeavesNoTable() throws IOException {
    byte[] head = "PAR1 and nothing else PAR1".getBytes(java.nio.charset.StandardCharsets.UTF_8);
    Path file = Files.write(directory.resolve("broken.parquet"), head);
    assertEquals(
        3, dev.client("ingest", "--create", "--table", "main.bad.parquet", file.toString()).code());
    Path twice = Files.writeString(directory.resolve("twice.csv"), "a,a\n1,2\n");
    assertEquals(
        3, dev.client("ingest", "--create", "--table", "main.bad.csv", twice.toString()).code());
    assertTrue(
        dev.client("table", "list").out().lines().noneMatch(name -> name.startsWith("main.bad")));
  }

  @Test
  void describeTellsTypesLayoutPropertiesAndLanes() throws IOException {
    DevCommands.Ended created =
        dev.client(
            "table",
            "create",
            "main.shop.orders",
            "--column",
            "id long required",
            "--column",
            "at timestamptz",
            "--partition",
            "day(at)",
            "--sort",
            "id desc",
            "--property",
            "wings.commit-interval=1s");
    assertEquals(0, created.code(), created.err());
    List<String> told = dev.client("table", "describe", "main.shop.orders").out().lines().toList();
    assertTrue(
        told.containsAll(
            List.of(
                "lane         0, watermark 0",
                "partition    day(at) as at_day",
                "sort         id desc nulls last",
                "property     wings.commit-interval = 1s",
                "column       1 id long required",
                "column       2 at timestamptz")),
        () -> String.join("\n", told));
    JsonNode json =
        WingsClient.JSON.readTree(
            dev.client("table", "describe", "main.shop.orders", "--json").out());
    assertEquals("timestamptz", json.at("/iceberg/schema/fields/1/type").asText());
  }

  @Test
  void aTenantsSecretIsCheckedWhereItCanBe() throws IOException {
    Path store = directory.resolve("other");
    Path secret = Files.writeString(directory.resolve("s.json"), "{\"type\":\"hive\"}");
    String[] add = {"tenant", "add", "t", "--store", store.toString(), "--secret"};
    assertTrue(DevCommands.run(with(add, "file://" + secret)).err().contains("hive are refused"));
    DevCommands.Ended missing = DevCommands.run(with(add, "file:///nowhere/s.json"));
    assertEquals(3, missing.code());
    assertTrue(missing.err().contains("say --no-check"), missing.err());
    assertEquals(0, DevCommands.run(with(add, "file:///nowhere/s.json", "--no-check")).code());
    DevCommands.Ended exists = DevCommands.run(with(add, "env://S", "--no-check"));
    assertTrue(exists.err().contains("say --replace"), exists.err());
    assertEquals(0, DevCommands.run(with(add, "env://S", "--no-check", "--replace")).code());
    assertEquals(
        "t  env://S", DevCommands.run("tenant", "list", "--store", store.toString()).out().strip());
  }

  private static String[] with(String[] first, String... more) {
    List<String> all = new ArrayList<>(Arrays.asList(first));
    all.addAll(Arrays.asList(more));
    return all.toArray(String[]::new);
  }

  /**
   * Its lock says that no other runs: the queue of the one that was killed is taken over at once.
   */
  @Test
  void devServesAtOnceAfterItWasKilled() throws Exception {
    dev.process().kill();
    long begun = System.nanoTime();
    dev = DevCommands.start(directory);
    Duration took = Duration.ofNanos(System.nanoTime() - begun);
    assertNotEquals(0, dev.process().ready().path("http_port").asInt());
    assertTrue(took.compareTo(Duration.ofSeconds(30)) < 0, took::toString);
    assertTrue(dev.process().log().contains("active broker in epoch"), dev.process().log());
    assertTrue(!dev.process().log().contains("took over; standing by"), dev.process().log());
  }
}
