package io.wings.engines;

import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.abort;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A server of AWS's APIs that Wings didn't write: moto. What it holds ends with it. */
final class Moto implements AutoCloseable {
  private static final Pattern LISTENS =
      Pattern.compile("Running on http://127\\.0\\.0\\.1:(\\d+)");

  private final Process process;
  private final String uri;

  private Moto(Process process, String uri) {
    this.process = process;
    this.uri = uri;
  }

  /** Skips the calling test where there is none, as {@link Python} does. */
  static Moto start() throws IOException {
    Path server = Path.of(Python.interpreter()).resolveSibling("moto_server");
    if (!Files.isExecutable(server)) {
      if (System.getenv("WINGS_ENGINES_REQUIRED") != null) {
        fail("WINGS_ENGINES_REQUIRED is set and there is no " + server);
      }
      abort("no moto beside WINGS_PYTHON: install integration-tests/requirements.txt");
    }
    Process process =
        new ProcessBuilder(List.of(server.toString(), "-H", "127.0.0.1", "-p", "0"))
            .redirectErrorStream(true)
            .start();
    BufferedReader output = process.inputReader(StandardCharsets.UTF_8);
    StringBuilder said = new StringBuilder();
    for (String line = output.readLine(); line != null; line = output.readLine()) {
      said.append(line).append('\n');
      Matcher listens = LISTENS.matcher(line);
      if (listens.find()) {
        Thread.ofVirtual().start(() -> drain(output));
        return new Moto(process, "http://127.0.0.1:" + listens.group(1));
      }
    }
    throw new IOException("moto ended: " + said);
  }

  private static void drain(BufferedReader output) {
    try {
      while (output.readLine() != null) {}
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  String uri() {
    return uri;
  }

  /** Ends it at once. */
  @Override
  public void close() {
    process.destroyForcibly().onExit().join();
  }
}
