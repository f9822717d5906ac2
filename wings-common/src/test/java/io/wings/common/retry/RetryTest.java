package io.wings.common.retry;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.wings.common.error.ErrorKind;
import io.wings.common.error.WingsException;
import io.wings.common.id.SeededIds;
import io.wings.common.time.SteppedTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class RetryTest {
  private static final Backoff BACKOFF =
      new Backoff(Duration.ofMillis(100), Duration.ofSeconds(1), 0);

  private final SteppedTime time = new SteppedTime();
  private final Retry retry = new Retry(time, new SeededIds(1), BACKOFF);

  @Test
  void waitsTwiceAsLongEachTimeUpToTheMaximum() {
    assertEquals(Duration.ofMillis(100), BACKOFF.delay(1, 0.9));
    assertEquals(Duration.ofMillis(200), BACKOFF.delay(2, 0.9));
    assertEquals(Duration.ofMillis(800), BACKOFF.delay(4, 0.9));
    assertEquals(Duration.ofSeconds(1), BACKOFF.delay(5, 0.9));
    assertEquals(Duration.ofSeconds(1), BACKOFF.delay(Integer.MAX_VALUE, 0.9));
  }

  @Test
  void jitterOnlyShortens() {
    Backoff jittered = new Backoff(Duration.ofMillis(100), Duration.ofSeconds(1), 0.5);
    assertEquals(Duration.ofMillis(100), jittered.delay(1, 0));
    assertEquals(Duration.ofMillis(75), jittered.delay(1, 0.5));
  }

  @Test
  void refusesWhatIsNoBackoff() {
    Duration second = Duration.ofSeconds(1);
    assertThrows(
        IllegalArgumentException.class, () -> new Backoff(second, Duration.ofMillis(1), 0));
    assertThrows(IllegalArgumentException.class, () -> new Backoff(second.negated(), second, 0));
    assertThrows(IllegalArgumentException.class, () -> new Backoff(second, second, 1.1));
    assertThrows(IllegalArgumentException.class, () -> new Backoff(second, second, Double.NaN));
    assertThrows(IllegalArgumentException.class, () -> BACKOFF.delay(0, 0));
  }

  @Test
  void triesUntilDone() {
    List<Integer> attempts = new ArrayList<>();
    String answer =
        retry.run(
            "work",
            5,
            number -> {
              attempts.add(number);
              return number < 3 ? Attempt.again("not yet") : Attempt.done("there");
            });

    assertEquals("there", answer);
    assertEquals(List.of(1, 2, 3), attempts);
    assertEquals(Duration.ofMillis(300), time.since(0));
  }

  @Test
  void givesUpAtTheLimitAndSaysWhy() {
    IllegalStateException cause = new IllegalStateException("cause");
    WingsException thrown =
        assertThrows(
            WingsException.class,
            () -> retry.run("work", 3, number -> Attempt.again("attempt " + number, cause)));

    assertEquals("retries-exhausted", thrown.code());
    assertEquals(ErrorKind.UNAVAILABLE, thrown.kind());
    assertEquals(cause, thrown.getCause());
    assertTrue(thrown.toString().contains("work gave up after 3 attempts"), thrown.toString());
    assertTrue(thrown.toString().contains("attempt 3"), thrown.toString());
  }

  @Test
  void whatIsThrownEndsTheLoop() {
    assertThrows(
        IllegalStateException.class,
        () ->
            retry.run(
                "work",
                Retry.UNTIL_KNOWN,
                _ -> {
                  throw new IllegalStateException("definite");
                }));
    assertEquals(0, time.nanos());
  }

  @Test
  void anInterruptEndsTheLoopAndStaysSet() {
    Thread.currentThread().interrupt();
    WingsException thrown =
        assertThrows(
            WingsException.class,
            () -> retry.run("work", Retry.UNTIL_KNOWN, _ -> Attempt.again("again")));

    assertEquals("interrupted", thrown.code());
    assertTrue(Thread.interrupted());
  }
}
