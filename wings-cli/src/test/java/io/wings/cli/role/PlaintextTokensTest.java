package io.wings.cli.role;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.wings.cli.Wings;
import io.wings.common.log.LogLines;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

@Isolated
class PlaintextTokensTest {
  private final LogLines log = LogLines.of(ClientAccess.class);

  @TempDir private Path directory;

  @AfterEach
  void stop() {
    log.close();
  }

  /** How many warnings a role gives that stops right after them, at its metrics' address. */
  private long warnings(String role, String... more) throws IOException {
    log.clear();
    Path token = Files.writeString(directory.resolve("token"), "secret");
    List<String> typed = new ArrayList<>(List.of(role, "--http", "nowhere"));
    typed.addAll(List.of("--cluster-token-file", token.toString()));
    if (role.equals("load-balancer")) {
      typed.addAll(List.of("--ingestors", "h:1"));
    }
    typed.addAll(List.of(more));
    CommandLine line = Wings.commandLine();
    line.setErr(new PrintWriter(new StringWriter()));
    assertEquals(3, line.execute(typed.toArray(String[]::new)));
    return log.texts().stream().filter(text -> text.contains("tokens in plaintext")).count();
  }

  @ParameterizedTest
  @ValueSource(strings = {"load-balancer", "catalog"})
  void tokensWithoutTlsAreWarnedOf(String role) throws IOException {
    assertEquals(1, warnings(role, "--tokens-file", "t"));
    assertEquals(1, warnings(role, "--jwt-keys", "https://issuer/keys"));
    assertEquals(0, warnings(role, "--tokens-file", "t", "--tls-cert", "c", "--tls-key", "k"));
    assertEquals(0, warnings(role, "--open"));
  }
}
