package io.wings.common.flight;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.protobuf.ByteString;
import io.wings.common.cluster.Position;
import io.wings.common.error.WingsException;
import io.wings.common.wal.SequenceRange;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.arrow.flight.impl.Flight;
import org.jspecify.annotations.Nullable;

/** The one result of an action, as JSON. */
public sealed interface ActionReply {
  default Flight.Result toResult() {
    return Flight.Result.newBuilder().setBody(FlightJson.encode(this)).build();
  }

  /**
   * Reads a reply of a known type.
   *
   * @throws WingsException {@code request-invalid}
   */
  static <T extends ActionReply> T of(Class<T> type, ByteString json) {
    return FlightJson.decodeReply(type, json);
  }

  /**
   * A table.
   *
   * @param incarnation of its WAL; null until it is adopted
   * @param lanes of its WAL
   * @param watermarks by lane: up to which segment its rows are in the table; empty until adopted
   * @param schema base64 of the Arrow IPC schema message that batches are held against
   * @param iceberg null from an ingestor that doesn't tell it
   */
  record TableDescription(
      UUID uuid,
      @Nullable String incarnation,
      int lanes,
      List<Long> watermarks,
      String metadataLocation,
      String schema,
      @Nullable IcebergDescription iceberg)
      implements ActionReply {
    /** Without what Iceberg says of it. */
    public TableDescription(
        UUID uuid,
        @Nullable String incarnation,
        int lanes,
        List<Long> watermarks,
        String metadataLocation,
        String schema) {
      this(uuid, incarnation, lanes, watermarks, metadataLocation, schema, null);
    }

    public TableDescription {
      TableName.requirePresent("uuid", uuid);
      TableName.requirePresent("metadata_location", metadataLocation);
      TableName.requirePresent("schema", schema);
      watermarks = watermarks == null ? List.of() : List.copyOf(watermarks);
    }

    /** The Arrow IPC schema message. */
    public byte[] schemaMessage() {
      return FlightJson.base64("schema", schema);
    }
  }

  /**
   * A table's definition in Iceberg's own JSON.
   *
   * @param schema with field ids and types
   * @param partitionSpec the current one, by source ids
   * @param sortOrder the current one, by source ids
   * @param properties those under {@code wings.}, watermarks aside
   */
  record IcebergDescription(
      JsonNode schema, JsonNode partitionSpec, JsonNode sortOrder, Map<String, String> properties) {
    public IcebergDescription {
      properties = properties == null ? Map.of() : Map.copyOf(properties);
    }
  }

  /** The table that is no longer in its catalog. */
  record Dropped(UUID uuid) implements ActionReply {}

  /**
   * A named producer, whose older epochs are fenced from now on.
   *
   * @param sequence of the last batch that was decided; 0 for none; the next is one higher
   * @param token that the last stored batch carried; null for none
   * @param floor how sequences at or below it were decided is no longer known
   * @param rejected sequences above the floor that were refused
   * @param horizon 0, or, for a producer that the log doesn't know: names last used at or before
   *     this position have been forgotten, and this may be one of them
   */
  record ProducerOpened(
      long epoch,
      long sequence,
      @Nullable String token,
      long floor,
      List<SequenceRange> rejected,
      long horizon)
      implements ActionReply {
    public ProducerOpened {
      rejected = rejected == null ? List.of() : List.copyOf(rejected);
    }
  }

  /**
   * What is durable.
   *
   * @param positions one per lane, the highest that holds rows received before the call
   */
  record Flushed(List<Position> positions) implements ActionReply {
    public Flushed {
      positions = List.copyOf(positions);
    }
  }

  /**
   * A position that is in the table.
   *
   * @param snapshotId of a snapshot that holds it; null where it passed so long ago that the
   *     snapshot is no longer known
   */
  record Visible(VisibleStatus status, @Nullable Long snapshotId) implements ActionReply {}

  /** Whether a snapshot can still be named. */
  enum VisibleStatus {
    VISIBLE,
    PASSED
  }
}
