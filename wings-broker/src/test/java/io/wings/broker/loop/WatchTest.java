package io.wings.broker.loop;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.wings.common.cas.Fence;
import java.time.Duration;
import java.util.Collections;
import org.junit.jupiter.api.Test;

class WatchTest {
  private static final BrokerTiming TIMING = new BrokerTiming(Duration.ofSeconds(6));
  private static final long SECOND = Duration.ofSeconds(1).toNanos();

  private static Fence fence(String putId) {
    return new Fence(1, putId, Collections.emptySortedMap());
  }

  @Test
  void waitsUntilTheObjectWasUnchangedForTheTakeoverTime() {
    Watch watch = new Watch(TIMING, false);
    for (int second = 0; second < 6; second++) {
      assertFalse(watch.observe(fence("a"), second * SECOND, second * SECOND));
    }
    assertTrue(watch.observe(fence("a"), 6 * SECOND, 6 * SECOND));
  }

  @Test
  void oneThatKnowsItselfAloneTakesOverWhatItSeesFirst() {
    assertTrue(new Watch(TIMING, true).observe(fence("a"), 0, 0));
  }

  @Test
  void oneThatWasNotAloneAfterAllWaitsLikeTheOthers() {
    Watch watch = new Watch(TIMING, true);
    assertTrue(watch.observe(fence("a"), 0, 0));
    watch.forget();
    assertFalse(watch.observe(fence("b"), SECOND, SECOND));
  }
}
