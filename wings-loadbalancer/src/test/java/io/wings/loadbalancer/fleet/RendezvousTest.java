package io.wings.loadbalancer.fleet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class RendezvousTest {
  private static final int KEYS = 2000;

  private static List<String> nodes(int count) {
    return new ArrayList<>(
        IntStream.range(0, count).mapToObj(i -> "10.0.0." + i + ":8815").toList());
  }

  private static String choose(List<String> nodes, int key) {
    return Rendezvous.choose(nodes, Function.identity(), "main\0web\0t" + key + "\0" + 0)
        .orElseThrow();
  }

  @Test
  void nobodyToChooseFromIsEmpty() {
    assertEquals(
        Optional.empty(), Rendezvous.choose(List.<String>of(), Function.identity(), "key"));
  }

  @Test
  void orderOfTheNodesDoesNotMatter() {
    List<String> nodes = nodes(7);
    List<String> shuffled = new ArrayList<>(nodes);
    Collections.shuffle(shuffled, new Random(1));
    for (int key = 0; key < KEYS; key++) {
      assertEquals(choose(nodes, key), choose(shuffled, key));
    }
  }

  @Test
  void removingOneMovesOnlyItsKeysAndSpreadsThem() {
    List<String> before = nodes(8);
    List<String> after = nodes(8);
    String gone = after.remove(3);
    Map<String, Integer> received = new HashMap<>();
    for (int key = 0; key < KEYS; key++) {
      String old = choose(before, key);
      String now = choose(after, key);
      if (old.equals(gone)) {
        received.merge(now, 1, Integer::sum);
      } else {
        assertEquals(old, now);
      }
    }
    assertEquals(7, received.size());
    assertTrue(received.values().stream().allMatch(n -> n > 10), received.toString());
  }

  @Test
  void spreadsKeysEvenly() {
    List<String> nodes = nodes(5);
    Map<String, Integer> counts = new HashMap<>();
    for (int key = 0; key < KEYS; key++) {
      counts.merge(choose(nodes, key), 1, Integer::sum);
    }
    int fair = KEYS / nodes.size();
    assertTrue(
        counts.values().stream().allMatch(n -> n > fair / 2 && n < fair * 2), counts.toString());
  }
}
