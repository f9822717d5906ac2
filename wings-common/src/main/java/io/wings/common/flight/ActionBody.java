package io.wings.common.flight;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.protobuf.ByteString;
import io.wings.common.cluster.CatalogName;
import io.wings.common.cluster.LaneId;
import io.wings.common.error.WingsException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.arrow.flight.impl.Flight;
import org.jspecify.annotations.Nullable;

/** The body of an action: always about one table. */
public sealed interface ActionBody {
  CatalogName catalog();

  List<String> namespace();

  String table();

  default TableName tableName() {
    return new TableName(catalog(), namespace(), table());
  }

  /** The canonical JSON, UTF-8. */
  default ByteString toJson() {
    return FlightJson.encode(this);
  }

  /**
   * Reads an action's body.
   *
   * @throws WingsException {@code action-unknown} or {@code request-invalid}
   */
  static ActionBody of(Flight.Action action) {
    FlightAction type = FlightAction.of(action.getType());
    Class<? extends ActionBody> body =
        switch (type) {
          case CREATE_TABLE -> CreateTable.class;
          case DESCRIBE_TABLE -> DescribeTable.class;
          case DROP_TABLE -> DropTable.class;
          case PRODUCER_STATE -> OpenProducer.class;
          case FLUSH -> Flush.class;
          case AWAIT_VISIBLE -> AwaitVisible.class;
        };
    return FlightJson.decode(body, action.getBody(), "body of " + type.type());
  }

  /** The action that it is the body of. */
  default FlightAction action() {
    return switch (this) {
      case CreateTable _ -> FlightAction.CREATE_TABLE;
      case DescribeTable _ -> FlightAction.DESCRIBE_TABLE;
      case DropTable _ -> FlightAction.DROP_TABLE;
      case OpenProducer _ -> FlightAction.PRODUCER_STATE;
      case Flush _ -> FlightAction.FLUSH;
      case AwaitVisible _ -> FlightAction.AWAIT_VISIBLE;
    };
  }

  default Flight.Action toAction() {
    return Flight.Action.newBuilder().setType(action().type()).setBody(toJson()).build();
  }

  /**
   * Makes a table. Answers a {@link TableDescription}.
   *
   * @param schema base64 of an Arrow IPC schema message
   * @param partitionSpec Iceberg's JSON; null for none
   * @param sortOrder Iceberg's JSON; null for none
   * @param properties of the table; null for none
   */
  record CreateTable(
      CatalogName catalog,
      List<String> namespace,
      String table,
      String schema,
      @Nullable JsonNode partitionSpec,
      @Nullable JsonNode sortOrder,
      Map<String, String> properties)
      implements ActionBody {
    public CreateTable {
      namespace = new TableName(catalog, namespace, table).namespace();
      TableName.requirePresent("schema", schema);
      byte[] _ = FlightJson.base64("schema", schema);
      properties = properties == null ? Map.of() : Map.copyOf(properties);
    }

    /** The Arrow IPC schema message. */
    public byte[] schemaMessage() {
      return FlightJson.base64("schema", schema);
    }
  }

  /** Tells what a table is. Answers a {@link TableDescription}. */
  record DescribeTable(CatalogName catalog, List<String> namespace, String table)
      implements ActionBody {
    public DescribeTable {
      namespace = new TableName(catalog, namespace, table).namespace();
    }
  }

  /** Drops a table from its catalog; files stay. Answers {@link ActionReply.Dropped}. */
  record DropTable(CatalogName catalog, List<String> namespace, String table)
      implements ActionBody {
    public DropTable {
      namespace = new TableName(catalog, namespace, table).namespace();
    }
  }

  /** The action {@code producer-state}. Answers {@link ActionReply.ProducerOpened}. */
  record OpenProducer(CatalogName catalog, List<String> namespace, String table, String producer)
      implements ActionBody {
    public OpenProducer {
      namespace = new TableName(catalog, namespace, table).namespace();
      TableName.requirePresent("producer", producer);
      ClientRequest.requireText("producer", producer, ClientRequest.MAX_PRODUCER_BYTES);
    }
  }

  /**
   * Waits until all that was received is durable. Answers {@link ActionReply.Flushed}.
   *
   * @param lane only this one; null for all
   */
  record Flush(CatalogName catalog, List<String> namespace, String table, @Nullable Integer lane)
      implements ActionBody {
    public Flush {
      namespace = new TableName(catalog, namespace, table).namespace();
      if (lane != null) {
        requireLane(lane);
      }
    }

    /** All that is the same, for one lane. */
    public Flush ofLane(int one) {
      return new Flush(catalog, namespace, table, one);
    }
  }

  private static void requireLane(int lane) {
    if (lane < 0 || lane >= LaneId.MAX_LANES) {
      throw WingsException.invalid(
          "request-invalid", "'lane' is 0 to " + (LaneId.MAX_LANES - 1) + ", got " + lane);
    }
  }

  /**
   * Waits until a position is in the table. Answers {@link ActionReply.Visible}; when the time runs
   * out, UNAVAILABLE {@code not-visible-yet}.
   */
  record AwaitVisible(
      CatalogName catalog,
      List<String> namespace,
      String table,
      String incarnation,
      int lane,
      long position,
      long timeoutMs)
      implements ActionBody {
    /** Longer waits are refused; a client asks again. */
    public static final Duration MAX_TIMEOUT = Duration.ofMinutes(10);

    public AwaitVisible {
      namespace = new TableName(catalog, namespace, table).namespace();
      TableName.requirePresent("incarnation", incarnation);
      requireLane(lane);
      if (position < 0) {
        throw WingsException.invalid(
            "request-invalid", "'position' is at least 0, got " + position);
      }
      if (timeoutMs < 0 || timeoutMs > MAX_TIMEOUT.toMillis()) {
        throw WingsException.invalid(
            "request-invalid",
            "'timeout_ms' is 0 to " + MAX_TIMEOUT.toMillis() + ", got " + timeoutMs);
      }
    }

    public Duration timeout() {
      return Duration.ofMillis(timeoutMs);
    }
  }
}
