package io.wings.loadbalancer.relay;

import io.wings.common.error.WingsException;
import io.wings.common.flight.AwaitedRange;
import io.wings.common.flight.AwaitedRanges;
import io.wings.common.flight.BatchResult;
import io.wings.common.flight.StreamOpened;
import io.wings.common.flight.StreamRequest;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Under which name a stream is known to its ingestors, where it stands there, and how far it was
 * sent: what the next one is told of it.
 */
final class Naming {
  private final Supplier<StreamRequest> anew;
  private StreamRequest request;

  /** Of the present name. */
  private @Nullable StreamOpened opened;

  /** Of the stream's first open reply, under whatever name. */
  private @Nullable StreamOpened place;

  /** What the ingestor counts from 1, the client counts from this + 1. */
  private long base;

  private long sentThrough;

  Naming(StreamRequest request, Supplier<StreamRequest> anew) {
    this.request = request;
    this.anew = anew;
  }

  StreamRequest request() {
    return request;
  }

  /** Whether an ingestor has ever said that the stream is open. */
  boolean hasPlace() {
    return place != null;
  }

  /** Whether one has said so under the present name. */
  boolean isOpened() {
    return opened != null;
  }

  /**
   * An ingestor says where the stream is open.
   *
   * @throws WingsException {@code table-replaced}
   */
  void opened(StreamOpened now) {
    StreamOpened first = place;
    if (first != null
        && !(first.uuid().equals(now.uuid()) && first.incarnation().equals(now.incarnation()))) {
      throw WingsException.notFound(
          "table-replaced",
          "table \"%s\" was replaced while the stream was open (was %s, is %s); open a new stream if the new table is meant"
              .formatted(request.tableName(), first.uuid(), now.uuid()));
    }
    if (first == null) {
      place = now;
    }
    if (opened == null) {
      opened = now;
    }
  }

  /** A result as the client counts. */
  BatchResult asTheClientCounts(BatchResult logged) {
    return base == 0 ? logged : logged.shifted(base);
  }

  /** A batch has gone out. */
  void sent(long sequence) {
    sentThrough = Math.max(sentThrough, sequence);
  }

  /** The stream goes on under a fresh name, with everything after {@code answered}. */
  void rename(long answered) {
    request = anew.get();
    opened = null;
    base = answered;
    sentThrough = answered;
  }

  /**
   * What the next ingestor is told.
   *
   * @param next the first sequence that it will be sent
   * @param awaiting what it has to tell visible
   */
  StreamRequest descriptor(long next, AwaitedRanges awaiting) {
    if (opened == null && sentThrough <= base) {
      return request;
    }
    StreamOpened known = opened;
    StreamRequest.Awaiting left =
        known == null || awaiting.isEmpty()
            ? null
            : new StreamRequest.Awaiting(
                known.incarnation(),
                awaiting.ranges().stream()
                    .map(
                        range ->
                            new AwaitedRange(
                                range.sequence() - base, range.through() - base, range.position()))
                    .toList());
    return request.resumed(
        request.named() ? 1 : next - base,
        left,
        new StreamRequest.Resumption(known, Math.max(0, sentThrough - base)));
  }
}
