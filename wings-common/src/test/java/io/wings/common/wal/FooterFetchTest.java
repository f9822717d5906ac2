package io.wings.common.wal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.wings.common.cluster.Keys;
import io.wings.common.concurrent.Threads;
import io.wings.common.error.WingsException;
import io.wings.common.id.Ids;
import io.wings.common.objectstore.Body;
import io.wings.common.objectstore.Fault;
import io.wings.common.objectstore.Faults;
import io.wings.common.objectstore.FaultyStore;
import io.wings.common.objectstore.PutCondition;
import io.wings.common.objectstore.memory.MemoryStore;
import io.wings.common.retry.Backoff;
import io.wings.common.retry.Retry;
import io.wings.common.time.Time;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Trap 21: what an opening holds is bounded in bytes. */
@Timeout(60)
class FooterFetchTest {
  private static final ProducerKey STREAM = ProducerKey.unnamed("ada", "s-1");
  private static final int SEGMENTS = 40;

  /** About 110 KB of footer: more than is read at first. */
  private static final int ENTRIES = 200;

  private final MemoryStore store = new MemoryStore();
  private final AtomicInteger begun = new AtomicInteger();
  private final AtomicInteger taken = new AtomicInteger();
  private final AtomicInteger most = new AtomicInteger();

  /** Sees the second read of each segment, the one of its whole footer. */
  private final SegmentReader reader =
      new SegmentReader(
          new FaultyStore(
              store,
              new Faults() {
                private final Map<String, Integer> reads = new HashMap<>();

                @Override
                public Fault onPut(String key, PutCondition condition) {
                  return new Fault.None();
                }

                @Override
                public synchronized Fault onOther(String key) {
                  if (reads.merge(key, 1, Integer::sum) == 2) {
                    int held = begun.incrementAndGet() - taken.get();
                    most.accumulateAndGet(held, Math::max);
                  }
                  return new Fault.None();
                }
              },
              Time.system()));

  /**
   * @return the length of the first footer; no other is longer by more than some bytes
   */
  private int write(int segments) {
    String reason = "x".repeat(500);
    long sequence = 0;
    for (int number = 1; number <= segments; number++) {
      SegmentWriter writer =
          new SegmentWriter(WalSamples.LANE, number, Ids.secure().hex(), "test", Instant.EPOCH);
      for (int i = 0; i < ENTRIES; i++) {
        writer.entry(new RejectedEntry(STREAM, 0, ++sequence, reason));
      }
      Body body = writer.finish().body();
      store.put(Keys.segment(WalSamples.LANE, number), body, PutCondition.ifAbsent());
    }
    return new SegmentReader(store).tail(WalSamples.LANE, 1).orElseThrow().footerBytes();
  }

  private FooterFetch fetch(FooterRoom room, long last) {
    return new FooterFetch(
        reader,
        Threads.virtual(),
        new Retry(Time.system(), Ids.secure(), Backoff.NONE),
        room,
        WalSamples.LANE,
        1,
        last);
  }

  private void takeAll(FooterRoom room) {
    try (FooterFetch footers = fetch(room, SEGMENTS)) {
      for (long number = 1; number <= SEGMENTS; number++) {
        Optional<SegmentFooter> footer = footers.next();
        taken.incrementAndGet();
        assertEquals(number, footer.orElseThrow().number());
      }
    }
  }

  @Test
  void holdsNoMoreFootersThanThereIsRoomFor() {
    int length = write(SEGMENTS);
    assertTrue(length > SegmentReader.TAIL_BYTES, "a footer of " + length);
    takeAll(new FooterRoom(3 * (length + 1_000)));
    assertEquals(SEGMENTS, begun.get());
    assertTrue(most.get() <= 3, "held " + most);
  }

  @Test
  void oneThatIsLongerThanAllTheRoomPassesAlone() {
    int length = write(SEGMENTS);
    takeAll(new FooterRoom(length / 2));
    assertEquals(1, most.get());
  }

  @Test
  void openingsAtTheSameTimeShareTheRoom() throws Exception {
    int length = write(SEGMENTS);
    FooterRoom room = new FooterRoom(2 * (length + 1_000));
    AtomicInteger done = new AtomicInteger();
    Thread[] threads = new Thread[8];
    for (int i = 0; i < threads.length; i++) {
      threads[i] =
          Threads.virtual()
              .start(
                  "opening",
                  () -> {
                    takeAll(room);
                    done.incrementAndGet();
                  });
    }
    for (Thread thread : threads) {
      thread.join();
    }
    assertEquals(threads.length, done.get());
  }

  @Test
  void oneThatEndsEarlyGivesBackAllItsRoom() {
    int length = write(SEGMENTS);
    FooterRoom room = new FooterRoom(2 * (length + 1_000));
    for (int i = 0; i < 20; i++) {
      try (FooterFetch footers = fetch(room, SEGMENTS)) {
        assertTrue(footers.next().isPresent());
      }
    }
    takeAll(room);
  }

  @Test
  void oneThatFailsGivesBackAllItsRoom() {
    int length = write(SEGMENTS);
    store.put(Keys.segment(WalSamples.LANE, 5), Body.of(new byte[100]), PutCondition.any());
    FooterRoom room = new FooterRoom(2 * (length + 1_000));
    for (int i = 0; i < 20; i++) {
      assertThrows(WingsException.class, () -> takeAll(room));
    }
    try (FooterFetch footers = fetch(room, 4)) {
      for (int number = 1; number <= 4; number++) {
        assertTrue(footers.next().isPresent());
      }
    }
  }
}
