package io.wings.common.cas;

import java.util.Optional;

/** How the write of a holder ended, known for certain. */
public sealed interface FencedWrite<T> {
  /** The value is there. */
  record Landed<T>() implements FencedWrite<T> {}

  /**
   * The object shows another holder, or is gone; this one must stop, forget, and stand by.
   *
   * @param landed whether the value is known to have been there before the other took over, so that
   *     replies that rest on it may go out; false where it wasn't or can't be known
   * @param now what is there; empty: nothing
   */
  record Deposed<T>(boolean landed, Optional<FencedObject.Seen<T>> now) implements FencedWrite<T> {}
}
