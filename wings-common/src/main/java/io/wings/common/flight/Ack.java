package io.wings.common.flight;

/** When a batch is answered. */
public enum Ack {
  /** When it is on object storage. */
  DURABLE,
  /** When it is in the table. */
  VISIBLE;

  /**
   * Whether a client that asked for this is told such a result. What is durable is always told to
   * the load balancer, which keeps nothing of a stream for longer.
   */
  public boolean tells(BatchStatus status) {
    return switch (status) {
      case DURABLE, DUPLICATE -> this == DURABLE;
      case REJECTED, PASSED, VISIBLE -> true;
    };
  }
}
