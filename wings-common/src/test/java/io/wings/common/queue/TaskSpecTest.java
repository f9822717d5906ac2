package io.wings.common.queue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.wings.common.error.WingsException;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class TaskSpecTest {
  private static TaskSpec spec(
      String kind, String key, @Nullable String group, Map<String, String> payload, long delayMs) {
    return new TaskSpec(kind, key, group, payload, Duration.ofMillis(delayMs));
  }

  private static void assertRefused(
      String kind, String key, @Nullable String group, Map<String, String> payload, long delayMs) {
    WingsException error =
        assertThrows(WingsException.class, () -> spec(kind, key, group, payload, delayMs));
    assertEquals("invalid-task", error.code());
  }

  @Test
  void refusesWhatWouldNotFitTheQueue() {
    String long513 = "k".repeat(513);
    assertRefused("Materialize", "k", null, Map.of(), 0);
    assertRefused("", "k", null, Map.of(), 0);
    assertRefused("k".repeat(64), "k", null, Map.of(), 0);
    assertRefused("k", "", null, Map.of(), 0);
    assertRefused("k", long513, null, Map.of(), 0);
    assertRefused("k", "k", "", Map.of(), 0);
    assertRefused("k", "k", long513, Map.of(), 0);
    assertRefused("k", "k", null, Map.of("a", "b".repeat(4096)), 0);
    assertRefused("k", "k", null, Map.of(), -1);
    assertRefused("k", "\ud800", null, Map.of(), 0);
    assertRefused("k", "k", "x\udc00", Map.of(), 0);
    assertRefused("k", "k", null, Map.of("a", "\ud800"), 0);
  }

  @Test
  void survivesTheWire() {
    TaskSpec spec = spec("materialize", "k/ü😀", "g", Map.of("b", "2", "a", "1"), 1500);
    assertEquals(spec, QueueMessages.decode(QueueMessages.encode(spec)));
    TaskSpec bare = spec("sweep", "sweep", null, Map.of(), 0);
    assertEquals(bare, QueueMessages.decode(QueueMessages.encode(bare)));
  }
}
