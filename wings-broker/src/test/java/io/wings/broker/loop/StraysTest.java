package io.wings.broker.loop;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class StraysTest {
  private static final long EPOCH = 7;

  private final Strays strays = new Strays(new BrokerTiming(Duration.ofSeconds(6)));

  /** One call each second of a time, both ends included. */
  private void comeFrom(int first, int last) {
    for (int second = first; second <= last; second++) {
      strays.note(EPOCH, at(second));
    }
  }

  private static long at(int second) {
    return Duration.ofSeconds(second).toNanos();
  }

  @Test
  void lastOnceTheyHaveComeForTwoTakeoverTimes() {
    comeFrom(100, 111);
    assertFalse(strays.last(EPOCH, at(111)));
    comeFrom(112, 112);
    assertTrue(strays.last(EPOCH, at(112)));
  }

  @Test
  void dontLastWhenTheyHaveCeased() {
    comeFrom(100, 120);
    assertTrue(strays.last(EPOCH, at(126)));
    assertFalse(strays.last(EPOCH, at(127)));
  }

  /** A pause of this process makes two calls look far apart. */
  @Test
  void startAgainAfterAGap() {
    comeFrom(100, 105);
    comeFrom(112, 123);
    assertFalse(strays.last(EPOCH, at(123)));
    comeFrom(124, 124);
    assertTrue(strays.last(EPOCH, at(124)));
  }

  @Test
  void countForTheirOwnEpochAlone() {
    comeFrom(100, 120);
    assertFalse(strays.last(EPOCH - 1, at(120)));
    assertFalse(strays.last(EPOCH + 1, at(120)));
    strays.note(EPOCH - 1, at(120));
    assertTrue(strays.last(EPOCH, at(120)), "a late call of an older epoch changes nothing");
    strays.note(EPOCH + 1, at(121));
    assertFalse(strays.last(EPOCH, at(121)));
    assertFalse(strays.last(EPOCH + 1, at(121)));
  }

  /** Trap 37: two brokers behind one address take turns ever more slowly. */
  @Test
  void mustLastTwiceAsLongAfterEachTakeoverUpToALimit() {
    int needed = 12;
    for (int takeover = 0; takeover < 10; takeover++) {
      int begin = 10_000 * (takeover + 1);
      comeFrom(begin, begin + needed - 1);
      assertFalse(strays.last(EPOCH, at(begin + needed - 1)));
      comeFrom(begin + needed, begin + needed);
      assertTrue(strays.last(EPOCH, at(begin + needed)));
      strays.heeded();
      needed = Math.min(needed * 2, 12 << 6);
    }
  }
}
