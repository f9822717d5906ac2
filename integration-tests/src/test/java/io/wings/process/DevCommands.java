package io.wings.process;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import io.wings.cli.Wings;
import io.wings.cli.client.WingsClient;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import picocli.CommandLine;

/** {@code wings dev} in a directory, and the commands that a person types against it. */
final class DevCommands implements AutoCloseable {
  private final Path directory;
  private final WingsProcess dev;

  private DevCommands(Path directory, WingsProcess dev) {
    this.directory = directory;
    this.dev = dev;
  }

  /** How a command ended. */
  record Ended(int code, String out, String err) {
    JsonNode json() throws IOException {
      assertEquals(0, code, err);
      return WingsClient.JSON.readTree(out);
    }
  }

  static DevCommands start(Path directory) throws IOException {
    return new DevCommands(
        directory,
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
                "100ms")));
  }

  WingsProcess process() {
    return dev;
  }

  String server() {
    return "grpc://" + dev.address();
  }

  Path store() {
    return directory.resolve("wings-data/cluster");
  }

  /** One that asks the load balancer. */
  Ended client(String... arguments) {
    return run(List.of("--server", server()), arguments);
  }

  /** One that opens the store. */
  Ended admin(String... arguments) {
    return run(List.of("--store", store().toString()), arguments);
  }

  private static Ended run(List<String> last, String... first) {
    List<String> all = new ArrayList<>(Arrays.asList(first));
    all.addAll(last);
    return run(all.toArray(String[]::new));
  }

  static Ended run(String... arguments) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    CommandLine line = Wings.commandLine();
    line.setOut(new PrintWriter(out, true));
    line.setErr(new PrintWriter(err, true));
    return new Ended(line.execute(arguments), out.toString(), err.toString());
  }

  @Override
  public void close() {
    dev.close();
  }
}
