package io.wings.catalog.secret.aws;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.wings.catalog.secret.SecretPointer.InAws;
import io.wings.catalog.secret.SecretServer;
import io.wings.catalog.secret.SecretStore;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;

/** GetSecretValue, and its refusals. */
public final class LocalSecretsManager implements SecretServer<InAws> {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final Map<String, String> secrets = new ConcurrentHashMap<>();
  private final HttpServer server;
  private volatile Answer answer = Answer.RIGHTLY;

  public LocalSecretsManager() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/", this::answer);
    server.start();
  }

  private void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      String name = JSON.readTree(exchange.getRequestBody()).path("SecretId").asText();
      ObjectNode body = JSON.createObjectNode();
      int status =
          switch (answer) {
            case RIGHTLY -> found(name, body);
            case DENIED -> refuse(body, 400, "AccessDeniedException");
            case THROTTLED -> refuse(body, 400, "ThrottlingException");
            case FAILING -> refuse(body, 500, "InternalServiceError");
            case UNAUTHENTICATED -> refuse(body, 400, "ExpiredTokenException");
          };
      byte[] bytes = JSON.writeValueAsBytes(body);
      exchange.getResponseHeaders().add("Content-Type", "application/x-amz-json-1.1");
      exchange.sendResponseHeaders(status, bytes.length);
      exchange.getResponseBody().write(bytes);
    }
  }

  private int found(String name, ObjectNode body) {
    String content = secrets.get(name);
    if (content == null) {
      return refuse(body, 400, "ResourceNotFoundException");
    }
    body.put("Name", name).put("SecretString", content);
    return 200;
  }

  private static int refuse(ObjectNode body, int status, String code) {
    body.put("__type", code).put("Message", "refused: " + QUOTED);
    return status;
  }

  @Override
  public InAws pointer(String name) {
    return new InAws("eu-central-1", "wings/" + name);
  }

  @Override
  public void put(String name, String content) {
    secrets.put("wings/" + name, content);
  }

  @Override
  public void answer(Answer answer) {
    this.answer = answer;
  }

  @Override
  public SecretStore<InAws> store() {
    URI uri = URI.create("http://127.0.0.1:" + server.getAddress().getPort());
    return new AwsSecrets(
        () -> StaticCredentialsProvider.create(AwsBasicCredentials.create("id", "key")),
        builder -> builder.endpointOverride(uri));
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
