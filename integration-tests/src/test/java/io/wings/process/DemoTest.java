package io.wings.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.wings.common.objectstore.s3.S3ProxyServer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The README's first command. */
class DemoTest {
  private static final List<String> FIELDS =
      List.of(
          "rows_sent",
          "rows_acked",
          "rows_visible",
          "rows_lost",
          "rows_doubled",
          "checksum_match",
          "ack_ms",
          "visible_ms",
          "put_ms",
          "rows_per_s",
          "mb_per_s",
          "wal_segments",
          "data_files",
          "snapshots",
          "rss_mb");

  @TempDir private Path directory;

  @Test
  void everyGeneratedRowIsThereExactlyOnce() throws IOException, InterruptedException {
    WingsProcess.Ended demo =
        WingsProcess.run(directory, List.of("demo", "--rows", "50000", "--json"));

    assertEquals(0, demo.code(), demo.out() + demo.err());
    JsonNode report = demo.json();
    FIELDS.forEach(field -> assertTrue(report.has(field), field + " in " + report));
    assertEquals(50_000, report.path("rows_visible").asLong());
    assertEquals(0, report.path("rows_lost").asLong());
    assertEquals(0, report.path("rows_doubled").asLong());
    assertTrue(report.path("checksum_match").asBoolean());
    report
        .path("rss_mb")
        .forEach(megabytes -> assertTrue(megabytes.asLong() < 1024, report.toString()));
  }

  @Test
  void theClusterAndTheWarehouseMayBeInABucket() throws IOException, InterruptedException {
    try (S3ProxyServer server = S3ProxyServer.start()) {
      var key = server.options().credentials().orElseThrow();
      WingsProcess.Ended demo =
          WingsProcess.run(
              directory,
              Map.of(
                  "AWS_ACCESS_KEY_ID",
                  key.accessKeyId(),
                  "AWS_SECRET_ACCESS_KEY",
                  key.secretAccessKey()),
              List.of(
                  "demo",
                  "--rows",
                  "20000",
                  "--json",
                  "--store",
                  server.address("cluster"),
                  "--s3-endpoint",
                  server.endpoint().toString(),
                  "--s3-region",
                  "us-east-1",
                  "--s3-path-style"));

      assertEquals(0, demo.code(), demo.out() + demo.err());
      assertEquals(20_000, demo.json().path("rows_visible").asLong());
      assertEquals(server.address("cluster"), demo.json().path("store").asText());
    }
  }

  /** P1 and P2, for everybody to see. */
  @Tag("long")
  @Test
  void everyRowIsThereExactlyOnceThoughAnIngestorAndAWorkerAreKilled()
      throws IOException, InterruptedException {
    WingsProcess.Ended demo =
        WingsProcess.run(
            directory,
            List.of("demo", "--chaos", "--rows", "40000", "--batch-rows", "500", "--json"));

    assertEquals(0, demo.code(), demo.out() + demo.err());
    JsonNode report = demo.json();
    assertEquals(40_000, report.path("rows_visible").asLong());
    assertEquals(0, report.path("rows_lost").asLong());
    assertEquals(0, report.path("rows_doubled").asLong());
    assertTrue(report.path("killed").path(0).asText().matches("ingestor-[12]"), report.toString());
    assertTrue(report.path("killed").path(1).asText().matches("worker-[12]"), report.toString());
    assertTrue(report.path("resent").asLong() > 0, report.toString());
    assertTrue(
        report.path("duplicates_dropped").asLong() <= report.path("resent").asLong(),
        report.toString());
  }

  @Tag("long")
  @Test
  void everyRowOfAFileIsThereExactlyOnce() throws IOException, InterruptedException {
    Optional<Path> corpus = Corpus.find();
    assumeTrue(corpus.isPresent(), "no corpus: set WINGS_CORPUS");
    Path flights = corpus.orElseThrow().resolve("real/flights-200k.arrow");

    WingsProcess.Ended demo =
        WingsProcess.run(directory, List.of("demo", "--input", flights.toString(), "--json"));

    assertEquals(0, demo.code(), demo.out() + demo.err());
    assertEquals(200_000, demo.json().path("rows_visible").asLong());
  }
}
