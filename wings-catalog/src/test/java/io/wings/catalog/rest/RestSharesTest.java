package io.wings.catalog.rest;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.wings.common.auth.TestIssuer;
import io.wings.common.cluster.CatalogName;
import io.wings.common.grant.Access;
import io.wings.common.grant.Grants;
import io.wings.common.grant.Privilege;
import io.wings.common.grant.Scope;
import io.wings.common.grant.Subject;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who asks for much, or slowly, takes of their own share. All ask from one address. */
class RestSharesTest {
  private static final String TOKENS = "/v1/oauth/tokens";
  private static final String NAMESPACES = "/v1/main/namespaces";
  private static final Scope MAIN = new Scope.Catalog(new CatalogName("main"));
  private static final Scope SLOW = new Scope.Catalog(new CatalogName("slow"));

  private final TestIssuer issuer;
  private final LocalRestServer server;
  private final List<Socket> open = new ArrayList<>();

  RestSharesTest(@TempDir Path directory) throws IOException {
    this.issuer = new TestIssuer(Files.createDirectories(directory.resolve("issuer")));
    Grants grants = Grants.NONE;
    for (String principal : List.of("alice", "bob")) {
      grants = grants.with(new Subject.Principal(principal), MAIN, Set.of(Privilege.CREATE));
      grants = grants.with(new Subject.Principal(principal), SLOW, Set.of(Privilege.READ));
    }
    Grants fixed = grants;
    this.server =
        new LocalRestServer(
            directory,
            new RestCatalogSettings(
                LocalRestServer.LOOPBACK,
                Optional.empty(),
                issuer.authenticator(),
                new Access.Granted(() -> fixed)));
    server.tenants().wings("main").close();
  }

  @AfterEach
  void close() throws IOException {
    for (Socket socket : open) {
      socket.close();
    }
    server.close();
  }

  /** Announces a body and sends a part of it. */
  private Socket begin(String method, String path, Optional<String> token, int length, int sent)
      throws IOException {
    int port = Integer.parseInt(server.uri().split(":", -1)[2]);
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
    open.add(socket);
    socket.setSoTimeout(20_000);
    OutputStream out = socket.getOutputStream();
    String authorization = token.map(some -> "Authorization: Bearer " + some + "\r\n").orElse("");
    out.write(
        "%s %s HTTP/1.1\r\nHost: x\r\n%sContent-Length: %d\r\n\r\n"
            .formatted(method, path, authorization, length)
            .getBytes(UTF_8));
    try {
      out.write(" ".repeat(sent).getBytes(UTF_8));
      out.flush();
    } catch (IOException _) {
      // Refused before the end.
    }
    return socket;
  }

  private static int status(Socket socket) throws IOException {
    BufferedReader in = new BufferedReader(new InputStreamReader(socket.getInputStream(), UTF_8));
    return Integer.parseInt(String.valueOf(in.readLine()).split(" ", -1)[1]);
  }

  private int create(String principal, String namespace) throws IOException {
    String body = "{\"namespace\":[\"%s\"]}".formatted(namespace);
    Socket socket =
        begin("POST", NAMESPACES, Optional.of(issuer.token(principal)), body.length(), 0);
    socket.getOutputStream().write(body.getBytes(UTF_8));
    return status(socket);
  }

  @Test
  void takesNoLargeFormForATokenFromAnybody() throws IOException {
    int most = RequestBodies.MAX_FORM_BYTES;

    assertThat(status(begin("POST", TOKENS, Optional.empty(), most, most))).isEqualTo(400);
    assertThat(status(begin("POST", TOKENS, Optional.empty(), most + 1, most + 1))).isEqualTo(413);
  }

  @Test
  void formsForTokensLeaveTheRoomOfThoseWhoAreKnown() throws IOException {
    for (int i = 0; i < 100; i++) {
      begin("POST", TOKENS, Optional.empty(), RequestBodies.MAX_FORM_BYTES, 10);
    }

    assertThat(status(begin("POST", TOKENS, Optional.empty(), 10, 10))).isEqualTo(503);
    assertThat(create("alice", "hers")).isEqualTo(200);
  }

  @Test
  void onePrincipalsBodiesLeaveTheRoomOfAnothers() throws Exception {
    int most = RequestBodies.MAX_BYTES;
    begin("POST", NAMESPACES, Optional.of(issuer.token("alice")), most, most - 1);
    // Two fill her share, and one that meets a request of hers at the end of it is refused: another
    // is begun then.
    int alices = 200;
    for (int i = 0; alices == 200 && i < 20; i++) {
      begin("POST", NAMESPACES, Optional.of(issuer.token("alice")), most, most - 1);
      for (int j = 0; alices == 200 && j < 10; j++) {
        Thread.sleep(50);
        alices = create("alice", "a%d.%d".formatted(i, j));
      }
    }
    assertThat(alices).isEqualTo(503);
    assertThat(create("bob", "his")).isEqualTo(200);
  }

  /** Its connections are taken, and nothing is ever said on them. */
  @Test
  void aTenantWhoseStorageHangsLeavesTheOthersTheirPermits() throws Exception {
    try (ServerSocket storage = new ServerSocket(0, 200, InetAddress.getLoopbackAddress())) {
      Map<String, String> secret = new HashMap<>();
      secret.put("type", "wings");
      secret.put("warehouse", "s3://bucket/slow");
      secret.put("s3.endpoint", "http://127.0.0.1:" + storage.getLocalPort());
      secret.put("s3.path-style-access", "true");
      secret.put("s3.access-key-id", "key");
      secret.put("s3.secret-access-key", "secret");
      server.tenants().register("slow", secret);
      Optional<String> alice = Optional.of(issuer.token("alice"));
      for (int i = 0; i < 140; i++) {
        begin("GET", "/v1/slow/namespaces", alice, 0, 0);
      }

      int alices = create("alice", "a0");
      for (int i = 1; alices == 200 && i < 100; i++) {
        Thread.sleep(50);
        alices = create("alice", "a" + i);
      }
      assertThat(alices).as("her share is used up").isEqualTo(503);
      Optional<String> bob = Optional.of(issuer.token("bob"));
      assertThat(status(begin("GET", "/v1/slow/namespaces", bob, 0, 0)))
          .as("so is that catalog's")
          .isEqualTo(503);
      assertThat(create("bob", "his")).isEqualTo(200);
    }
  }

  /** Whatever the path: the answer doesn't wait for the body. */
  @Test
  void readsNothingOfWhoIsNotKnown() throws IOException {
    List<String> paths = new ArrayList<>(List.of("GET /v1/config", "POST /v1/nothing", "GET /"));
    for (Route route : Route.values()) {
      String path = route.endpoint().path();
      paths.add(route.endpoint().httpMethod() + " " + path.replaceAll("\\{[a-z]+}", "main"));
    }
    for (String path : paths) {
      String[] parts = path.split(" ", -1);
      Socket socket = begin(parts[0], parts[1], Optional.of("guessed"), 1024, 0);
      assertThat(status(socket)).as(path).isEqualTo(401);
    }
  }
}
