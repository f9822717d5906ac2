package io.wings.common.objectstore;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.wings.common.id.SeededIds;
import io.wings.common.objectstore.memory.MemoryStore;
import io.wings.common.time.SteppedTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class LatencyStoreTest {
  @Test
  void passesThroughItsQuantiles() {
    assertEquals(Duration.ofMillis(50), LatencyStore.S3_PUT.at(0));
    assertEquals(Duration.ofMillis(100), LatencyStore.S3_PUT.at(0.5));
    assertEquals(Duration.ofMillis(195), LatencyStore.S3_PUT.at(0.99));
    assertEquals(274, LatencyStore.S3_PUT.at(0.999).plusNanos(1).toMillis());
    assertEquals(Duration.ofMillis(274), LatencyStore.S3_PUT.at(0.99999));
    assertEquals(Duration.ofMillis(63), LatencyStore.S3_GET.at(0.5));
  }

  @Test
  void aStoreIsAsSlowAsThat() {
    SteppedTime time = new SteppedTime();
    ObjectStore store = new LatencyStore(new MemoryStore("test", time), time, new SeededIds(1));
    List<Duration> puts = new ArrayList<>();
    List<Duration> gets = new ArrayList<>();
    for (int i = 0; i < 2_000; i++) {
      long start = time.nanos();
      store.put("k", Body.of(new byte[1]), PutCondition.any());
      puts.add(time.since(start));
      start = time.nanos();
      store.get("k");
      gets.add(time.since(start));
    }
    puts.sort(null);
    gets.sort(null);

    assertNear(100, puts.get(1_000));
    assertNear(195, puts.get(1_980));
    assertNear(63, gets.get(1_000));
    assertNear(78, gets.get(1_980));
  }

  private static void assertNear(long millis, Duration measured) {
    assertTrue(Math.abs(measured.toMillis() - millis) <= millis / 10, millis + ": " + measured);
  }
}
