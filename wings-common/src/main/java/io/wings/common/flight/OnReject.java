package io.wings.common.flight;

/** What a bad batch does to its stream. */
public enum OnReject {
  /** It ends the stream with an error, after everything before it was answered. */
  FAIL,
  /** It is answered {@code rejected} and the stream goes on; it can't end OK any more. */
  REPORT
}
