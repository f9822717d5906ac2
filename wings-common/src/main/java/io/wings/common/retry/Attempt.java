package io.wings.common.retry;

import org.jspecify.annotations.Nullable;

/** How one attempt ended; anything that must not be tried again is thrown. */
public sealed interface Attempt<T> {
  /** The answer is known. */
  record Done<T>(T value) implements Attempt<T> {}

  /**
   * Try again after a wait.
   *
   * @param reason what went wrong this time, for the error and the log
   */
  record Again<T>(String reason, @Nullable Throwable cause) implements Attempt<T> {}

  static <T> Attempt<T> done(T value) {
    return new Done<>(value);
  }

  static <T> Attempt<T> again(String reason) {
    return new Again<>(reason, null);
  }

  static <T> Attempt<T> again(String reason, Throwable cause) {
    return new Again<>(reason, cause);
  }
}
