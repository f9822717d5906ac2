package io.wings.common.flight;

/** What a stream to a table that isn't there does. */
public enum Create {
  /** It is refused; what is meant where a client says nothing. */
  NEVER,
  /** It makes the table from its own schema. */
  IF_MISSING
}
