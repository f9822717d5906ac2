package io.wings.loadbalancer.relay;

import io.wings.common.error.WingsException;
import io.wings.common.flight.BatchResult;
import org.jspecify.annotations.Nullable;

/** What has to be done about a stream, in order. */
public sealed interface Action {
  /**
   * Open the stream at a healthy ingestor and report back under this number; one that is open under
   * an earlier number is over.
   *
   * @param alone whether to wait until no other stream of this load balancer is opened like that,
   *     and to hold that right until {@link Leave} or {@link End}
   * @param fruitless so many calls in a row came to nothing; from the second on, wait a while,
   *     longer each time
   */
  record Open(int call, boolean alone, int fruitless) implements Action {}

  /** Nothing more is sent there. */
  record HalfClose(int call) implements Action {}

  /** Break the call off. */
  record Cancel(int call) implements Action {}

  /**
   * Find out, without waiting for it here, whether the ingestor of a call that broke off outlived
   * it, and report that under the call's number.
   */
  record FindOut(int call) implements Action {}

  /** Others may be alone now. */
  record Leave() implements Action {}

  /** Tell the client. */
  record Tell(BatchResult result) implements Action {}

  /** So many bytes are no longer kept. */
  record Free(long bytes) implements Action {}

  /**
   * The stream is over; nothing follows.
   *
   * @param error null for OK
   */
  record End(@Nullable WingsException error) implements Action {}
}
