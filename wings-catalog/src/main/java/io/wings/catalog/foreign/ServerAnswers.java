package io.wings.catalog.foreign;

import io.wings.common.cluster.Printable;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.apache.iceberg.exceptions.CommitStateUnknownException;
import org.apache.iceberg.exceptions.RESTException;
import org.apache.iceberg.rest.ParserContext;
import org.apache.iceberg.rest.RESTClient;
import org.apache.iceberg.rest.RESTRequest;
import org.apache.iceberg.rest.RESTResponse;
import org.apache.iceberg.rest.auth.AuthSession;
import org.apache.iceberg.rest.auth.OAuth2Properties;
import org.apache.iceberg.rest.requests.UpdateTableRequest;
import org.apache.iceberg.rest.responses.ConfigResponse;
import org.apache.iceberg.rest.responses.ErrorResponse;
import org.apache.iceberg.rest.responses.LoadTableResponse;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stands between a REST catalog's client and its server, and lets through of the server's settings
 * only what is listed, and of its errors no more than their kind.
 */
final class ServerAnswers implements RESTClient {
  private static final Logger LOG = LoggerFactory.getLogger(ServerAnswers.class);

  /**
   * What a server may set. Not among them: another address (of itself, of a token server, of object
   * storage), classes, headers, and its offer to take a post twice, upon which the client would
   * retry commits.
   */
  private static final Set<String> ALLOWED =
      Set.of(
          "prefix",
          "namespace-separator",
          "client.region",
          "s3.access-key-id",
          "s3.secret-access-key",
          "s3.session-token",
          "s3.session-token-expires-at-ms",
          "s3.path-style-access");

  /** Answers to whether something is there, and to a commit that another came before. */
  private static final Set<Integer> EXPECTED = Set.of(404, 409);

  /** Errors that Iceberg tells apart by their names. */
  private static final Set<String> TYPES =
      Set.of(
          "NoSuchNamespaceException",
          "NoSuchTableException",
          OAuth2Properties.INVALID_CLIENT_ERROR,
          OAuth2Properties.INVALID_REQUEST_ERROR,
          OAuth2Properties.INVALID_GRANT_ERROR,
          OAuth2Properties.UNAUTHORIZED_CLIENT_ERROR,
          OAuth2Properties.UNSUPPORTED_GRANT_TYPE_ERROR,
          OAuth2Properties.INVALID_SCOPE_ERROR);

  private final String name;
  private final RESTClient client;
  private final UnaryOperator<String> redact;

  /**
   * @param name of the catalog, for the log
   */
  ServerAnswers(String name, RESTClient client, UnaryOperator<String> redact) {
    this.name = name;
    this.client = client;
    this.redact = redact;
  }

  @Override
  public RESTClient withAuthSession(AuthSession session) {
    return new ServerAnswers(name, client.withAuthSession(session), redact);
  }

  private static Map<String, String> allowed(Map<String, String> sent) {
    Map<String, String> kept = new HashMap<>(sent);
    kept.keySet().retainAll(ALLOWED);
    if (kept.size() < sent.size()) {
      Set<String> dropped = new TreeSet<>(sent.keySet());
      dropped.removeAll(ALLOWED);
      LOG.debug("the catalog's server sent settings that it may not set: {}", dropped);
    }
    return kept;
  }

  private <T extends RESTResponse> T filtered(T answer, Class<T> type) {
    return switch (answer) {
      case ConfigResponse config ->
          type.cast(
              ConfigResponse.builder()
                  .withDefaults(allowed(config.defaults()))
                  .withOverrides(allowed(config.overrides()))
                  .withEndpoints(config.endpoints())
                  .build());
      case LoadTableResponse table ->
          type.cast(
              LoadTableResponse.builder()
                  .withTableMetadata(table.tableMetadata())
                  .addAllConfig(allowed(table.config()))
                  .addAllCredentials(table.credentials())
                  .build());
      case null, default -> answer;
    };
  }

