package io.wings.common.lifecycle;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.wings.common.error.WingsException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class LifecycleTest {
  private final List<String> log = new ArrayList<>();
  private final Lifecycle lifecycle = new Lifecycle("role");

  private void start(String name) throws Exception {
    lifecycle.start(name, () -> log.add("+" + name), () -> log.add("-" + name));
  }

  @Test
  void stopsInTheReverseOrderOfStarting() throws Exception {
    start("a");
    AutoCloseable b = lifecycle.add("b", () -> log.add("-b"));
    start("c");
    assertTrue(b != null);
    lifecycle.close();
    assertEquals(List.of("+a", "+c", "-c", "-b", "-a"), log);
  }

  @Test
  void stopsOnce() throws Exception {
    start("a");
    lifecycle.close();
    lifecycle.close();
    assertEquals(List.of("+a", "-a"), log);
  }

  @Test
  void onePartThatFailsToStopDoesNotKeepOthersFromStopping() throws Exception {
    start("a");
    lifecycle.start(
        "bad",
        () -> {},
        () -> {
          throw new IOException("stuck");
        });
    lifecycle.start(
        "worse",
        () -> {},
        () -> {
          throw new IllegalStateException("also");
        });
    start("c");
    WingsException error = assertThrows(WingsException.class, lifecycle::close);
    assertEquals("stop-failed", error.code());
    assertTrue(error.toString().contains("worse"), error.toString());
    assertEquals(1, error.getSuppressed().length);
    assertEquals(List.of("+a", "+c", "-c", "-a"), log);
    lifecycle.close();
  }

  @Test
  void aPartThatFailsToStartIsNotStopped() {
    assertThrows(
        IOException.class,
        () ->
            lifecycle.start(
                "bad",
                () -> {
                  throw new IOException("no");
                },
                () -> log.add("-bad")));
    lifecycle.close();
    assertEquals(List.of(), log);
  }

  @Test
  void abandoningStopsWhatRunsAndKeepsTheCause() throws Exception {
    start("a");
    RuntimeException cause = new IllegalArgumentException("why");
    assertSame(cause, lifecycle.abandon(cause));
    assertEquals(List.of("+a", "-a"), log);
    RuntimeException wrapped = new Lifecycle("role").abandon(new IOException("port in use"));
    assertEquals("start-failed", ((WingsException) wrapped).code());
    assertTrue(wrapped.toString().contains("port in use"));
  }

  @Test
  void nothingStartsAfterAStop() {
    lifecycle.close();
    assertThrows(WingsException.class, () -> start("late"));
    assertThrows(WingsException.class, () -> lifecycle.add("late", () -> log.add("-late")));
    assertEquals(List.of("-late"), log);
  }
}
