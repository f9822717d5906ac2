package io.wings.cli.role;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.wings.cli.Wings;
import io.wings.common.error.WingsException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

class RoleSettingsTest {
  @TempDir private Path directory;

  /** What the role's options are after parsing. */
  private static CommandSpec parsed(Map<String, String> environment, String... arguments) {
    CommandLine line = Wings.commandLine(environment, List.of(arguments));
    return line.parseArgs(arguments).subcommand().commandSpec();
  }

  private static String value(CommandSpec spec, String option) {
    return String.valueOf(spec.findOption(option).<Object>getValue());
  }

  private String file(String... lines) throws IOException {
    return Files.write(directory.resolve("wings.properties"), List.of(lines)).toString();
  }

  @Test
  void theCommandLineGoesBeforeTheEnvironmentAndThatBeforeTheFile() throws IOException {
    String config = file("flush-interval=3s", "http=127.0.0.1:1", "store=/from-file");
    Map<String, String> environment = Map.of("WINGS_HTTP", "127.0.0.1:2");
    CommandSpec spec =
        parsed(environment, "ingestor", "--config", config, "--flush-interval", "5s");
    assertEquals("5s", value(spec, "--flush-interval"));
    assertEquals("127.0.0.1:2", value(spec, "--http"));
    assertEquals("/from-file", value(spec, "--store"));
    assertEquals("0.0.0.0:8817", value(spec, "--listen"), "its own default");
  }

  @Test
  void oneFileServesAllRoles() throws IOException {
    String config = file("listen=h:1", "broker.listen=h:2", "ingestors=a:1,b:2", "broker.http=");
    String named = "--config=" + config;
    assertEquals("h:1", value(parsed(Map.of(), "ingestor", named), "--listen"));
    assertEquals("h:2", value(parsed(Map.of(), "broker", named), "--listen"));
    assertEquals("[a:1, b:2]", value(parsed(Map.of(), "load-balancer", named), "--ingestors"));
  }

  @Test
  void theEnvironmentMayNameTheFile() throws IOException {
    CommandSpec spec = parsed(Map.of("WINGS_CONFIG", file("s3-path-style=true")), "worker");
    assertEquals("true", value(spec, "--s3-path-style"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "flush-intervall=1s|setting-unknown|did you mean 'flush-interval'?",
        "ingester.flush-interval=1s|setting-unknown|did you mean 'ingestor.flush-interval'?",
        "worker.flush-interval=1s|setting-unknown|unknown setting",
        "store-faults=x|setting-unknown|unknown setting",
        "\"http=a:1\nhttp=a:1\"|config-invalid|'http' is there twice",
        "http=\\u00zz|config-invalid|Malformed",
      })
  void whatIsNoSettingIsRefused(String content, String code, String words) throws IOException {
    String config = file(content);
    WingsException error =
        assertThrows(WingsException.class, () -> parsed(Map.of(), "ingestor", "--config", config));
    assertEquals(code, error.code());
    assertTrue(error.toString().contains(words), error.toString());
    assertTrue(error.toString().contains(config), error.toString());
  }

  @Test
  void aFileThatIsNotThereIsRefused() {
    String config = directory.resolve("none").toString();
    WingsException error =
        assertThrows(WingsException.class, () -> parsed(Map.of(), "broker", "--config", config));
    assertEquals("config-unreadable", error.code());
  }

  @Test
  void otherCommandsTakeNoSettings() throws IOException {
    Map<String, String> environment = Map.of("WINGS_CONFIG", file("store=/from-file"));
    CommandLine line = Wings.commandLine(environment, List.of());
    CommandLine.ParseResult wal =
        line.parseArgs("wal", "list", "--store", "/given").subcommand().subcommand();
    assertEquals("/given", value(wal.commandSpec(), "--store"));
  }
}
