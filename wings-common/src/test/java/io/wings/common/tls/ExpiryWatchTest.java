package io.wings.common.tls;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.wings.common.concurrent.Threads;
import io.wings.common.time.Time;
import io.wings.common.tls.ExpiryWatch.Standing;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;
import org.slf4j.LoggerFactory;

@Isolated("it listens to a log")
class ExpiryWatchTest {
  @TempDir Path directory;

  private static final class Clock implements Time {
    private final Instant start = Instant.now();
    private Duration passed = Duration.ZERO;

    @Override
    public Instant now() {
      return start.plus(passed);
    }

    @Override
    public long nanos() {
      return passed.toNanos();
    }

    @Override
    public void sleep(Duration duration) {
      passed = passed.plus(duration);
    }

    @Override
    public boolean await(Lock lock, Condition condition, Duration timeout) {
      throw new AssertionError("nothing waits");
    }
  }

  private static Standing after(Duration validity, Duration passed) {
    Instant from = Instant.EPOCH;
    return ExpiryWatch.standing(from, from.plus(validity), from.plus(passed));
  }

  @Test
  void soonIsATenthOfTheValidityAndAWeekAtMost() {
    Duration day = Duration.ofDays(1);
    assertEquals(Standing.GOOD, after(day, Duration.ofHours(21)));
    assertEquals(Standing.ENDS_SOON, after(day, Duration.ofHours(22)));
    assertEquals(Standing.OVER, after(day, Duration.ofHours(25)));
    Duration year = Duration.ofDays(365);
    assertEquals(Standing.GOOD, after(year, Duration.ofDays(357)));
    assertEquals(Standing.ENDS_SOON, after(year, Duration.ofDays(359)));
  }

  @Test
  void saysItOnceAnHourAndOnceMoreWhenItIsOver() {
    TestAuthority authority = new TestAuthority("a cluster's");
    TlsFiles files = authority.issue(directory, "own", Duration.ofMinutes(90), "wings");
    X509Certificate shown = Certificates.read(files).shown();
    Clock clock = new Clock();
    ExpiryWatch watch = new ExpiryWatch(files.certificates(), clock);
    List<ILoggingEvent> lines =
        listening(
            () -> {
              for (int minute = 0; minute <= 200; minute++) {
                watch.look(shown);
                clock.sleep(Duration.ofMinutes(1));
              }
            });
    assertEquals(
        List.of(Level.WARN, Level.WARN, Level.ERROR, Level.ERROR),
        lines.stream().map(ILoggingEvent::getLevel).toList());
    for (ILoggingEvent line : lines) {
      String text = line.getFormattedMessage();
      assertTrue(text.contains(files.certificates().toString()), text);
      assertTrue(text.contains(shown.getNotAfter().toInstant().toString()), text);
    }
  }

  /** By a clock that is an hour slow it was good at the start, and soon ends. */
  @Test
  void aRoleSaysItWithoutBeingAsked() {
    TlsFiles ending = new TestAuthority("a").issue(directory, "own", Duration.ofHours(-1), "wings");
    ByHand time = new ByHand(Duration.ofMinutes(-90));
    List<ILoggingEvent> lines =
        listening(
            () -> {
              try (Tls _ = Tls.ofCluster(ending, "wings", time, Threads.virtual())) {
                time.pass();
              } catch (InterruptedException e) {
                throw new AssertionError(e);
              }
            });
    assertEquals(List.of(Level.WARN), lines.stream().map(ILoggingEvent::getLevel).toList());
  }

  private static List<ILoggingEvent> listening(Runnable work) {
    Logger logger = (Logger) LoggerFactory.getLogger(ExpiryWatch.class);
    Level before = logger.getLevel();
    ListAppender<ILoggingEvent> appender = new ListAppender<>();
    appender.start();
    logger.addAppender(appender);
    logger.setLevel(Level.INFO);
    try {
      work.run();
    } finally {
      logger.detachAppender(appender);
      logger.setLevel(before);
    }
    return appender.list;
  }
}
