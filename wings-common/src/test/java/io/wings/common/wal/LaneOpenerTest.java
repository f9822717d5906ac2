package io.wings.common.wal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.wings.common.cluster.Keys;
import io.wings.common.cluster.LaneId;
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

  /**
   * Trap 1: prune passes by between the read of the boundary and the search for the head, which
   * then finds nothing above the boundary: the next number would be one that was taken.
   */
  @Test
  void looksAtTheBoundaryAgainAfterItHasFoundTheHead() {
    boundaries(store).createIfAbsent(WalSamples.LANE);
    write(300);
    AtomicInteger reads = new AtomicInteger();
    ObjectStore pruned =
        watching(
            () -> {
              if (reads.incrementAndGet() == 2) {
                prune(255);
              }
            });
    assertOpens(pruned, 0);
    assertTrue(reads.get() > 2, "reads: " + reads);
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

  /** Found by the simulation: of 250 footers one failed each time, and the lane never opened. */
  @Test
  void opensALongLogThoughOneReadInTwentyFails() {
    boundaries(store).createIfAbsent(WalSamples.LANE);
    write(250);
    AtomicInteger reads = new AtomicInteger();
    Faults oneInTwenty =
        new Faults() {
          @Override
          public Fault onPut(String key, PutCondition condition) {
            return new Fault.None();
          }

          @Override
          public Fault onOther(String key) {
            return reads.incrementAndGet() % 20 == 0 ? new Fault.Throttled() : new Fault.None();
          }
        };
    assertOpens(new FaultyStore(store, oneInTwenty, Time.system()), 240);
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

  /** Who reads it has to know how far the log was restored, and what to do. */
  @Test
  void ofALogThatEndsBelowTheWatermarkTellsWhereItEndsAndWhatToDo() {
    boundaries(store).createIfAbsent(WalSamples.LANE);
    write(5);
    WingsException e =
        assertThrows(WingsException.class, () -> opener(store).open(WalSamples.LANE, 9));
    assertTrue(e.detail().contains(" ends at 5, but rows up to 9 "), e.detail());
    assertTrue(e.detail().contains("wings table adopt TABLE --again --yes"), e.detail());
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

  private void close() {
    boundaries(store)
        .object(WalSamples.LANE)
        .update(current -> current.map(b -> new Boundary(b.number(), true)));
  }

  @Test
  void readsAClosedLaneUpToAnyNumberAboveItsBoundary() {
    boundaries(store).createIfAbsent(WalSamples.LANE);
    write(700);
    prune(300);
    close();
    for (long number : new long[] {512, 513, 699, 700}) {
      assertEquals(number, opener(store).openClosed(WalSamples.LANE, number).head());
    }
    assertEquals(written.checkpoint(), opener(store).openClosed(WalSamples.LANE, 700).checkpoint());
    assertThrows(WingsException.class, () -> opener(store).openClosed(WalSamples.LANE, 701));
    assertThrows(WingsException.class, () -> opener(store).openClosed(WalSamples.LANE, 400));
    assertThrows(WingsException.class, () -> opener(store).open(WalSamples.LANE, 700));
  }

  /** Trap 34: what was remembered is remembered under the next incarnation, as one log would. */
  @Test
  void aNextIncarnationGoesOnWithTheProducersOfTheLast() {
    boundaries(store).createIfAbsent(WalSamples.LANE);
    write(700);
    close();
    LaneId next = new LaneId(WalSamples.LANE.table(), "f".repeat(32), WalSamples.LANE.lane());
    long first = LaneSuccession.firstNumber(700);
    assertEquals(768, first);
    begin(next, LaneSuccession.heir(written.checkpoint(), first), first);

    LaneState state = opener(store).open(next, first - 1);
    assertEquals(first, state.head());
    assertEquals(written.producer(STREAM), state.producer(STREAM));
    assertEquals(new Verdict.Rejected(700), state.draft().look(STREAM, 0, 700));
    assertEquals(new Verdict.Accepted(), state.draft().look(STREAM, 0, 701));
  }

  @Test
  void aForgetfulNextIncarnationTakesNoProducerForNew() {
    LaneId next = new LaneId(WalSamples.LANE.table(), "f".repeat(32), WalSamples.LANE.lane());
    long first = LaneSuccession.firstNumber(700);
    begin(
        next, LaneSuccession.forgetful(LaneRules.DEFAULT, java.util.List.of("ada"), first), first);

    LaneState state = opener(store).open(next, first - 1);
    ProducerKey named = ProducerKey.named("ada", "p");
    assertEquals(new Verdict.Forgotten(first - 1), state.draft().look(named, 5, 9));
    assertEquals(new Verdict.Forgotten(first - 1), state.draft().look(STREAM, 0, 701));
    ProducerKey fresh = ProducerKey.unnamed("ada", "s-2");
    assertEquals(new Verdict.Accepted(), state.draft().look(fresh, state.head(), 1));
  }

  private void begin(LaneId lane, Checkpoint checkpoint, long first) {
    boundaries(store).object(lane).createIfAbsent(new Boundary(first - 1, false));
    SegmentWriter writer =
        new SegmentWriter(lane, first, Ids.secure().hex(), "test", Instant.EPOCH);
    writer.checkpoint(checkpoint);
    store.put(Keys.segment(lane, first), writer.finish().body(), PutCondition.ifAbsent());
  }

  @Test
  void whatIsLeftOfALaneIsCountedWhateverCanBeRead() {
    boundaries(store).createIfAbsent(WalSamples.LANE);
    write(20);
    store.put(
        Keys.segment(WalSamples.LANE, 18),
        io.wings.common.objectstore.Body.of(new byte[] {1, 2, 3}),
        PutCondition.any());
    LaneRemains left = LaneRemains.of(store, WalSamples.LANE, 15);
    assertEquals(20, left.head());
    assertEquals(5, left.segments());
    assertEquals(1, left.unreadable());
    assertEquals(LaneRules.DEFAULT, LaneRemains.memory(store, WalSamples.LANE, 0, 20).rules());
  }
}
