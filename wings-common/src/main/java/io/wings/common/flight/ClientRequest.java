package io.wings.common.flight;

import com.google.protobuf.ByteString;
import io.wings.common.cluster.CatalogName;
import io.wings.common.cluster.Printable;
import io.wings.common.error.ErrorKind;
import io.wings.common.error.WingsException;
import io.wings.common.wal.Operation;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.arrow.flight.impl.Flight;
import org.jspecify.annotations.Nullable;

/**
 * What a client asks for in the descriptor of a DoPut stream: a path {@code [catalog, namespace…,
 * table]}, or {@code cmd} as JSON with this record's fields in snake_case. Only the load balancer
 * reads it; whatever is ambiguous or unknown is refused.
 *
 * @param producer null for an unnamed stream
 * @param epoch what {@code producer-state} answered; given exactly when {@code producer} is
 * @param partition opaque text that picks the lane of an unnamed stream; null for none
 */
public record ClientRequest(
    CatalogName catalog,
    List<String> namespace,
    String table,
    @Nullable String producer,
    @Nullable Long epoch,
    @Nullable String partition,
    Operation operation,
    Create create,
    OnReject onReject,
    Ack ack) {
  /** Bytes of {@code cmd} that are read. */
  public static final int MAX_COMMAND_BYTES = 64 << 10;

  /** Bytes of UTF-8 in a producer's name, and in a partition. */
  public static final int MAX_PRODUCER_BYTES = 256;

  static final int MAX_PARTITION_BYTES = 1024;

  private static final String WHAT = "cmd";

  /** How a serialised {@code google.protobuf.Any}, which Flight SQL sends, begins. */
  private static final ByteString FLIGHT_SQL =
      ByteString.copyFromUtf8("type.googleapis.com/arrow.flight.protocol.sql.");

  private static final int ANY_HEADER_BYTES = 2;

  public ClientRequest {
    TableName name = new TableName(catalog, namespace, table);
    namespace = name.namespace();
    operation = operation == null ? Operation.INSERT : operation;
    create = create == null ? Create.NEVER : create;
    onReject = onReject == null ? OnReject.FAIL : onReject;
    ack = ack == null ? Ack.DURABLE : ack;
    if (producer != null) {
      requireText("producer", producer, MAX_PRODUCER_BYTES);
      if (epoch == null) {
        throw WingsException.invalid(
            "epoch-missing",
            "producer '"
                + producer
                + "' comes without an epoch; call the action producer-state first and send the"
                + " epoch that it answers");
      }
    } else if (epoch != null) {
      throw WingsException.invalid(
          "request-invalid", "'epoch' comes without 'producer'; an unnamed stream has none");
    }
    if (epoch != null && epoch < 1) {
      throw WingsException.invalid("request-invalid", "'epoch' is at least 1, got " + epoch);
    }
    if (partition != null) {
      requireText("partition", partition, MAX_PARTITION_BYTES);
    }
  }

  /** Names that are hashed and stored: not empty, bounded, no control characters. */
  static void requireText(String field, String text, int maxBytes) {
    if (text.isEmpty()
        || text.length() > maxBytes
        || !TableName.isPrintable(text)
        || text.getBytes(StandardCharsets.UTF_8).length > maxBytes) {
      throw WingsException.invalid(
          "request-invalid",
          "'"
              + field
              + "' has 1 to "
              + maxBytes
              + " bytes of UTF-8 and no control characters, got \""
              + Printable.of(text)
              + "\"");
    }
  }

  /**
   * Reads a client's descriptor.
   *
   * @throws WingsException of kind INVALID for what is malformed, unknown or ambiguous, of kind
   *     UNSUPPORTED for Flight SQL
   */
  public static ClientRequest of(Flight.FlightDescriptor descriptor) {
    return switch (descriptor.getType()) {
      case PATH -> {
        TableName name = path(descriptor);
        yield new ClientRequest(
            name.catalog(),
            name.namespace(),
            name.table(),
            null,
            null,
            null,
            Operation.INSERT,
            Create.NEVER,
            OnReject.FAIL,
            Ack.DURABLE);
      }
      case CMD -> FlightJson.decode(ClientRequest.class, command(descriptor), WHAT);
      case UNKNOWN, UNRECOGNIZED -> throw unknownType();
    };
  }

  /**
   * Reads the descriptor of a look-up (GetSchema, GetFlightInfo): a path, or {@code cmd} as JSON
   * with {@code catalog}, {@code namespace} and {@code table} only.
   */
  public static TableName lookup(Flight.FlightDescriptor descriptor) {
    return switch (descriptor.getType()) {
      case PATH -> path(descriptor);
      case CMD -> FlightJson.decode(TableName.class, command(descriptor), WHAT);
      case UNKNOWN, UNRECOGNIZED -> throw unknownType();
    };
  }

  private static WingsException unknownType() {
    return WingsException.invalid(
        "descriptor-invalid",
        "expected a descriptor of type PATH [catalog, namespace…, table] or CMD (JSON)");
  }

  private static TableName path(Flight.FlightDescriptor descriptor) {
    if (!descriptor.getCmd().isEmpty()) {
      throw ambiguous();
    }
    List<String> path = descriptor.getPathList();
    if (path.size() < 3) {
      throw WingsException.invalid(
          "descriptor-invalid",
          "a path has at least three parts [catalog, namespace…, table], got " + path.size());
    }
    int last = path.size() - 1;
    return new TableName(new CatalogName(path.getFirst()), path.subList(1, last), path.get(last));
  }

  private static ByteString command(Flight.FlightDescriptor descriptor) {
    if (descriptor.getPathCount() > 0) {
      throw ambiguous();
    }
    ByteString command = descriptor.getCmd();
    if (command.size() > ANY_HEADER_BYTES + FLIGHT_SQL.size()
        && command.substring(ANY_HEADER_BYTES).startsWith(FLIGHT_SQL)) {
      throw new WingsException(
          ErrorKind.UNSUPPORTED,
          "flight-sql-unsupported",
          "this version takes no Flight SQL commands; send a path or a JSON cmd with DoPut");
    }
    if (command.size() > MAX_COMMAND_BYTES) {
      throw WingsException.invalid(
          "descriptor-invalid",
          "cmd has " + command.size() + " bytes, at most " + MAX_COMMAND_BYTES + " are read");
    }
    return command;
  }

  private static WingsException ambiguous() {
    return WingsException.invalid(
        "descriptor-ambiguous", "the descriptor has a path and a cmd; send one of them");
  }

  public TableName tableName() {
    return new TableName(catalog, namespace, table);
  }
}
