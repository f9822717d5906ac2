package io.wings.common.flight;

import com.google.protobuf.ByteString;
import io.wings.common.error.WingsException;
import org.apache.arrow.flight.impl.Flight;
import org.jspecify.annotations.Nullable;

/**
 * One answer to a client: the batches {@code sequence} to {@code through}, both inclusive, have
 * {@code status}. Results that a client hasn't read merge, so clients count by {@code through}.
 *
 * @param incarnation of the WAL, with {@code lane} and {@code position} the place in it
 * @param position the highest segment that holds any of the batches; 0 where none does
 * @param reason why they were rejected, beginning with a stable code; null for other statuses
 * @param snapshotId of a snapshot that holds visible batches; null for other statuses, and where it
 *     can't be told any more
 */
public record BatchResult(
    long sequence,
    long through,
    BatchStatus status,
    String incarnation,
    int lane,
    long position,
    @Nullable String reason,
    @Nullable Long snapshotId)
    implements StreamReply {
  private static final String WHAT = "result";

  public BatchResult {
    TableName.requirePresent("status", status);
    TableName.requirePresent("incarnation", incarnation);
    if (sequence < 1 || through < sequence) {
      throw WingsException.invalid(
          "request-invalid",
          "a result covers sequences from 1 on, got " + sequence + " through " + through);
    }
    if ((status == BatchStatus.REJECTED) == (reason == null)) {
      throw WingsException.invalid(
          "request-invalid", "a rejection has a reason and nothing else has one");
    }
    if (snapshotId != null && status != BatchStatus.VISIBLE) {
      throw WingsException.invalid(
          "request-invalid", "only what is visible has a snapshot, got one for " + status);
    }
  }

  /** Of anything but visible batches. */
  public BatchResult(
      long sequence,
      long through,
      BatchStatus status,
      String incarnation,
      int lane,
      long position,
      @Nullable String reason) {
    this(sequence, through, status, incarnation, lane, position, reason, null);
  }

  /** Batches that it answers. */
  public long count() {
    return through - sequence + 1;
  }

  /** The same of the batches that are numbered so much higher. */
  public BatchResult shifted(long by) {
    return new BatchResult(
        sequence + by, through + by, status, incarnation, lane, position, reason, snapshotId);
  }

  /**
   * The one result that says what this and the {@code later} one say, or null if none can: a later
   * snapshot has what an earlier one had, and nothing tells that it has what none is named for.
   */
  @Nullable BatchResult mergedWith(BatchResult later) {
    boolean mergeable =
        status != BatchStatus.REJECTED
            && status == later.status
            && lane == later.lane
            && incarnation.equals(later.incarnation)
            && (snapshotId == null) == (later.snapshotId == null)
            && later.sequence == through + 1;
    return mergeable
        ? new BatchResult(
            sequence,
            later.through,
            status,
            incarnation,
            lane,
            Math.max(position, later.position),
            null,
            later.position >= position ? later.snapshotId : snapshotId)
        : null;
  }

  @Override
  public Flight.PutResult toPutResult() {
    return Flight.PutResult.newBuilder().setAppMetadata(FlightJson.encode(this)).build();
  }

  /**
   * Reads {@code app_metadata}.
   *
   * @throws WingsException {@code request-invalid}
   */
  public static BatchResult of(ByteString appMetadata) {
    return FlightJson.decodeInternal(BatchResult.class, appMetadata, WHAT);
  }
}
