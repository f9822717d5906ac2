package io.wings.common.wal;

import io.wings.common.error.WingsException;

/**
 * What a lane's log says about a sequence. True of the state that gave it; a writer may tell it
 * only once it knows that the state was current.
 */
public sealed interface Verdict {
  /** It is the next of its producer: it may be appended. */
  record Accepted() implements Verdict {}

  /**
   * It is stored already.
   *
   * @param number a segment at or below which it is
   */
  record Duplicate(long number) implements Verdict {}

  /** It was refused before, and stays so. */
  record Rejected(long number) implements Verdict {}

  /** It was decided, stored or refused, so long ago that the lane no longer knows which. */
  record Passed(long number) implements Verdict {}

  /** A sequence is missing before it. */
  record Gap(long expected) implements Verdict {}

  /** A higher epoch took over. */
  record Fenced(long currentEpoch) implements Verdict {}

  /** The lane knows nothing of the producer any more, and it may have stored batches. */
  record Forgotten(long horizon) implements Verdict {}

  /** No record in the log gave that epoch. */
  record UnknownEpoch() implements Verdict {}

  /** A segment holds at most one epoch record of a producer: it may be tried with the next. */
  record Deferred() implements Verdict {}

  /** A limit of the lane refuses it; it was not stored and its sequence is not consumed. */
  record OverLimit(WingsException error) implements Verdict {}
}
