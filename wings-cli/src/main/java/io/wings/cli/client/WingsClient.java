package io.wings.cli.client;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.wings.cli.Unreadable;
import io.wings.common.error.ErrorKind;
import io.wings.common.error.WingsException;
import java.io.IOException;
import java.io.InputStream;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.CertificateException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import javax.net.ssl.SSLException;
import org.apache.arrow.flight.Action;
import org.apache.arrow.flight.CallOption;
import org.apache.arrow.flight.Criteria;
import org.apache.arrow.flight.FlightClient;
import org.apache.arrow.flight.FlightDescriptor;
import org.apache.arrow.flight.FlightInfo;
import org.apache.arrow.flight.FlightRuntimeException;
import org.apache.arrow.flight.FlightStatusCode;
import org.apache.arrow.flight.Location;
import org.apache.arrow.flight.Result;
import org.apache.arrow.flight.auth2.BearerCredentialWriter;
import org.apache.arrow.flight.grpc.CredentialCallOption;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.dictionary.DictionaryProvider;
import org.jspecify.annotations.Nullable;

/**
 * A connection to a load balancer. Errors of the server come as {@link WingsException} with the
 * server's own code and text.
 */
public final class WingsClient implements AutoCloseable {
  public static final ObjectMapper JSON = new ObjectMapper();

  private final String server;
  private final FlightClient flight;
  private final BufferAllocator allocator;
  private final CallOption[] options;

  private WingsClient(
      String server, FlightClient flight, BufferAllocator allocator, CallOption[] options) {
    this.server = server;
    this.flight = flight;
    this.allocator = allocator;
    this.options = options;
  }

  /**
   * Connects lazily.
   *
   * @param server {@code grpc://host:port} or {@code grpc+tls://host:port}
   * @param token bearer token, or null for an open cluster
   * @param authority of the server's certificate, PEM; null for those that the JDK trusts
   */
  public static WingsClient connect(
      String server, @Nullable String token, @Nullable Path authority, BufferAllocator allocator) {
    if (!server.matches("grpc(\\+tcp|\\+tls)?://.*")) {
      throw WingsException.invalid(
          "server-invalid", "expected grpc://host:port or grpc+tls://host:port, got " + server);
    }
    FlightClient flight = flight(server, authority, allocator);
    CallOption[] options =
        token == null
            ? new CallOption[0]
            : new CallOption[] {new CredentialCallOption(new BearerCredentialWriter(token))};
    return new WingsClient(server, flight, allocator, options);
  }

  /** The same, trusting whom the JDK trusts. */
  public static WingsClient connect(
      String server, @Nullable String token, BufferAllocator allocator) {
    return connect(server, token, null, allocator);
  }

  private static FlightClient flight(
      String server, @Nullable Path authority, BufferAllocator allocator) {
    FlightClient.Builder builder = FlightClient.builder(allocator, location(server));
    if (authority == null) {
      return builder.build();
    }
    try (InputStream trusted = Files.newInputStream(authority)) {
      return builder.trustedCertificates(trusted).build();
    } catch (IOException e) {
      throw WingsException.invalid(
          "server-ca-unreadable", authority + " can't be read: " + Unreadable.reason(e));
    }
  }

  private static Location location(String server) {
    try {
      return new Location(server);
    } catch (URISyntaxException e) {
      throw new WingsException(
          ErrorKind.INVALID, "server-invalid", "expected grpc://host:port, got " + server, e);
    }
  }

  /** Runs an action with a JSON body and returns its one JSON result, an empty object if none. */
  public JsonNode action(String type, ObjectNode body) {
    try {
      Iterator<Result> results =
          flight.doAction(
              new Action(type, body.toString().getBytes(StandardCharsets.UTF_8)), options);
      JsonNode answer = JSON.createObjectNode();
      while (results.hasNext()) {
        answer = json(results.next().getBody());
      }
      return answer;
    } catch (FlightRuntimeException e) {
      throw translated(e);
    }
  }

  /**
   * All tables that the caller may see, as descriptor paths {@code [catalog, namespace…, table]}.
   */
  public List<List<String>> tables() {
    try {
      List<List<String>> tables = new ArrayList<>();
      for (FlightInfo info : flight.listFlights(Criteria.ALL, options)) {
        tables.add(List.copyOf(info.getDescriptor().getPath()));
      }
      return tables;
    } catch (FlightRuntimeException e) {
      throw translated(e);
    }
  }

  /**
   * Opens a stream whose batches are what {@code root} holds at each {@code putNext}.
   *
   * @param command as the clients' guide says
   */
  FlightClient.ClientStreamListener put(
      ObjectNode command,
      VectorSchemaRoot root,
      DictionaryProvider dictionaries,
      FlightClient.PutListener listener) {
    byte[] cmd = command.toString().getBytes(StandardCharsets.UTF_8);
    return flight.startPut(FlightDescriptor.command(cmd), root, dictionaries, listener, options);
  }

  BufferAllocator allocator() {
    return allocator;
  }

  /** The server's error as it was meant: the code is the first word of the message. */
  WingsException translated(FlightRuntimeException e) {
    String message =
        String.valueOf(e.status().description()).replaceFirst(" \\(retry: (yes|no)\\)$", "");
    int colon = message.indexOf(": ");
    String code = colon > 0 ? message.substring(0, colon) : "call-failed";
    String detail = colon > 0 ? message.substring(colon + 2) : message;
    if (!code.matches("[a-z][a-z0-9-]*")) {
      code = "call-failed";
      detail = message;
    }
    if (code.equals("call-failed") && e.status().code() == FlightStatusCode.UNAVAILABLE) {
      code = "server-unreachable";
      detail = "no load balancer answers at %s %s".formatted(server, why(e, message));
    }
    ErrorKind kind =
        switch (e.status().code()) {
          case INVALID_ARGUMENT, UNIMPLEMENTED, ALREADY_EXISTS -> ErrorKind.INVALID;
          case NOT_FOUND -> ErrorKind.NOT_FOUND;
          case UNAUTHENTICATED, UNAUTHORIZED -> ErrorKind.UNAUTHENTICATED;
          case UNAVAILABLE, TIMED_OUT, CANCELLED, RESOURCE_EXHAUSTED -> ErrorKind.UNAVAILABLE;
          case OK, UNKNOWN, INTERNAL -> ErrorKind.INTERNAL;
        };
    return new WingsException(kind, code, detail, e);
  }

  private String why(FlightRuntimeException e, String message) {
    boolean tls = server.startsWith("grpc+tls");
    for (Throwable cause = e; cause != null; cause = cause.getCause()) {
      String said = String.valueOf(cause.getMessage());
      if (cause instanceof SSLException && said.contains("not an SSL/TLS record")) {
        return "by TLS; if it serves without, say grpc://";
      }
      if (cause instanceof CertificateException) {
        return "with a certificate that is good here (%s); --server-ca FILE names its authority"
            .formatted(said);
      }
    }
    return !tls && message.contains("Network closed for unknown reason")
        ? "(%s); is it running, and if it serves TLS, say grpc+tls://".formatted(message)
        : "(%s); is it running?".formatted(message);
  }

  /** Parses a JSON object that the server sent. */
  public static JsonNode json(byte[] bytes) {
    try {
      return JSON.readTree(new String(bytes, StandardCharsets.UTF_8));
    } catch (JsonProcessingException e) {
      throw new WingsException(
          ErrorKind.INTERNAL, "answer-unreadable", "the server's answer is not JSON", e);
    }
  }

  @Override
  public void close() {
    try {
      flight.close();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
