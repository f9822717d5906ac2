package io.wings.common.flight;

import io.wings.common.cluster.Printable;
import io.wings.common.config.Suggestion;
import io.wings.common.error.WingsException;
import java.util.Arrays;
import org.apache.arrow.flight.impl.Flight;

/** The actions of Wings. Bodies and results are JSON; each action answers exactly one result. */
public enum FlightAction {
  CREATE_TABLE(
      "create-table",
      "{catalog, namespace, table, schema: base64 Arrow IPC schema, partition_spec, sort_order:"
          + " Iceberg JSON, properties} -> as describe-table"),
  DESCRIBE_TABLE(
      "describe-table",
      "{catalog, namespace, table} -> {uuid, incarnation, lanes, watermarks, metadata_location,"
          + " schema}"),
  DROP_TABLE("drop-table", "{catalog, namespace, table} -> {uuid}"),
  PRODUCER_STATE(
      "producer-state",
      "{catalog, namespace, table, producer} -> {epoch, sequence, token, rejected}; fences older"
          + " epochs"),
  FLUSH("flush", "{catalog, namespace, table, lane?} -> {positions}"),
  AWAIT_VISIBLE(
      "await-visible",
      "{catalog, namespace, table, incarnation, lane, position, timeout_ms} -> {status,"
          + " snapshot_id}");

  private final String type;
  private final String description;

  FlightAction(String type, String description) {
    this.type = type;
    this.description = description;
  }

  /** The action's name on the wire. */
  public String type() {
    return type;
  }

  /** What it takes and gives, for ListActions. */
  public String description() {
    return description;
  }

  /**
   * The action that is called {@code type} on the wire.
   *
   * @throws WingsException {@code action-unknown}, with a suggestion
   */
  public static FlightAction of(String type) {
    return Arrays.stream(values())
        .filter(action -> action.type.equals(type))
        .findFirst()
        .orElseThrow(
            () ->
                Suggestion.unknown(
                    "action-unknown",
                    "action",
                    Printable.of(type),
                    Arrays.stream(values()).map(FlightAction::type).toList()));
  }

  public Flight.ActionType toActionType() {
    return Flight.ActionType.newBuilder().setType(type).setDescription(description).build();
  }
}
