package io.wings.common.flight;

import com.google.protobuf.ByteString;
import io.wings.common.cluster.CatalogName;
import io.wings.common.cluster.LaneId;
import io.wings.common.error.WingsException;
import io.wings.common.wal.Operation;
import java.util.List;
import org.apache.arrow.flight.impl.Flight;
import org.jspecify.annotations.Nullable;

/**
 * The canonical request of a DoPut stream: what the load balancer made of a {@link ClientRequest},
 * and all that an ingestor reads. It travels as JSON in the {@code cmd} of the first frame's
 * descriptor.
 *
 * @param principal who writes, as the load balancer authenticated it
 * @param producer the client's name for a named stream, else the name that the load balancer drew
 * @param named whether the client named the producer; the two spaces never meet
 * @param epoch of a named producer; null for an unnamed one, whose epoch the ingestor sets to the
 *     lane's head and tells in its {@link StreamOpened}
 * @param firstSequence of an unnamed stream, whose batches the ingestor numbers in order of
 *     arrival; 1 for a named one, where every batch carries its own
 * @param lane that the stream belongs to
 * @param partition the client's opaque text that picked the lane of an unnamed stream
 * @param awaiting what earlier ingestors of the stream told durable and not yet visible; null where
 *     there is nothing, or the client doesn't ask for it
 * @param resumption null where the stream opens for the first time
 */
public record StreamRequest(
    String principal,
    CatalogName catalog,
    List<String> namespace,
    String table,
    String producer,
    boolean named,
    @Nullable Long epoch,
    long firstSequence,
    int lane,
    @Nullable String partition,
    Operation operation,
    Create create,
    OnReject onReject,
    Ack ack,
    @Nullable Awaiting awaiting,
    @Nullable Resumption resumption) {
  /**
   * Durable batches that a client waits for to be visible.
   *
   * @param incarnation of the WAL that the positions are of
   */
  public record Awaiting(String incarnation, List<AwaitedRange> ranges) {
    public Awaiting {
      TableName.requirePresent("incarnation", incarnation);
      TableName.requirePresent("ranges", ranges);
      ranges = List.copyOf(ranges);
      if (ranges.size() > AwaitedRanges.MAX_RANGES) {
        throw WingsException.invalid(
            "request-invalid",
            "at most %d ranges are awaited, got %d"
                .formatted(AwaitedRanges.MAX_RANGES, ranges.size()));
      }
    }
  }

  private static final String WHAT = "stream request";

  /**
   * What a stream that was open at another ingestor brings along.
   *
   * @param opened the first ingestor's open reply, by which table, log and epoch stay what they
   *     were; null where it never came, and then at most the first batch was sent
   * @param resentThrough up to which sequence batches may have been sent before: what the log says
   *     of them is the answer, and one that it doesn't know is new; 0 where there are none
   */
  public record Resumption(@Nullable StreamOpened opened, long resentThrough) {
    public Resumption {
      if (resentThrough < 0) {
        throw WingsException.invalid(
            "request-invalid", "'resent_through' is at least 0, got " + resentThrough);
      }
    }
  }

  public StreamRequest {
    TableName.requirePresent("principal", principal);
    TableName name = new TableName(catalog, namespace, table);
    namespace = name.namespace();
    TableName.requirePresent("producer", producer);
    TableName.requirePresent("operation", operation);
    TableName.requirePresent("create", create);
    TableName.requirePresent("on_reject", onReject);
    TableName.requirePresent("ack", ack);
    if (named == (epoch == null)) {
      throw WingsException.invalid(
          "request-invalid", "a named stream has an epoch and an unnamed one has none");
    }
    if (firstSequence < 1 || lane < 0 || lane >= LaneId.MAX_LANES) {
      throw WingsException.invalid(
          "request-invalid",
          "first_sequence is at least 1 and lane 0 to "
              + (LaneId.MAX_LANES - 1)
              + ", got "
              + firstSequence
              + " and "
              + lane);
    }
    if (awaiting != null && ack != Ack.VISIBLE) {
      throw WingsException.invalid(
          "request-invalid", "'awaiting' comes with 'ack' visible, got " + ack);
    }
  }

  /** A stream's first request, which awaits nothing yet. */
  public StreamRequest(
      String principal,
      CatalogName catalog,
      List<String> namespace,
      String table,
      String producer,
      boolean named,
      @Nullable Long epoch,
      long firstSequence,
      int lane,
      @Nullable String partition,
      Operation operation,
      Create create,
      OnReject onReject,
      Ack ack) {
    this(
        principal,
        catalog,
        namespace,
        table,
        producer,
        named,
        epoch,
        firstSequence,
        lane,
        partition,
        operation,
        create,
        onReject,
        ack,
        null,
        null);
  }

  /** The same stream, as it opens again. */
  public StreamRequest resumed(long next, @Nullable Awaiting left, Resumption after) {
    return new StreamRequest(
        principal, catalog, namespace, table, producer, named, epoch, next, lane, partition,
        operation, create, onReject, ack, left, after);
  }

  /** The same unnamed stream under another name, as it opens for the first time. */
  public StreamRequest renamed(String drawn) {
    return new StreamRequest(
        principal, catalog, namespace, table, drawn, named, epoch, 1, lane, partition, operation,
        create, onReject, ack, null, null);
  }

  public TableName tableName() {
    return new TableName(catalog, namespace, table);
  }

  /** Which of so many lanes the stream belongs to. */
  public int laneOf(int lanes) {
    return LaneHash.of(principal, producer, named, partition, lanes);
  }

  public Flight.FlightDescriptor toDescriptor() {
    return FlightJson.descriptor(this);
  }

  /**
   * Reads what {@link #toDescriptor()} wrote.
   *
   * @throws WingsException {@code request-invalid} for anything else; UNAVAILABLE {@code
   *     request-newer} for keys of a newer load balancer, which ask for what this version doesn't
   *     do: another ingestor may
   */
  public static StreamRequest of(Flight.FlightDescriptor descriptor) {
    return FlightJson.decodeDemand(StreamRequest.class, FlightJson.command(descriptor, WHAT), WHAT);
  }

  /** JSON, UTF-8. */
  public ByteString toJson() {
    return FlightJson.encode(this);
  }
}
