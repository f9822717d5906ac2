package io.wings.loadbalancer.proxy;

import io.grpc.Metadata;
import io.wings.common.error.WingsException;
import io.wings.common.flight.Ack;
import io.wings.common.flight.ClientRequest;
import io.wings.common.flight.ClusterIdentity;
import io.wings.common.flight.Create;
import io.wings.common.flight.FlightFrame;
import io.wings.common.flight.LaneHash;
import io.wings.common.flight.StreamRequest;
import io.wings.common.flight.TableName;
import io.wings.common.id.Ids;
import io.wings.common.time.Time;
import io.wings.loadbalancer.fleet.Fleet;
import io.wings.loadbalancer.fleet.Ingestor;
import org.apache.arrow.flight.impl.Flight;

/** Decides where a DoPut stream goes and what its ingestor is told. Safe for several threads. */
final class PutOpening {
  /** An unnamed stream's batches are numbered from here. */
  private static final long FIRST_SEQUENCE = 1;

  /**
   * A stream's first frame as the ingestor takes it.
   *
   * @param frame with the canonical descriptor
   * @param ack when the client wants to be answered
   */
  record Opened(Ingestor ingestor, FlightFrame frame, Ack ack) {}

  private final Fleet fleet;
  private final Tables tables;
  private final ClusterIdentity identity;
  private final ProxyLimits limits;
  private final ProxyMetrics metrics;
  private final Time time;
  private final Ids ids;

  PutOpening(
      Fleet fleet,
      Tables tables,
      ClusterIdentity identity,
      ProxyLimits limits,
      ProxyMetrics metrics,
      Time time,
      Ids ids) {
    this.fleet = fleet;
    this.tables = tables;
    this.identity = identity;
    this.limits = limits;
    this.metrics = metrics;
    this.time = time;
    this.ids = ids;
  }

  /**
   * Reads a stream's first frame; may block while it looks the table up.
   *
   * @throws WingsException that ends the stream
   */
  Opened open(String principal, FlightFrame first) {
    Flight.FlightDescriptor descriptor = first.descriptor();
    if (descriptor == null) {
      throw WingsException.invalid(
          "descriptor-missing", "the first message of a stream carries a descriptor");
    }
    ClientRequest asked = ClientRequest.of(descriptor);
    TableName table = asked.tableName();
    int lanes =
        asked.create() == Create.IF_MISSING
            ? tables.lanesIfPresent(principal, table)
            : tables.lanes(principal, table);
    boolean named = asked.producer() != null;
    String producer = asked.producer() != null ? asked.producer() : ids.hex();
    int lane = LaneHash.of(principal, producer, named, asked.partition(), lanes);
    StreamRequest canonical =
        new StreamRequest(
            principal,
            asked.catalog(),
            asked.namespace(),
            asked.table(),
            producer,
            named,
            asked.epoch(),
            FIRST_SEQUENCE,
            lane,
            asked.partition(),
            asked.operation(),
            asked.create(),
            asked.onReject(),
            asked.ack());
    return new Opened(
        fleet.route(table, lane), first.withDescriptor(canonical.toDescriptor()), asked.ack());
  }

  /** For ending a stream with a message that is larger than allowed. */
  WingsException tooLarge() {
    return WingsException.invalid(
        "message-too-large",
        "a message has at most " + limits.message() + "; send smaller batches");
  }

  Metadata headers(String principal) {
    return identity.headers(principal);
  }

  ProxyMetrics metrics() {
    return metrics;
  }

  long nanos() {
    return time.nanos();
  }

  /** Whether frames of a stream that ended at {@code endedNanos} are still read and dropped. */
  boolean isLingering(long endedNanos) {
    return time.since(endedNanos).compareTo(limits.linger()) < 0;
  }
}
