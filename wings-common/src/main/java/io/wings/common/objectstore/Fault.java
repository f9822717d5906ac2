package io.wings.common.objectstore;

import java.time.Duration;

/** What goes wrong with one call. */
public sealed interface Fault {
  /** Nothing. */
  record None() implements Fault {}

  /** The request never arrives; the answer is unknown. */
  record FailBefore() implements Fault {}

  /** The call takes effect, and its answer is lost. */
  record FailAfter() implements Fault {}

  /**
   * The answer is unknown, and the put lands later, its condition judged then.
   *
   * @param calls how many further calls of any kind the store takes before it lands; at least 1
   */
  record LandsLater(int calls) implements Fault {}

  /** 503: nothing takes effect, which the caller of a put can't know. */
  record Throttled() implements Fault {}

  /** A definite, retryable refusal of a put: no space left. */
  record NoSpace() implements Fault {}

  /** The call waits before it is made. */
  record Slow(Duration delay) implements Fault {}
}
