package io.wings.cli.role;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.wings.cli.ServerTls;
import io.wings.cli.Wings;
import io.wings.common.concurrent.Threads;
import io.wings.common.error.WingsException;
import io.wings.common.time.Time;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
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
    assertTrue(error.detail().endsWith("none can't be read: there is no such file"));
  }

  /** What a role that doesn't start says. */
  private static String refused(Map<String, String> environment, String... arguments) {
    StringWriter said = new StringWriter();
    CommandLine line = Wings.commandLine(environment, List.of(arguments));
    line.setErr(new PrintWriter(said, true));
    assertTrue(line.execute(arguments) != 0);
    return said.toString();
  }

  private Map<String, String> environment(String variable, String value) throws IOException {
    Path token = Files.writeString(directory.resolve("token"), "secret");
    return Map.of("WINGS_CLUSTER_TOKEN_FILE", token.toString(), variable, value);
  }

  @Test
  void aWrongValueIsRefusedByWhereItStands() throws IOException {
    String config = file("# mine", "", "ingestor.flush-interval = 500", "ingestors=127.0.0.1");
    Map<String, String> rest = environment("WINGS_CONFIG", config);
    assertTrue(
        refused(rest, "ingestor")
            .contains(
                "invalid-duration: ingestor.flush-interval in %s:3: expected a whole"
                    .formatted(config)));
    assertTrue(
        refused(rest, "load-balancer", "--open")
            .contains("invalid-address: ingestors in %s:4: expected host".formatted(config)));
    assertTrue(
        refused(rest, "ingestor", "--flush-interval", "7")
            .contains("invalid-duration: --flush-interval: expected"));
    assertTrue(
        refused(environment("WINGS_FLUSH_INTERVAL", "500"), "ingestor")
            .contains("invalid-duration: WINGS_FLUSH_INTERVAL of the environment: expected"));
    assertTrue(
        refused(environment("WINGS_HTTP", "nowhere"), "broker", "--advertise", "h:1")
            .contains("invalid-address: WINGS_HTTP of the environment: expected"));
  }

  @Test
  void aValueOfTheWrongTypeIsRefusedByWhereItStands() throws IOException {
    String config = file("simulate-s3=yes");
    String said = refused(Map.of(), "worker", "--config", config);
    assertTrue(said.contains("usage-invalid: simulate-s3 in " + config + ":1: Invalid"), said);
    String typed = refused(Map.of(), "worker", "--simulate-s3=no");
    assertTrue(typed.contains("usage-invalid: Invalid value"), typed);
  }

  @Test
  void aTokenOfTheClusterThatIsNoneIsRefusedByItsFile() throws IOException {
    Path token = Files.writeString(directory.resolve("empty"), "\n");
    String said = refused(Map.of(), "ingestor", "--cluster-token-file", token.toString());
    assertTrue(said.contains("cluster-token-invalid: " + token + " is empty: expected"), said);
    String none = refused(Map.of(), "ingestor", "--cluster-token-file", directory + "/none");
    assertTrue(none.contains("none can't be read: there is no such file"), none);
    String client = refused(Map.of(), "table", "list", "--token-file", directory + "/none");
    assertTrue(client.contains("none can't be read: there is no such file"), client);
  }

  @Test
  void waysToLetClientsInThatContradictAreNamed() throws IOException {
    String config = file("open=true", "ingestors=h:1");
    String said =
        refused(environment("WINGS_CONFIG", config), "load-balancer", "--tls-client-ca", "ca.crt");
    assertTrue(
        said.contains(
            "authentication-unclear: open in %s:1 lets everybody in, --tls-client-ca says who"
                .formatted(config)),
        said);
    String catalog = refused(environment("WINGS_OPEN", "true"), "catalog", "--tokens-file", "t");
    assertTrue(
        catalog.contains("WINGS_OPEN of the environment lets everybody in, --tokens-file says"),
        catalog);
    String neither = refused(environment("WINGS_HTTP", "h:1"), "catalog");
    assertTrue(neither.contains("authentication-unclear: say --tokens-file FILE"), neither);
  }

  @Test
  void whatIsMissingOfTlsIsNamed() {
    assertEquals(
        "--tls-client-ca is given without --tls-cert and --tls-key: clients show certificates by"
            + " TLS only",
        incomplete("--tls-client-ca", "ca.crt"));
    assertEquals(
        "--tls-cert and --tls-key belong together, and --tls-key isn't given",
        incomplete("--tls-cert", "tls.crt"));
  }

  private static String incomplete(String... arguments) {
    ServerTls tls = CommandLine.populateCommand(new ServerTls(), arguments);
    WingsException error =
        assertThrows(WingsException.class, () -> tls.open(Time.system(), Threads.virtual()));
    assertEquals("tls-incomplete", error.code());
    return error.detail();
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
