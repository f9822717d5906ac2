package io.wings.loadbalancer.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.wings.common.error.ErrorKind;
import io.wings.common.error.WingsException;
import io.wings.common.time.Time;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.slf4j.LoggerFactory;

@Isolated("it listens to a log")
class RefusalsTest {
  private static final class Clock implements Time {
    private Duration passed = Duration.ZERO;

    @Override
    public Instant now() {
      return Instant.EPOCH.plus(passed);
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

  private final WingsException unknown =
      new WingsException(ErrorKind.UNAUTHENTICATED, "unauthenticated", "the token is not known");

  private final Logger logger = (Logger) LoggerFactory.getLogger(Refusals.class);
  private final ListAppender<ILoggingEvent> log = new ListAppender<>();
  private final Clock clock = new Clock();
  private final Refusals refusals = new Refusals(clock);
  private Level before;

  @BeforeEach
  void listen() {
    before = logger.getLevel();
    log.start();
    logger.addAppender(log);
    logger.setLevel(Level.INFO);
  }

  @AfterEach
  void stop() {
    logger.detachAppender(log);
    logger.setLevel(before);
  }

  private void refuse(String address, int port) {
    refusals.note(new InetSocketAddress(address, port), unknown);
  }

  private List<String> lines() {
    return log.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
  }

  @Test
  void anAddressIsToldOfOnceAMinuteAndOthersBeside() {
    refuse("10.0.0.1", 1000);
    for (int second = 1; second < 60; second++) {
      clock.sleep(Duration.ofSeconds(1));
      refuse("10.0.0.1", 1000 + second);
    }
    refuse("10.0.0.2", 1);
    clock.sleep(Duration.ofSeconds(1));
    refuse("10.0.0.1", 1);
    String said = " was not let in: unauthenticated: the token is not known";
    assertEquals(
        List.of(
            "a caller at 10.0.0.1" + said,
            "a caller at 10.0.0.2" + said + ", and 59 others since the last such line",
            "a caller at 10.0.0.1" + said),
        lines());
  }

  @Test
  void manyAddressesFillNoLog() {
    for (int i = 0; i < 5_000; i++) {
      refuse("10.1." + i / 250 + "." + i % 250, 1);
    }
    assertEquals(1, lines().size());
    clock.sleep(Refusals.BETWEEN_LINES);
    refuse("10.2.0.1", 1);
    assertEquals(2, lines().size());
  }
}
