package io.wings.common.tls;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.wings.common.concurrent.Threads;
import io.wings.common.log.LogLines;
import io.wings.common.time.Time;
import io.wings.common.tls.ExpiryWatch.Standing;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

@Isolated("it listens to a log")
class ExpiryWatchTest {
  @TempDir Path directory;

  private final LogLines log = LogLines.of(ExpiryWatch.class);

  @AfterEach
  void stop() {
    log.close();
  }

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
    for (int minute = 0; minute <= 200; minute++) {
      watch.look(shown);
      clock.sleep(Duration.ofMinutes(1));
    }
    assertEquals(List.of("WARN", "WARN", "ERROR", "ERROR"), log.levels());
    for (String text : log.texts()) {
      assertTrue(text.contains(files.certificates().toString()), text);
      assertTrue(text.contains(shown.getNotAfter().toInstant().toString()), text);
    }
  }

  /** By a clock that is an hour slow it was good at the start, and soon ends. */
  @Test
  void aRoleSaysItWithoutBeingAsked() throws InterruptedException {
    TlsFiles ending = new TestAuthority("a").issue(directory, "own", Duration.ofHours(-1), "wings");
    ByHand time = new ByHand(Duration.ofMinutes(-90));
    try (Tls _ = Tls.ofCluster(ending, "wings", time, Threads.virtual())) {
      time.pass();
    }
    assertEquals(List.of("WARN"), log.levels());
  }
}
