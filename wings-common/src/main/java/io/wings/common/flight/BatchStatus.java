package io.wings.common.flight;

/** What became of a batch. */
public enum BatchStatus {
  /** On object storage, at the result's position or before. */
  DURABLE,
  /** Already stored earlier; not stored again. */
  DUPLICATE,
  /** Refused; its sequence is consumed. */
  REJECTED,
  /** Decided so long ago that it is no longer known how. */
  PASSED,
  /** In the table, as of the result's snapshot; only where the client asked for it. */
  VISIBLE
}
