package io.wings.common.flight;

/** When a batch is answered. */
public enum Ack {
  /** When it is on object storage. */
  DURABLE
}
