package io.wings.common.retry;

import io.wings.common.error.WingsException;
import io.wings.common.id.Ids;
import io.wings.common.time.Time;
import java.time.Duration;
import java.util.function.IntFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The retry loop. */
public final class Retry {
  /** For what must go on until it is known: only an interrupt ends it. */
  public static final int UNTIL_KNOWN = Integer.MAX_VALUE;

  /** Attempts beyond this many in a row are worth a warning each; they are then seconds apart. */
  private static final int QUIET_ATTEMPTS = 8;

  private static final Logger LOG = LoggerFactory.getLogger(Retry.class);

  private final Time time;
  private final Ids ids;
  private final Backoff backoff;

  public Retry(Time time, Ids ids, Backoff backoff) {
    this.time = time;
    this.ids = ids;
    this.backoff = backoff;
  }

  /**
   * Runs {@code attempt} until it is done, at most {@code limit} times, with the back-off's wait in
   * between. What an attempt throws ends the loop.
   *
   * @param what names the work in errors and logs, e.g. {@code cas of queue.json}
   * @param attempt takes the number of the attempt, from 1
   * @throws WingsException {@code retries-exhausted} or {@code interrupted}, both UNAVAILABLE; the
   *     interrupt flag is then set
   */
  public <T> T run(String what, int limit, IntFunction<Attempt<T>> attempt) {
    for (int number = 1; ; number++) {
      switch (attempt.apply(number)) {
        case Attempt.Done<T>(T value) -> {
          return value;
        }
        case Attempt.Again<T>(String reason, Throwable cause) -> {
          if (number >= limit) {
            throw WingsException.unavailable(
                "retries-exhausted",
                what + " gave up after " + number + " attempts; the last one: " + reason,
                cause);
          }
          if (number > QUIET_ATTEMPTS) {
            LOG.warn("{}: attempt {}: {}", what, number, reason);
          }
          pause(what, backoff.delay(number, ids.fraction()));
        }
      }
    }
  }

  private void pause(String what, Duration wait) {
    try {
      time.sleep(wait);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw WingsException.unavailable("interrupted", what + " was told to stop", e);
    }
  }
}
