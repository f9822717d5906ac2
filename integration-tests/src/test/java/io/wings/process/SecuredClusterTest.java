package io.wings.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.wings.cli.client.RoleMetrics;
import io.wings.common.auth.TestTokens;
import io.wings.common.tls.TestAuthority;
import io.wings.common.tls.TlsFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Roles that know one another by certificates, and clients by tokens, over TLS, with grants. */
@Tag("long")
class SecuredClusterTest {
  private static final String TABLE = "main.shop.orders";

  @TempDir private Path directory;
  private final TestAuthority companys = new TestAuthority("a company's");
  private TestCluster cluster;
  private TlsFiles own;
  private TlsFiles shown;
  private WingsProcess balancer;

  @BeforeEach
  void start() throws Exception {
    own = new TestAuthority("the cluster's").issue(directory.resolve("own"), "role", "wings");
    shown = companys.issue(directory.resolve("shown"), "wings.example", "localhost");
    Path tokens =
        TestTokens.file(
            directory, TestTokens.line("loader", "loads"), TestTokens.line("guest", "visits"));
    cluster = new TestCluster(directory);
    cluster.everyRole(transport());
    WingsProcess _ = cluster.broker();
    WingsProcess ingestor = cluster.ingestor("ingestor", "--flush-interval", "100ms");
    WingsProcess _ = cluster.worker("worker");
    grant("add", "--principal", "loader", "--catalog", "main", "create", "write");
    balancer =
        cluster.start(
            "load-balancer",
            "load-balancer",
            "--listen",
            "127.0.0.1:0",
            "--ingestors",
            ingestor.address(),
            "--tokens-file",
            tokens.toString(),
            "--tls-cert",
            shown.certificates().toString(),
            "--tls-key",
            shown.key().toString());
  }

  @AfterEach
  void stop() {
    cluster.close();
  }

  private String[] transport() {
    return new String[] {
      "--cluster-cert",
      own.certificates().toString(),
      "--cluster-key",
      own.key().toString(),
      "--cluster-ca",
      own.authorities().orElseThrow().toString()
    };
  }

  private void grant(String... arguments) {
    List<String> all = new ArrayList<>(List.of("grant"));
    all.addAll(Arrays.asList(arguments));
    all.addAll(List.of("--store", cluster.address()));
    DevCommands.Ended ended = DevCommands.run(all.toArray(String[]::new));
    assertEquals(0, ended.code(), ended.err());
  }

  private DevCommands.Ended client(String scheme, String token, String... arguments)
      throws IOException {
    List<String> all = new ArrayList<>(Arrays.asList(arguments));
    all.addAll(List.of("--server", scheme + "://" + balancer.address()));
    all.addAll(List.of("--server-ca", shown.authorities().orElseThrow().toString()));
    all.addAll(
        List.of("--token-file", Files.writeString(directory.resolve("token"), token).toString()));
    return DevCommands.run(all.toArray(String[]::new));
  }

  @Test
  void rowsGoInByTlsAndTokenWhereTheyAreGranted() throws Exception {
    Path rows = Files.writeString(directory.resolve("rows.csv"), "id,city\n1,Osaka\n2,Bern\n");
    String[] ingest = {"ingest", "--create", "--table", TABLE, rows.toString()};
    DevCommands.Ended stored = client("grpc+tls", "loads", ingest);
    assertEquals(0, stored.code(), stored.err());
    assertTrue(client("grpc+tls", "loads", "table", "list").out().contains(TABLE));

    DevCommands.Ended guest = client("grpc+tls", "visits", "table", "describe", TABLE);
    assertTrue(guest.err().contains("table-not-found"), guest.err());
    grant("add", "--principal", "guest", "--table", TABLE, "read");
    DevCommands.Ended granted = client("grpc+tls", "visits", "table", "describe", TABLE);
    for (int i = 0; i < 300 && granted.code() != 0; i++) {
      Thread.sleep(100);
      granted = client("grpc+tls", "visits", "table", "describe", TABLE);
    }
    assertEquals(0, granted.code(), granted.err());
    DevCommands.Ended dropping = client("grpc+tls", "visits", "table", "drop", TABLE);
    assertTrue(dropping.err().contains("forbidden"), dropping.err());

    assertTrue(client("grpc+tls", "guesses", "table", "list").err().contains("unauthenticated"));
    assertNotEquals(0, client("grpc", "loads", "table", "list").code(), "without TLS");
  }

  /** Trap 24: who watches it is told before nobody connects any more. */
  @Test
  void metricsTellHowLongEachCertificateIsGood() throws Exception {
    RoleMetrics metrics = balancer.metrics();
    double day = Duration.ofDays(1).toSeconds();
    for (String certificate : List.of("cluster", "clients")) {
      double left =
          metrics.sum(
              "wings_tls_certificate_left_seconds{certificate=\"%s\"}".formatted(certificate));
      assertTrue(left > 0 && left <= day, certificate + ": " + left);
    }
  }

  /** Section 12: the ports inside take nobody but the cluster's own. */
  @Test
  void theBrokerAnswersOnlyWhoShowsTheClustersCertificate() {
    String[] list = {
      "queue",
      "list",
      "--store",
      cluster.address(),
      "--cluster-token-file",
      cluster.token().toString()
    };
    List<String> secured = new ArrayList<>(Arrays.asList(list));
    secured.addAll(Arrays.asList(transport()));
    DevCommands.Ended known = DevCommands.run(secured.toArray(String[]::new));
    assertEquals(0, known.code(), known.err());
    assertEquals(4, DevCommands.run(list).code(), "the token alone is not enough");
  }
}
