package io.wings.loadbalancer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.grpc.Status;
import io.wings.common.auth.TestTokens;
import io.wings.common.config.ByteSize;
import io.wings.common.error.ErrorKind;
import io.wings.common.error.WingsException;
import io.wings.common.flight.FlightAction;
import io.wings.common.flight.StreamRequest;
import io.wings.loadbalancer.proxy.ProxyLimits;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What real pyarrow shows its user. Needs a Python with pyarrow, {@code WINGS_PYTHON} or {@code
 * python3}.
 */
class PyarrowTest {
  private static final long MAX_RUN_SECONDS = 240;

  @TempDir private Path folder;

  private static String python() {
    String set = System.getenv("WINGS_PYTHON");
    return set == null ? "python3" : set;
  }

  private static boolean hasPyarrow() throws InterruptedException {
    try {
      Process process =
          new ProcessBuilder(python(), "-c", "import pyarrow.flight")
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start();
      return process.waitFor() == 0;
    } catch (IOException e) {
      return false;
    }
  }

  private static WingsException error(String table) {
    ErrorKind kind = ErrorKind.valueOf(table.toUpperCase(Locale.ROOT));
    return new WingsException(
        kind,
        kind == ErrorKind.FENCED ? "producer-fenced" : "code-" + table.replace('_', '-'),
        "text");
  }

  @Test
  void showsEveryErrorAsTheClassThatSaysWhatToDo() throws Exception {
    assumeTrue(hasPyarrow(), "skipped: no pyarrow for " + python() + " (WINGS_PYTHON)");
    ProxyLimits limits = Limits.bytes(ByteSize.ofMebibytes(4), ProxyLimits.DEFAULT.buffer());
    Path tokens = TestTokens.file(folder, TestTokens.line("etl", "secret"));
    try (FakeIngestor ingestor = new FakeIngestor();
        Balancer open = Balancer.open(limits, ingestor);
        Balancer closed = new Balancer(Optional.of(tokens), limits, List.of(ingestor.address()))) {
      closed.awaitHealthy(1);
      ingestor.keepFrames = false;
      ingestor.describe =
          name -> {
            if (name.table().equals("t")) {
              return FakeIngestor.description(1);
            }
            throw error(name.table());
          };
      ingestor.check = (request, sequence) -> check(ingestor, request, sequence);
      Map<String, String> seen = run(open.server.port(), closed.server.port());
      assertErrors(seen);
      assertStreams(seen);
      assertLogins(seen);
    }
  }

  private static void assertErrors(Map<String, String> seen) {
    assertEquals("ArrowInvalid code-invalid", seen.get("invalid"));
    assertEquals("ArrowKeyError code-not-found", seen.get("not_found"));
    assertEquals("ArrowNotImplementedError code-unsupported", seen.get("unsupported"));
    assertEquals("FlightUnauthenticatedError code-unauthenticated", seen.get("unauthenticated"));
    assertEquals("FlightUnavailableError code-unavailable", seen.get("unavailable"));
    assertEquals("ArrowInvalid producer-fenced", seen.get("fenced"));
    assertEquals("FlightInternalError code-corrupt", seen.get("corrupt"));
    assertEquals("FlightInternalError code-internal", seen.get("internal"));
  }

  private static void assertStreams(Map<String, String> seen) {
    assertEquals("5", seen.get("by path"));
    assertEquals("7", seen.get("by command"));
    assertEquals("ArrowInvalid schema-mismatch", seen.get("bad stream"));
    assertEquals("ArrowInvalid schema-mismatch", seen.get("bad stream unread"));
    assertEquals("ArrowInvalid request-invalid", seen.get("misspelt key"));
    assertEquals("ArrowInvalid suspect-batch", seen.get("batch that kills"));
    assertEquals("ArrowInvalid message-too-large", seen.get("too large"));
    assertEquals("0", seen.get("never read"));
    assertEquals("ArrowInvalid schema-mismatch", seen.get("never read refused"));
    assertEquals("ArrowNotImplementedError method-unsupported", seen.get("do get"));
    assertEquals(
        Arrays.stream(FlightAction.values())
            .map(FlightAction::type)
            .collect(Collectors.joining(",")),
        seen.get("actions"));
  }

  private static void assertLogins(Map<String, String> seen) {
    assertEquals("FlightUnauthenticatedError unauthenticated", seen.get("no token"));
    assertEquals("1", seen.get("basic token"));
    assertEquals("FlightUnauthenticatedError unauthenticated", seen.get("wrong token"));
    assertEquals("1", seen.get("handshake"));
  }

  /** Refuses batches by what the stream's partition says. */
  private static @Nullable WingsException check(
      FakeIngestor ingestor, StreamRequest stream, long sequence) {
    String partition = stream.partition() == null ? "" : stream.partition();
    if (partition.equals("dies") && sequence == 3) {
      ingestor.replace();
      throw Status.UNAVAILABLE.withDescription("io exception").asRuntimeException();
    }
    long refused =
        switch (partition) {
          case "refused" -> 3;
          case "late" -> 3_000;
          default -> 0;
        };
    return sequence == refused ? WingsException.invalid("schema-mismatch", "column 'id'") : null;
  }

  private Map<String, String> run(int openPort, int closedPort) throws Exception {
    Path script = folder.resolve("stock_client.py");
    try (InputStream resource = PyarrowTest.class.getResourceAsStream("/stock_client.py")) {
      Files.write(script, Objects.requireNonNull(resource).readAllBytes());
    }
    Path output = folder.resolve("output.txt");
    Process process =
        new ProcessBuilder(
                python(),
                script.toString(),
                Integer.toString(openPort),
                Integer.toString(closedPort))
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    boolean ended = process.waitFor(MAX_RUN_SECONDS, TimeUnit.SECONDS);
    if (!ended) {
      process.destroyForcibly();
    }
    String text = Files.readString(output, StandardCharsets.UTF_8);
    assertTrue(ended, () -> "still running after " + MAX_RUN_SECONDS + " s:\n" + text);
    assertEquals(0, process.exitValue(), text);
    Map<String, String> seen = new LinkedHashMap<>();
    for (String line : text.lines().toList()) {
      int colon = line.indexOf(": ");
      if (colon > 0) {
        seen.put(line.substring(0, colon), line.substring(colon + 2));
      }
    }
    return seen;
  }
}
