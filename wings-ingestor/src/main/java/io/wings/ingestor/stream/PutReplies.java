package io.wings.ingestor.stream;

import io.wings.common.flight.BatchResult;
import io.wings.common.flight.StreamMove;
import io.wings.common.flight.StreamOpened;

/** Where a stream's answers go. Methods don't block, whether or not the client reads. */
public interface PutReplies {
  /** Asks that the stream goes elsewhere; the first time counts. */
  void move(StreamMove.Reason reason);

  /** Whether it was asked to go elsewhere: its end is not the client's. */
  boolean isMoving();

  /** The first answer. */
  void opened(StreamOpened opened);

  /**
   * The next result.
   *
   * @throws io.wings.common.error.WingsException {@code results-unread} when too much waits for the
   *     client to read it
   */
  void result(BatchResult result);
}
