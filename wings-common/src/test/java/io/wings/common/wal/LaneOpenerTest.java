package io.wings.common.wal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.wings.common.cluster.Keys;
import io.wings.common.concurrent.Threads;
import io.wings.common.error.WingsException;
import io.wings.common.id.Ids;
import io.wings.common.objectstore.Fault;
import io.wings.common.objectstore.Faults;
import io.wings.common.objectstore.FaultyStore;
import io.wings.common.objectstore.ObjectStore;
import io.wings.common.objectstore.PutCondition;
import io.wings.common.objectstore.memory.MemoryStore;
import io.wings.common.retry.Backoff;
import io.wings.common.time.Time;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class LaneOpenerTest {
  private static final ProducerKey STREAM = ProducerKey.unnamed("ada", "s-1");

  private final MemoryStore store = new MemoryStore();
  private final AtomicInteger calls = new AtomicInteger();
  private LaneState written = new LaneState(WalSamples.LANE);

  private static Boundaries boundaries(ObjectStore store) {
    return new Boundaries(store, Time.system(), Ids.secure(), Backoff.NONE);
  }

  private static LaneOpener opener(ObjectStore store) {
    return new LaneOpener(store, Time.system(), Ids.secure(), Threads.virtual(), Backoff.NONE);
  }

  private ObjectStore counting() {
    return watching(calls::incrementAndGet);
  }

  /** Runs something before every read. */
  private ObjectStore watching(Runnable watcher) {
    Faults faults =
        new Faults() {
          @Override
          public Fault onPut(String key, PutCondition condition) {
            return new Fault.None();
          }

          @Override
          public Fault onOther(String key) {
            watcher.run();
            return new Fault.None();
          }
        };
    return new FaultyStore(store, faults, Time.system());
  }

  private void write(long upTo) {
    while (written.head() < upTo) {
      long number = written.head() + 1;
      SegmentWriter writer =
          new SegmentWriter(WalSamples.LANE, number, Ids.secure().hex(), "test", Instant.EPOCH);
      writer.entry(new RejectedEntry(STREAM, 0, number, "grows the log"));
      if (number % SegmentFooter.CHECKPOINT_EVERY == 0) {
        writer.checkpoint(written.checkpoint());
      }
      SegmentWriter.Segment segment = writer.finish();
      store.put(Keys.segment(WalSamples.LANE, number), segment.body(), PutCondition.ifAbsent());
      written.apply(segment.footer());
    }
  }

  private void prune(long boundary) {
    boundaries(store)
        .object(WalSamples.LANE)
        .update(_ -> Optional.of(new Boundary(boundary, false)));
    for (long number = 1; number <= boundary; number++) {
      store.delete(Keys.segment(WalSamples.LANE, number));
    }
  }

  private void assertOpens(ObjectStore from, long watermark) {
    LaneState state = opener(from).open(WalSamples.LANE, watermark);
    assertEquals(written.checkpoint(), state.checkpoint());
  }

  @Test
  void opensALaneWithoutSegments() {
    boundaries(store).createIfAbsent(WalSamples.LANE);
    assertOpens(store, 0);
  }

  @Test
  void findsAnyHead() {
    boundaries(store).createIfAbsent(WalSamples.LANE);
    for (long head : new long[] {1, 2, 3, 255, 256, 257, 511, 512, 600}) {
      write(head);
      assertOpens(store, 0);
    }
  }

  @Test
  void readsFewObjectsWhateverTheLengthOfTheLog() {
    boundaries(store).createIfAbsent(WalSamples.LANE);
    write(2_000);
    prune(1_500);
    assertOpens(counting(), 0);
    // From the checkpoint in 1792: 209 footers, two boundaries, and the search for the head.
    assertTrue(calls.get() <= 209 + 2 + 25, "calls: " + calls);
    calls.set(0);
    assertOpens(counting(), 1_990);
    assertTrue(calls.get() <= 209 + 2 + 12, "calls: " + calls);
  }

  @Test
  void startsFromTheNewestCheckpointAboveTheBoundary() {
    boundaries(store).createIfAbsent(WalSamples.LANE);
    write(600);
    prune(511);
    assertOpens(store, 0);
    assertOpens(store, 300);
  }

  @Test
  void startsOverWhenPrunePassesByWhileItReads() {
    boundaries(store).createIfAbsent(WalSamples.LANE);
    write(300);
    AtomicInteger reads = new AtomicInteger();
    ObjectStore moving =
        watching(
            () -> {
              if (reads.incrementAndGet() == 20) {
                write(900);
                prune(767);
              }
            });
    assertOpens(moving, 0);
  }

  @Test
  void retriesAStoreThatFails() {
    boundaries(store).createIfAbsent(WalSamples.LANE);
    write(10);
    AtomicInteger reads = new AtomicInteger();
    Faults everyFifth =
        new Faults() {
          @Override
          public Fault onPut(String key, PutCondition condition) {
            return new Fault.None();
          }

          @Override
          public Fault onOther(String key) {
            int read = reads.incrementAndGet();
            return read == 3 || read == 9 ? new Fault.Throttled() : new Fault.None();
          }
        };
    assertOpens(new FaultyStore(store, everyFifth, Time.system()), 0);
  }

  private String refused(long watermark) {
    return assertThrows(WingsException.class, () -> opener(store).open(WalSamples.LANE, watermark))
        .code();
  }

  @Test
  void refusesALogThatEndsBelowTheWatermark() {
    boundaries(store).createIfAbsent(WalSamples.LANE);
    write(5);
    assertEquals("watermark-ahead", refused(6));
    assertOpens(store, 5);
  }

  @Test
  void refusesALogWithAHole() {
    boundaries(store).createIfAbsent(WalSamples.LANE);
    write(300);
    store.delete(Keys.segment(WalSamples.LANE, 270));
    assertEquals("segment-missing", refused(300));
  }

  @Test
  void refusesALogWithoutACheckpointAboveItsBoundary() {
    boundaries(store).createIfAbsent(WalSamples.LANE);
    write(300);
    prune(260);
    assertEquals("segment-missing", refused(0));
  }

  @Test
  void refusesALaneWithoutABoundaryAndAClosedOne() {
    assertEquals("boundary-missing", refused(0));
    boundaries(store).object(WalSamples.LANE).update(_ -> Optional.of(new Boundary(0, true)));
    assertEquals("lane-closed", refused(0));
  }
}
