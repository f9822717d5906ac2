package io.wings.common.tls;

import io.wings.common.time.Time;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Says in the log that a certificate ends soon, or has ended. For one thread.
 *
 * <p>Soon is the last tenth of its validity, a week at most: those that are renewed by themselves
 * may live for a day, and are renewed when a third is left.
 */
final class ExpiryWatch {
  private static final Logger log = LoggerFactory.getLogger(ExpiryWatch.class);

  static final Duration MAX_NOTICE = Duration.ofDays(7);

  /** Between two lines about one certificate. */
  static final Duration REMINDER_INTERVAL = Duration.ofHours(1);

  /** What there is to say of a certificate. */
  enum Standing {
    GOOD,
    ENDS_SOON,
    OVER
  }

  private final Path file;
  private final Time time;
  private @Nullable X509Certificate toldOf;
  private Standing told = Standing.GOOD;
  private long toldNanos;

  /**
   * @param file that the certificate stands in
   */
  ExpiryWatch(Path file, Time time) {
    this.file = file;
    this.time = time;
  }

  static Standing standing(Instant from, Instant until, Instant now) {
    if (now.isAfter(until)) {
      return Standing.OVER;
    }
    Duration tenth = Duration.between(from, until).dividedBy(10);
    Duration notice = tenth.compareTo(MAX_NOTICE) < 0 ? tenth : MAX_NOTICE;
    return now.isBefore(until.minus(notice)) ? Standing.GOOD : Standing.ENDS_SOON;
  }

  /** Looks at the certificate that is shown now. */
  void look(X509Certificate shown) {
    Instant until = shown.getNotAfter().toInstant();
    Standing now = standing(shown.getNotBefore().toInstant(), until, time.now());
    boolean same = shown.equals(toldOf) && now == told;
    if (same && time.since(toldNanos).compareTo(REMINDER_INTERVAL) < 0) {
      return;
    }
    toldOf = shown;
    told = now;
    toldNanos = time.nanos();
    switch (now) {
      case GOOD -> {}
      case ENDS_SOON ->
          log.warn(
              "the certificate in {} ends at {}, and nobody connects by it afterwards: replace the"
                  + " file, and it is in force within {} s",
              file,
              until,
              Tls.CHECK_INTERVAL.toSeconds());
      case OVER ->
          log.error(
              "the certificate in {} has ended at {}, and nobody connects by it: replace the file,"
                  + " and it is in force within {} s",
              file,
              until,
              Tls.CHECK_INTERVAL.toSeconds());
    }
  }
}
