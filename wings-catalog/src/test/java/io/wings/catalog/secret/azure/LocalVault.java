package io.wings.catalog.secret.azure;

import com.azure.core.credential.AccessToken;
import com.azure.core.credential.TokenCredential;
import com.azure.core.http.jdk.httpclient.JdkHttpClientBuilder;
import com.azure.security.keyvault.secrets.SecretClientBuilder;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import io.wings.catalog.secret.SecretPointer.InAzure;
import io.wings.catalog.secret.SecretServer;
import io.wings.catalog.secret.SecretStore;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.http.HttpClient;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import reactor.core.publisher.Mono;

/** {@code GET /secrets/NAME[/VERSION]} over TLS after the challenge, and its refusals. */
public final class LocalVault implements SecretServer<InAzure> {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String TOKEN = "token-of-the-process";
  private static final String PASSWORD = "changeit";
  private static final OffsetDateTime NEVER = OffsetDateTime.parse("9000-01-01T00:00:00Z");
  private static final String VAULT = "https://vault.azure.net";

  private final Map<String, List<String>> secrets = new ConcurrentHashMap<>();
  private final List<String> scopes = new CopyOnWriteArrayList<>();
  private final SSLContext tls;
  private final HttpsServer server;
  private volatile Answer answer = Answer.RIGHTLY;

  /**
   * @param directory for its certificate
   */
  public LocalVault(Path directory)
      throws IOException, InterruptedException, GeneralSecurityException {
    tls = tls(certificate(directory));
    server = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setHttpsConfigurator(new HttpsConfigurator(tls));
    server.createContext("/", this::answer);
    server.start();
  }

  private static Path certificate(Path directory) throws IOException, InterruptedException {
    Path file = directory.resolve("vault.p12");
    if (!Files.exists(file)) {
      List<String> command = new ArrayList<>();
      command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
      command.addAll(List.of("-genkeypair", "-alias", "vault", "-keyalg", "EC", "-validity", "2"));
      command.addAll(List.of("-dname", "CN=localhost", "-ext", "san=dns:localhost"));
      command.addAll(List.of("-storetype", "PKCS12", "-storepass", PASSWORD));
      command.addAll(List.of("-keystore", file.toString()));
      Process keytool = new ProcessBuilder(command).redirectErrorStream(true).start();
      String said = new String(keytool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      if (keytool.waitFor() != 0) {
        throw new IOException(said);
      }
    }
    return file;
  }

  private static SSLContext tls(Path file) throws IOException, GeneralSecurityException {
    KeyStore store = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(file)) {
      store.load(in, PASSWORD.toCharArray());
    }
    KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    keys.init(store, PASSWORD.toCharArray());
    TrustManagerFactory trust =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(store);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
    return context;
  }

  private void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      exchange.getRequestBody().readAllBytes();
      String token = exchange.getRequestHeaders().getFirst("Authorization");
      ObjectNode body = JSON.createObjectNode();
      int status;
      if (!("Bearer " + TOKEN).equals(token) || answer == Answer.UNAUTHENTICATED) {
        exchange
            .getResponseHeaders()
            .add(
                "WWW-Authenticate",
                "Bearer authorization=\"https://login.microsoftonline.com/tenant\", resource=\""
                    + VAULT
                    + "\"");
        status = refuse(body, 401, "Unauthorized");
      } else {
        status =
            switch (answer) {
              case RIGHTLY, UNAUTHENTICATED -> found(exchange.getRequestURI().getPath(), body);
              case DENIED -> refuse(body, 403, "Forbidden");
              case THROTTLED -> {
                exchange.getResponseHeaders().add("Retry-After", "600");
                yield refuse(body, 429, "Throttled");
              }
              case FAILING -> refuse(body, 503, "ServiceUnavailable");
            };
      }
      byte[] bytes = JSON.writeValueAsBytes(body);
      exchange.getResponseHeaders().add("Content-Type", "application/json");
      exchange.sendResponseHeaders(status, bytes.length);
      exchange.getResponseBody().write(bytes);
    }
  }

  private int found(String path, ObjectNode body) {
    String[] parts = path.split("/", -1);
    List<String> versions = secrets.getOrDefault(parts[2], List.of());
    boolean current = parts.length < 4 || parts[3].isEmpty();
    int index = current ? versions.size() - 1 : Integer.parseInt(parts[3]);
    if (index < 0 || index >= versions.size()) {
      return refuse(body, 404, "SecretNotFound");
    }
    body.put("value", versions.get(index))
        .put("id", "https://localhost/secrets/" + parts[2] + "/" + version(index));
    body.putObject("attributes").put("enabled", true);
    return 200;
  }

  private static int refuse(ObjectNode body, int status, String code) {
    body.putObject("error").put("code", code).put("message", "refused: " + QUOTED);
    return status;
  }

  private static String version(int index) {
    return String.format("%032d", index);
  }

  @Override
  public InAzure pointer(String name) {
    return new InAzure("local.vault.azure.net", name, Optional.empty());
  }

  /** Of a version, counted from 0. */
  public InAzure pointer(String name, int version) {
    return new InAzure("local.vault.azure.net", name, Optional.of(version(version)));
  }

  @Override
  public void put(String name, String content) {
    secrets.computeIfAbsent(name, _ -> new CopyOnWriteArrayList<>()).add(content);
  }

  @Override
  public void answer(Answer answer) {
    this.answer = answer;
  }

  /** The scopes that tokens were asked for. */
  public List<String> scopes() {
    return scopes;
  }

  @Override
  public SecretStore<InAzure> store() {
    return new AzureKeyVault(
        this::connections, builder -> reach(builder).disableChallengeResourceVerification());
  }

  /** One that checks, as it does in earnest, that the challenge is for the vault's own domain. */
  public SecretStore<InAzure> suspiciousStore() {
    return new AzureKeyVault(this::connections, this::reach);
  }

  private SecretClientBuilder reach(SecretClientBuilder builder) {
    return builder.vaultUrl("https://localhost:" + server.getAddress().getPort());
  }

  private AzureKeyVault.Connections connections() {
    TokenCredential credential =
        asked -> {
          scopes.addAll(asked.getScopes());
          return Mono.just(new AccessToken(TOKEN, NEVER));
        };
    return new AzureKeyVault.Connections(
        new JdkHttpClientBuilder(HttpClient.newBuilder().sslContext(tls)).build(), credential);
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