  /** A commit whose connection broke may have landed; Iceberg's client calls that a failure. */
  private <T extends RESTResponse> T posted(RESTRequest body, Supplier<T> post, Class<T> type) {
    try {
      return filtered(post.get(), type);
    } catch (RESTException e) {
      if (body instanceof UpdateTableRequest && e.getCause() instanceof IOException) {
        throw new CommitStateUnknownException(e);
      }
      throw e;
    }
  }

  private Consumer<ErrorResponse> handler(Consumer<ErrorResponse> handler) {
    return error -> handler.accept(told(error));
  }

  /** An error in words of Wings' own; the server's are for the log. */
  private ErrorResponse told(ErrorResponse error) {
    String type = String.valueOf(error.type());
    String said = Printable.of(redact.apply(type + ": " + error.message()));
    if (EXPECTED.contains(error.code())) {
      LOG.debug("catalog {}: its server answers {}: {}", name, error.code(), said);
    } else {
      LOG.warn("catalog {}: its server answers {}: {}", name, error.code(), said);
    }
    return ErrorResponse.builder()
        .responseCode(error.code())
        .withType(TYPES.contains(type) ? type : RESTException.class.getSimpleName())
        .withMessage("its server answers with HTTP status " + error.code() + ", the log says more")
        .build();
  }

  @Override
  public void head(String path, Map<String, String> headers, Consumer<ErrorResponse> errors) {
    client.head(path, headers, handler(errors));
  }

  @Override
  public <T extends RESTResponse> T delete(
      String path, Class<T> type, Map<String, String> headers, Consumer<ErrorResponse> errors) {
    return client.delete(path, type, headers, handler(errors));
  }

  @Override
  public <T extends RESTResponse> T delete(
      String path,
      Map<String, String> query,
      Class<T> type,
      Map<String, String> headers,
      Consumer<ErrorResponse> errors) {
    return client.delete(path, query, type, headers, handler(errors));
  }

  @Override
  public <T extends RESTResponse> T get(
      String path,
      Map<String, String> query,
      Class<T> type,
      Map<String, String> headers,
      Consumer<ErrorResponse> errors) {
    return filtered(client.get(path, query, type, headers, handler(errors)), type);
  }

  @Override
  public <T extends RESTResponse> T get(
      String path,
      Map<String, String> query,
      Class<T> type,
      Map<String, String> headers,
      Consumer<ErrorResponse> errors,
      ParserContext context) {
    return filtered(client.get(path, query, type, headers, handler(errors), context), type);
  }

  @Override
  public <T extends RESTResponse> T get(
      String path,
      Map<String, String> query,
      Class<T> type,
      Map<String, String> headers,
      Consumer<ErrorResponse> errors,
      Consumer<Map<String, String>> answerHeaders) {
    return filtered(client.get(path, query, type, headers, handler(errors), answerHeaders), type);
  }

  @Override
  public <T extends RESTResponse> T post(
      String path,
      RESTRequest body,
      Class<T> type,
      Map<String, String> headers,
      Consumer<ErrorResponse> errors) {
    return posted(body, () -> client.post(path, body, type, headers, handler(errors)), type);
  }

  @Override
  public <T extends RESTResponse> T post(
      String path,
      RESTRequest body,
      Class<T> type,
      Map<String, String> headers,
      Consumer<ErrorResponse> errors,
      Consumer<Map<String, String>> answerHeaders) {
    return posted(
        body, () -> client.post(path, body, type, headers, handler(errors), answerHeaders), type);
  }

  @Override
  public <T extends RESTResponse> T post(
      String path,
      RESTRequest body,
      Class<T> type,
      Map<String, String> headers,
      Consumer<ErrorResponse> errors,
      Consumer<Map<String, String>> answerHeaders,
      ParserContext context) {
    return posted(
        body,
        () -> client.post(path, body, type, headers, handler(errors), answerHeaders, context),
        type);
  }

  @Override
  public <T extends RESTResponse> T postForm(
      String path,
      Map<String, String> form,
      Class<T> type,
      Map<String, String> headers,
      Consumer<ErrorResponse> errors) {
    return filtered(client.postForm(path, form, type, headers, handler(errors)), type);
  }

  @Override
  public void close() throws IOException {
    client.close();
  }
}
