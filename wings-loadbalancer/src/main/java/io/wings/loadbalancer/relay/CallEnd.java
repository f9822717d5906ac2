package io.wings.loadbalancer.relay;

import io.wings.common.error.WingsException;

/** How an ingestor's call ended. */
public sealed interface CallEnd {
  /** It says that it has done everything. */
  record Finished() implements CallEnd {}

  /** It says what is wrong; trying elsewhere doesn't help. */
  record Refused(WingsException error) implements CallEnd {}

  /** It stops, and says so. */
  record Stopping(WingsException error) implements CallEnd {}

  /**
   * It broke off: the ingestor, or the way to it, is gone; which of them is yet to be found out.
   *
   * @param error what a client would be told
   */
  record Died(WingsException error) implements CallEnd {}
}
