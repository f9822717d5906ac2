package io.wings.engines;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.abort;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.wings.process.Corpus;
import io.wings.process.WingsProcess;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code wings dev} under stock clients and readers. */
@Tag("engines")
@Timeout(240)
class EnginesTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Path ROOT = Path.of("").toAbsolutePath().getParent();

  @TempDir private Path directory;
  private WingsProcess dev;

  @BeforeEach
  void startDev() throws IOException {
    dev = WingsProcess.start(directory, "dev", List.of("dev", "--json"));
  }

  @AfterEach
  void stopDev() {
    dev.close();
  }

  /** The twelve lines that write and the three that read, as README prints them. */
  @Test
  void theReadmesSnippetsRunAsPrinted() throws IOException, InterruptedException {
    Python.Ended write = Python.run(directory, snippet("dev-write"));
    assertEquals(0, write.code(), write.output());
    assertTrue(write.output().contains("\"status\":\"durable\""), write.output());

    awaitRows("main", "shop", "orders", 3);
    Python.Ended read = Python.run(directory, snippet("dev-read"));
    assertEquals(0, read.code(), read.output());
    assertEquals("3", read.output().strip());
  }

  @Test
  void sparkAndPyIcebergCountExactlyThePyarrowClientsRows()
      throws IOException, InterruptedException {
    Path flights = corpus().resolve("real/flights-200k.arrow");
    Python.Ended write = Python.run(directory, resource("write_flights.py"), flights.toString());
    assertEquals(0, write.code(), write.output());
    JsonNode sent = JSON.readTree(lastLine(write.output()));
    awaitRows("main", "real", "flights", sent.path("rows").asLong());

    Python.Ended pyiceberg = Python.run(directory, resource("read_flights.py"));
    assertEquals(0, pyiceberg.code(), pyiceberg.output());
    assertEquals(sent, JSON.readTree(lastLine(pyiceberg.output())));

    JsonNode spark =
        JSON.readTree(
            lastLine(
                spark(
                    "SELECT count(*) AS rows, sum(delay) AS delay_sum, min(delay) AS delay_min,"
                        + " max(delay) AS delay_max, sum(distance) AS distance_sum,"
                        + " min(distance) AS distance_min, max(distance) AS distance_max,"
                        + " min(time) AS time_min, max(time) AS time_max FROM main.real.flights")));
    for (String figure :
        List.of(
            "rows",
            "delay_sum",
            "delay_min",
            "delay_max",
            "distance_sum",
            "distance_min",
            "distance_max",
            "time_min",
            "time_max")) {
      assertEquals(
          sent.path(figure).asDouble(), spark.path(figure).asDouble(), 1e-6, figure + " " + spark);
    }
  }

  /** Trap 21: unread results neither deadlock a stream nor grow a process. */
  @Test
  void aClientThatNeverReadsResultsSendsTwoHundredThousandSmallBatches()
      throws IOException, InterruptedException {
    Python.Ended write = Python.run(directory, resource("never_reads.py"), "200000");
    assertEquals(0, write.code(), write.output());
    long rss = dev.rssKibibytes();
    assertTrue(rss < 1024 * 1024, "resident set of wings dev: " + rss + " KiB");
    awaitRows("main", "load", "unread", 200_000);
  }

  private void awaitRows(String warehouse, String namespace, String table, long rows)
      throws IOException, InterruptedException {
    Python.Ended read =
        Python.run(
            directory,
            resource("await_rows.py"),
            warehouse,
            namespace + "." + table,
            Long.toString(rows));
    assertEquals(0, read.code(), read.output());
  }

  private static String spark(String query) throws IOException, InterruptedException {
    Path target = ROOT.resolve("integration-tests/spark/target");
    if (!Files.isDirectory(target.resolve("lib"))) {
      abort("Spark is not built: run with -Pengines");
    }
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(
        List.of(
            "-Xmx1g",
            "--add-opens=java.base/java.nio=ALL-UNNAMED",
            "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
            "--sun-misc-unsafe-memory-access=allow",
            "-Dorg.apache.iceberg.shaded.io.netty.noUnsafe=false",
            "-cp",
            target.resolve("classes") + ":" + target.resolve("lib") + "/*",
            "io.wings.spark.SparkReader",
            "main",
            "http://127.0.0.1:8181",
            "main",
            query));
    Path log = Files.createTempFile("wings-spark-", ".log");
    Process process = new ProcessBuilder(command).redirectError(log.toFile()).start();
    String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(0, process.waitFor(), () -> out + read(log));
    return out;
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      return e.toString();
    }
  }

  private static Path corpus() {
    var corpus = Corpus.find();
    assumeTrue(corpus.isPresent(), "no corpus: set WINGS_CORPUS");
    return corpus.orElseThrow();
  }

  /** The code block of README that follows the comment {@code test: name}. */
  private static String snippet(String name) throws IOException {
    Matcher block =
        Pattern.compile("<!-- test: " + name + " -->\\s*```python\\n(.*?)```", Pattern.DOTALL)
            .matcher(Files.readString(ROOT.resolve("README.md")));
    assertTrue(block.find(), "README has no block " + name);
    return block.group(1);
  }

  private static String resource(String name) throws IOException {
    try (var in = EnginesTest.class.getResourceAsStream(name)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  private static String lastLine(String text) {
    return text.strip().lines().reduce("", (_, line) -> line);
  }
}
