package io.wings.cli.role;

import static org.junit.jupiter.api.Assertions.assertEquals;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.wings.cli.Wings;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;

@Isolated
class PlaintextTokensTest {
  private final ListAppender<ILoggingEvent> logged = new ListAppender<>();
  private final Logger logger = (Logger) LoggerFactory.getLogger(ClientAccess.class);

  @TempDir private Path directory;

  @BeforeEach
  void listen() {
    logged.start();
    logger.addAppender(logged);
  }

  @AfterEach
  void stop() {
    logger.detachAppender(logged);
  }

  /** How many warnings a role gives that stops right after them, at its metrics' address. */
  private long warnings(String role, String... more) throws IOException {
    logged.list.clear();
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
    return logged.list.stream()
        .filter(event -> event.getFormattedMessage().contains("tokens in plaintext"))
        .count();
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
