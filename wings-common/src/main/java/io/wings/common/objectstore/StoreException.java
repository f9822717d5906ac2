package io.wings.common.objectstore;

import org.jspecify.annotations.Nullable;

/** A store call failed. From {@code put} it means that nothing was written. */
public final class StoreException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final boolean retryable;

  public StoreException(String message, boolean retryable, @Nullable Throwable cause) {
    super(message, cause);
    this.retryable = retryable;
  }

  /**
   * Whether the same call may succeed later without anyone changing anything (503, time-out, no
   * space).
   */
  public boolean retryable() {
    return retryable;
  }
}
