package io.wings.common.flight;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class LaneHashTest {
  /** The values that Iceberg's table specification lists for its bucket transform. */
  @Test
  void isIcebergsHash() {
    assertEquals(1210000089, LaneHash.hash("iceberg"));
    assertEquals(0, LaneHash.hash(""));
  }

  /** Reference values of MurmurHash3 x86 32 with seed 0. */
  @Test
  void hashesKnownVectors() {
    assertEquals(0x248bfa47, LaneHash.hash("hello"));
    assertEquals(0x149bbb7f, LaneHash.hash("hello, world"));
    assertEquals(0x2e4ff723, LaneHash.hash("The quick brown fox jumps over the lazy dog"));
  }

  @Test
  void laneIsFixedForEver() {
    assertEquals(
        (LaneHash.hash("etl\0orders-1") & Integer.MAX_VALUE) % 7,
        LaneHash.named("etl", "orders-1", 7));
    assertEquals((LaneHash.hash("p") & Integer.MAX_VALUE) % 7, LaneHash.unnamed("p", 7));
    assertEquals(0, LaneHash.named("etl", "orders-1", 1));
  }

  @Test
  void principalsAndProducersNeverRunTogether() {
    assertTrue(LaneHash.hash("ab\0c") != LaneHash.hash("a\0bc"));
  }

  @Test
  void spreadsProducersEvenly() {
    Map<Integer, Integer> counts = new HashMap<>();
    for (int i = 0; i < 9900; i++) {
      counts.merge(LaneHash.named("anonymous", "producer-" + i, 99), 1, Integer::sum);
    }
    assertEquals(99, counts.size());
    assertTrue(counts.values().stream().allMatch(n -> n > 50 && n < 150), counts.toString());
  }

  @Test
  void refusesLanesOutOfRange() {
    assertThrows(IllegalArgumentException.class, () -> LaneHash.unnamed("p", 0));
    assertThrows(IllegalArgumentException.class, () -> LaneHash.unnamed("p", 100));
  }
}
