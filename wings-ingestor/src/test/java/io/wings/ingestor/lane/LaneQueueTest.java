package io.wings.ingestor.lane;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.wings.common.error.WingsException;
import io.wings.common.wal.ProducerKey;
import io.wings.common.wal.RejectedEntry;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class LaneQueueTest {
  private static final Duration INTERVAL = Duration.ofSeconds(1);
  private static final Duration PATIENCE = Duration.ofMinutes(5);
  private static final ProducerKey PRODUCER = ProducerKey.unnamed("ada", "s");

  private final SteppingTime time = new SteppingTime();
  private final Session session = LaneKit.detachedSession();

  private LaneQueue queue(Duration interval, long capBytes) {
    return new LaneQueue(time, interval, capBytes);
  }

  private Pending item(long sequence) {
    return new Pending.Rejection(session, new RejectedEntry(PRODUCER, 0, sequence, "bad"));
  }

  private long millisOf(LaneQueue queue, int expected) throws InterruptedException {
    long began = time.nanos();
    assertEquals(expected, queue.take(PATIENCE).size());
    return Duration.ofNanos(time.nanos() - began).toMillis();
  }

  @Test
  void sendsAnIdleLanesFirstWriteAtOnce() throws InterruptedException {
    LaneQueue queue = queue(INTERVAL, 1 << 20);
    queue.add(item(1));
    assertEquals(0, millisOf(queue, 1));
    time.sleep(Duration.ofSeconds(60));
    queue.add(item(2));
    assertEquals(0, millisOf(queue, 1), "also after a long pause");
  }

  @Test
  void countsTheIntervalFromTheStartOfThePreviousFlush() throws InterruptedException {
    LaneQueue queue = queue(INTERVAL, 1 << 20);
    queue.add(item(1));
    queue.take(PATIENCE);
    time.sleep(Duration.ofMillis(300));
    queue.add(item(2));
    assertEquals(700, millisOf(queue, 1));
    time.sleep(Duration.ofMillis(1500));
    queue.add(item(3));
    assertEquals(0, millisOf(queue, 1), "a flush that took longer than the interval");
  }

  @Test
  void doesNotWaitWithASegmentsWorth() throws InterruptedException {
    LaneQueue queue = queue(INTERVAL, 3 * item(1).segmentBytes());
    queue.add(item(1));
    queue.take(PATIENCE);
    for (int sequence = 2; sequence <= 5; sequence++) {
      queue.add(item(sequence));
    }
    assertEquals(0, millisOf(queue, 3));
    assertEquals(1000, millisOf(queue, 1), "the rest is less than a segment's worth");
  }

  /** Trap 21: a segment's cap alone would let some ten megabytes of reasons or tokens gather. */
  @Test
  void doesNotGatherMoreEntriesThanAFooterShallHold() throws InterruptedException {
    LaneQueue queue = queue(INTERVAL, 128 << 20);
    queue.add(item(1));
    queue.take(PATIENCE);
    long cap = LaneSettings.FOOTER_CAP_BYTES / item(1).footerBytes();
    for (long sequence = 2; sequence < 2 * cap; sequence++) {
      queue.add(item(sequence));
    }
    assertEquals(0, millisOf(queue, Math.toIntExact(cap)), "a footer's worth is there");
    assertEquals(1000, millisOf(queue, Math.toIntExact(cap - 2)));
  }

  @Test
  void doesNotWaitWhenSomeoneAsksForAFlush() throws InterruptedException {
    LaneQueue queue = queue(INTERVAL, 1 << 20);
    queue.add(item(1));
    queue.take(PATIENCE);
    queue.add(item(2));
    queue.add(new Pending.Flush(session, new Answer<>()));
    assertEquals(0, millisOf(queue, 2));
  }

  @Test
  void flushesBackToBackWithoutAnInterval() throws InterruptedException {
    LaneQueue queue = queue(Duration.ZERO, 1 << 20);
    for (int sequence = 1; sequence <= 3; sequence++) {
      queue.add(item(sequence));
      assertEquals(0, millisOf(queue, 1));
    }
  }

  @Test
  void givesUpWaitingForWorkAfterItsPatience() throws InterruptedException {
    assertEquals(PATIENCE.toMillis(), millisOf(queue(INTERVAL, 1 << 20), 0));
  }

  @Test
  void handsBackWhatWaitsWhenItStops() throws InterruptedException {
    LaneQueue queue = queue(INTERVAL, 1 << 20);
    queue.add(item(1));
    assertEquals(1, queue.stop(Errors.closing()).size());
    assertEquals(List.of(), queue.take(PATIENCE));
    WingsException e = assertThrows(WingsException.class, () -> queue.add(item(2)));
    assertEquals("ingestor-closing", e.code());
    assertTrue(queue.isIdle());
  }
}
