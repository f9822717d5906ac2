package io.wings.broker.core;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class ServedClockTest {
  private static final long SECOND = Duration.ofSeconds(1).toNanos();
  private static final long START = -5 * SECOND;

  private final ServedClock clock = new ServedClock(Duration.ofSeconds(4), START);

  @Test
  void followsTheClockFromProofToProof() {
    for (int i = 1; i < 20; i++) {
      long now = START + i * 2L * SECOND;
      assertEquals(i * 2L * SECOND, clock.at(now));
      clock.proven(now);
      assertEquals(i * 2L * SECOND, clock.at(now));
    }
  }

  @Test
  void timeInWhichItCouldNotServeDoesNotCount() {
    clock.proven(START + SECOND);
    assertEquals(5 * SECOND, clock.at(START + 5 * SECOND));
    assertEquals(5 * SECOND, clock.at(START + 500 * SECOND));
    clock.proven(START + 500 * SECOND);
    assertEquals(5 * SECOND, clock.at(START + 500 * SECOND));
    assertEquals(6 * SECOND, clock.at(START + 501 * SECOND));
  }
}
