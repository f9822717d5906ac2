package io.wings.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.wings.cli.Wings;
import io.wings.cli.client.ProducerStream;
import io.wings.cli.client.TableName;
import io.wings.cli.client.WingsClient;
import io.wings.cli.source.FileBatches;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
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
import picocli.CommandLine;

/** The commands that a person types, against {@code wings dev}. */
class CommandsTest {
  private static final String PRODUCER = "wide-1";

  @TempDir private static Path directory;
  private static WingsProcess dev;

  @BeforeAll
  static void startDev() throws IOException {
    dev = start();
  }

  private static WingsProcess start() throws IOException {
    return WingsProcess.start(
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
  private record Ended(int code, String out, String err) {}

  private static Ended run(String... arguments) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    CommandLine line = Wings.commandLine();
    line.setOut(new PrintWriter(out, true));
    line.setErr(new PrintWriter(err, true));
    return new Ended(line.execute(arguments), out.toString(), err.toString());
  }

  private static Ended client(String... arguments) {
    List<String> all = new ArrayList<>(Arrays.asList(arguments));
    all.addAll(List.of("--server", server()));
    return run(all.toArray(String[]::new));
  }

  private static String server() {
    return "grpc://" + dev.address();
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
        0, client("table", "create", "main.wide.t", "--schema-from", wide().toString()).code());
    long before = 0;
    try (BufferAllocator allocator = new RootAllocator();
        WingsClient client = WingsClient.connect(server(), null, allocator);
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
    Ended ended =
        client(
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
        3, client("ingest", "--create", "--table", "main.bad.parquet", file.toString()).code());
    Path twice = Files.writeString(directory.resolve("twice.csv"), "a,a\n1,2\n");
    assertEquals(
        3, client("ingest", "--create", "--table", "main.bad.csv", twice.toString()).code());
    assertTrue(
        client("table", "list").out().lines().noneMatch(name -> name.startsWith("main.bad")));
  }

  @Test
  void describeTellsTypesLayoutPropertiesAndLanes() throws IOException {
    Ended created =
        client(
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
    List<String> told = client("table", "describe", "main.shop.orders").out().lines().toList();
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
        WingsClient.JSON.readTree(client("table", "describe", "main.shop.orders", "--json").out());
    assertEquals("timestamptz", json.at("/iceberg/schema/fields/1/type").asText());
  }

  @Test
  void aTenantsSecretIsCheckedWhereItCanBe() throws IOException {
    Path store = directory.resolve("other");
    Path secret = Files.writeString(directory.resolve("s.json"), "{\"type\":\"hive\"}");
    String[] add = {"tenant", "add", "t", "--store", store.toString(), "--secret"};
    assertTrue(run(with(add, "file://" + secret)).err().contains("hive are refused"));
    Ended missing = run(with(add, "file:///nowhere/s.json"));
    assertEquals(3, missing.code());
    assertTrue(missing.err().contains("say --no-check"), missing.err());
    assertEquals(0, run(with(add, "file:///nowhere/s.json", "--no-check")).code());
    Ended exists = run(with(add, "env://S", "--no-check"));
    assertTrue(exists.err().contains("say --replace"), exists.err());
    assertEquals(0, run(with(add, "env://S", "--no-check", "--replace")).code());
    assertEquals("t  env://S", run("tenant", "list", "--store", store.toString()).out().strip());
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
    dev.kill();
    long begun = System.nanoTime();
    dev = start();
    Duration took = Duration.ofNanos(System.nanoTime() - begun);
    assertNotEquals(0, dev.ready().path("http_port").asInt());
    assertTrue(took.compareTo(Duration.ofSeconds(30)) < 0, took::toString);
    assertTrue(dev.log().contains("active broker in epoch"), dev.log());
    assertTrue(!dev.log().contains("took over; standing by"), dev.log());
  }
}
