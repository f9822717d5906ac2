package io.wings.ingestor.lane;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.wings.common.cluster.Position;
import io.wings.common.concurrent.Threads;
import io.wings.common.error.WingsException;
import io.wings.common.id.Ids;
import io.wings.common.objectstore.Body;
import io.wings.common.objectstore.Fault;
import io.wings.common.objectstore.Faults;
import io.wings.common.objectstore.FaultyStore;
import io.wings.common.objectstore.PutCondition;
import io.wings.common.objectstore.memory.MemoryStore;
import io.wings.common.time.Time;
import io.wings.common.wal.Boundary;
import io.wings.common.wal.Operation;
import io.wings.common.wal.ProducerKey;
import io.wings.common.wal.RejectedEntry;
import io.wings.common.wal.SegmentFooter;
import io.wings.common.wal.SegmentWriter;
import io.wings.common.wal.SequenceRange;
import io.wings.common.wal.WalSamples;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class LaneTest {
  private static final ProducerKey ADA = ProducerKey.named("ada", "orders");
  private static final ProducerKey STREAM = ProducerKey.unnamed("ada", "s-1");

  private final MemoryStore store = new MemoryStore();
  private final List<Lanes> opened = new ArrayList<>();
  private final LaneKit.Results results = new LaneKit.Results();

  @BeforeEach
  void adopts() {
    LaneKit.boundaries(store).createIfAbsent(WalSamples.LANE);
  }

  @AfterEach
  void stops() {
    opened.forEach(Lanes::close);
  }

  private Lanes lanes(Lanes lanes) {
    opened.add(lanes);
    return lanes;
  }

  private LaneSession session(Lanes lanes) throws InterruptedException {
    return lanes.open(WalSamples.LANE, 0, results);
  }

  private static Position position(long number) {
    return new Position(WalSamples.LANE.incarnation(), 0, number);
  }

  @Test
  void acksABatchOnceItIsInTheLog() throws InterruptedException {
    LaneSession session = session(lanes(LaneKit.lanes(store)));
    LaneKit.submit(session, STREAM, session.head(), 1);
    assertEquals(new LaneResult.Durable(1, position(1)), results.next());
    assertEquals(List.of(1L), LaneKit.places(LaneKit.log(store), STREAM, 1));
    LaneKit.submit(session, STREAM, 0, 1);
    assertEquals(new LaneResult.Duplicate(1, position(1)), results.next());
    assertEquals(1, session.head());
  }

  /** Trap 21. */
  @Test
  void largeTokensMakeMoreSegmentsAndNoLargeFooters() throws InterruptedException {
    Lanes lanes =
        lanes(
            LaneKit.lanes(
                store,
                LaneKit.settings().withFlushInterval(Duration.ofHours(1)),
                LaneObserver.NONE));
    LaneSession session = session(lanes);
    LaneKit.submit(session, STREAM, session.head(), 1);
    results.next();
    String token = "t".repeat(1024);
    int batches = 6_000;
    for (int sequence = 2; sequence <= batches; sequence++) {
      session.submit(STREAM, 0, sequence, token, Operation.INSERT, LaneKit.BATCH);
    }
    session.flush();
    for (int sequence = 2; sequence <= batches; sequence++) {
      assertInstanceOf(LaneResult.Durable.class, results.next());
    }
    List<SegmentFooter> log = LaneKit.log(store);
    assertTrue(log.size() > 2 && log.size() < 6, "segments: " + log.size());
    for (SegmentFooter footer : log) {
      long bytes = footer.batches().size() * (token.length() + 40L);
      assertTrue(bytes < LaneSettings.FOOTER_CAP_BYTES / 2, footer.batches().size() + " batches");
    }
  }

  @Test
  void answersRetriesAfterARestart() throws InterruptedException {
    Lanes first = lanes(LaneKit.lanes(store));
    LaneSession session = session(first);
    long epoch = session.openProducer(ADA).epoch();
    session.submit(ADA, epoch, 1, "kafka:0:1", Operation.INSERT, LaneKit.BATCH);
    assertInstanceOf(LaneResult.Durable.class, results.next());
    first.close();

    LaneSession again = session(lanes(LaneKit.lanes(store)));
    LaneKit.submit(again, ADA, epoch, 1);
    assertInstanceOf(LaneResult.Duplicate.class, results.next());
    ProducerOpened reopened = again.openProducer(ADA);
    assertEquals(1, reopened.sequence());
    assertEquals("kafka:0:1", reopened.token());
    assertEquals(3, reopened.epoch(), "the record's position");
    LaneKit.submit(again, ADA, epoch, 2);
    assertEquals("producer-fenced", refused(results.next()));
  }

  private static String refused(LaneResult result) {
    return assertInstanceOf(LaneResult.Refused.class, result).error().code();
  }

  @Test
  void givesEachOpeningAnEpochOfItsOwn() throws Exception {
    LaneSession session =
        session(
            lanes(
                LaneKit.lanes(
                    store,
                    LaneKit.settings().withFlushInterval(Duration.ofMillis(30)),
                    LaneObserver.NONE)));
    CountDownLatch done = new CountDownLatch(8);
    List<Long> epochs = java.util.Collections.synchronizedList(new ArrayList<>());
    for (int i = 0; i < 8; i++) {
      Threads.virtual()
          .start(
              "open",
              () -> {
                try {
                  epochs.add(session.openProducer(ADA).epoch());
                } catch (InterruptedException e) {
                  Thread.currentThread().interrupt();
                } finally {
                  done.countDown();
                }
              });
    }
    assertTrue(done.await(20, TimeUnit.SECONDS));
    assertEquals(8, epochs.stream().distinct().count());
  }

  /** P6: it would fence whoever asked again elsewhere, and nobody would hold it. */
  @Test
  void writesNoEpochForOneWhoIsGone() throws Exception {
    Lanes lanes =
        lanes(
            LaneKit.lanes(
                store,
                LaneKit.settings().withFlushInterval(Duration.ofMinutes(1)),
                LaneObserver.NONE));
    LaneSession gone = session(lanes);
    LaneSession other = session(lanes);
    long epoch = gone.openProducer(ADA).epoch();
    Thread asking =
        Threads.virtual()
            .start(
                "open",
                () -> assertThrows(InterruptedException.class, () -> gone.openProducer(ADA)));
    while (asking.getState() != Thread.State.WAITING) {
      Thread.onSpinWait();
    }
    asking.interrupt();
    asking.join();
    gone.close();

    assertEquals(position(epoch), other.flush());
  }

  /** Trap 2: a retried put that had landed is taken for a loss, or written twice. */
  @Test
  void takesAPutThatLandedWithoutAnAnswerForASuccess() throws InterruptedException {
    for (Fault fault :
        List.of(
            new Fault.FailAfter(),
            new Fault.FailBefore(),
            new Fault.LandsLater(1),
            new Fault.LandsLater(3),
            new Fault.Throttled(),
            new Fault.NoSpace())) {
      Lanes lanes =
          lanes(LaneKit.lanes(new FaultyStore(store, Faults.script(fault), Time.system())));
      LaneSession session = session(lanes);
      ProducerKey producer = ProducerKey.unnamed("ada", fault.toString());
      LaneKit.submit(session, producer, session.head(), 1);
      Position at = assertInstanceOf(LaneResult.Durable.class, results.next()).position();
      assertEquals(
          List.of(at.number()), LaneKit.places(LaneKit.log(store), producer, 1), fault.toString());
    }
  }

  /** Trap 32: a rejected sequence, corrected, is answered duplicate. */
  @Test
  void recordsARejectionBeforeItAnswersAndKeepsTheSequenceConsumed() throws InterruptedException {
    LaneSession session = session(lanes(LaneKit.lanes(store)));
    long epoch = session.openProducer(ADA).epoch();
    session.reject(ADA, epoch, 1, "null in column a");
    assertEquals(
        new LaneResult.Rejected(1, position(epoch + 1), "null in column a"), results.next());
    assertEquals(
        List.of(new RejectedEntry(ADA, epoch, 1, "null in column a")),
        LaneKit.log(store).getLast().entries());
    LaneKit.submit(session, ADA, epoch, 1);
    assertEquals(new LaneResult.Rejected(1, position(epoch + 1), ""), results.next());
    LaneKit.submit(session, ADA, epoch, 2);
    assertInstanceOf(LaneResult.Durable.class, results.next());
    assertEquals(List.of(new SequenceRange(1, 1)), session.openProducer(ADA).rejected());
  }

  @Test
  void refusesASequenceThatLeavesAGap() throws InterruptedException {
    LaneSession session = session(lanes(LaneKit.lanes(store)));
    LaneKit.submit(session, STREAM, 0, 5);
    LaneResult.Refused refused = assertInstanceOf(LaneResult.Refused.class, results.next());
    assertEquals("sequence-gap", refused.error().code());
    assertTrue(String.valueOf(refused.error().getMessage()).contains("expected 1"));
    assertEquals(List.of(), LaneKit.log(store));
  }

  @Test
  void drawsNoConclusionFromAnOldView() throws InterruptedException {
    LaneSession stale = session(lanes(LaneKit.lanes(store)));
    LaneSession other = session(lanes(LaneKit.lanes(store)));
    long epoch = other.openProducer(ADA).epoch();
    LaneKit.submit(other, ADA, epoch, 1);
    assertInstanceOf(LaneResult.Durable.class, results.next());
    LaneKit.submit(stale, ADA, epoch, 2);
    assertEquals(
        new LaneResult.Durable(2, position(3)),
        results.next(),
        "its own view knew neither producer nor epoch");
    assertEquals(3, other.flush().number(), "a flush tells the lane's head, not its own");
  }

  @Test
  void halvesItsPutsAfterThreeLosses() throws InterruptedException {
    Contender contender = new Contender(6);
    Lanes lanes =
        lanes(
            new Lanes(
                new LaneContext(
                    contender.store(),
                    LaneKit.settings().withFlushInterval(Duration.ofMillis(100)),
                    LaneObserver.NONE,
                    Time.system(),
                    Ids.secure(),
                    Threads.virtual(),
                    LaneKit.SHORT),
                (_, _) -> {}));
    LaneSession session = session(lanes);
    LaneKit.submit(session, STREAM, 0, 1);
    results.next();
    contender.begin();
    for (int sequence = 2; sequence <= 17; sequence++) {
      LaneKit.submit(session, STREAM, 0, sequence);
    }
    for (int sequence = 2; sequence <= 17; sequence++) {
      assertEquals(sequence, assertInstanceOf(LaneResult.Durable.class, results.next()).sequence());
    }
    assertEquals(List.of(16, 16, 16, 8, 4, 2, 1), contender.sizes().subList(0, 7));
  }

  /** Takes the next numbers away from a lane just before it puts. */
  private final class Contender {
    private final List<Integer> sizes = new ArrayList<>();
    private final AtomicInteger left;
    private volatile boolean active;

    private Contender(int losses) {
      left = new AtomicInteger(losses);
    }

    private void begin() {
      active = true;
    }

    private List<Integer> sizes() {
      return sizes;
    }

    private io.wings.common.objectstore.ObjectStore store() {
      return new FaultyStore(new Watching(store, this::seen), Faults.none(), Time.system());
    }

    private void seen(String key, Body body) {
      if (!active || !key.endsWith(".wal")) {
        return;
      }
      MemoryStore copy = new MemoryStore();
      copy.put(key, body, PutCondition.any());
      long number = Long.parseLong(key.substring(key.lastIndexOf('/') + 1, key.length() - 4));
      SegmentFooter footer =
          new io.wings.common.wal.SegmentReader(copy).footer(WalSamples.LANE, number).orElseThrow();
      sizes.add(footer.entries().size());
      if (left.getAndDecrement() > 0) {
        SegmentWriter writer =
            new SegmentWriter(
                WalSamples.LANE, number, Ids.secure().hex(), "contender", Time.system().now());
        store.put(key, writer.finish().body(), PutCondition.ifAbsent());
      }
    }
  }

  @Test
  void refusesABatchAboveTheSegmentCapUnlessItIsStoredAlready() throws InterruptedException {
    LaneSession session = session(lanes(LaneKit.lanes(store)));
    LaneKit.submit(session, STREAM, 0, 1);
    assertInstanceOf(LaneResult.Durable.class, results.next());
    LaneSettings tiny =
        new LaneSettings(
            "test", Duration.ZERO, 8, 1 << 20, 1 << 20, 1 << 20, 10, Duration.ofMinutes(1));
    LaneSession small = session(lanes(LaneKit.lanes(store, tiny, LaneObserver.NONE)));
    LaneKit.submit(small, STREAM, 0, 1);
    assertInstanceOf(LaneResult.Duplicate.class, results.next());
    LaneKit.submit(small, STREAM, 0, 2);
    assertEquals("batch-too-large", refused(results.next()));
    LaneKit.submit(session, STREAM, 0, 2);
    assertInstanceOf(LaneResult.Durable.class, results.next(), "its sequence was not consumed");
  }

  /** P1: a store that is full or failing gives no false ack, and the lane goes on when it heals. */
  @Test
  void waitsForAStoreThatFailsAndGoesOnByItself() throws InterruptedException {
    AtomicInteger failing = new AtomicInteger(1);
    Faults faults = (_, _) -> failing.get() == 1 ? new Fault.NoSpace() : new Fault.None();
    LaneSettings small =
        new LaneSettings(
            "test",
            Duration.ZERO,
            1 << 20,
            1 << 20,
            1 << 20,
            2 * (LaneKit.BATCH.size() + 1000L),
            10,
            Duration.ofMinutes(1));
    LaneSession session =
        session(
            lanes(
                LaneKit.lanes(
                    new FaultyStore(store, faults, Time.system()), small, LaneObserver.NONE)));
    CountDownLatch submitted = new CountDownLatch(10);
    Threads.virtual()
        .start(
            "submits",
            () -> {
              try {
                for (int sequence = 1; sequence <= 10; sequence++) {
                  LaneKit.submit(session, STREAM, 0, sequence);
                  submitted.countDown();
                }
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            });
    assertTrue(results.isSilent());
    assertTrue(submitted.getCount() > 5, "submit blocks: that is the back-pressure");
    failing.set(0);
    for (int sequence = 1; sequence <= 10; sequence++) {
      assertEquals(sequence, assertInstanceOf(LaneResult.Durable.class, results.next()).sequence());
    }
    session.drain();
  }

  @Test
  void acksWithoutABroker() throws Exception {
    CountDownLatch asked = new CountDownLatch(2);
    Lanes lanes =
        lanes(
            new Lanes(
                new LaneContext(
                    store,
                    LaneKit.settings(),
                    LaneObserver.NONE,
                    Time.system(),
                    Ids.secure(),
                    Threads.virtual(),
                    LaneKit.SHORT),
                (_, _) -> {
                  asked.countDown();
                  throw WingsException.unavailable("no-broker", "none answers", null);
                }));
    LaneSession session = session(lanes);
    for (int sequence = 1; sequence <= 2; sequence++) {
      LaneKit.submit(session, STREAM, 0, sequence);
      assertInstanceOf(LaneResult.Durable.class, results.next());
    }
    assertTrue(asked.await(20, TimeUnit.SECONDS));
  }

  @Test
  void leavesUndecidedWhatIsInFlightWhenItIsStopped() throws InterruptedException {
    Faults never = (_, _) -> new Fault.FailBefore();
    Lanes lanes = lanes(LaneKit.lanes(new FaultyStore(store, never, Time.system())));
    LaneSession session = session(lanes);
    LaneKit.submit(session, STREAM, 0, 1);
    assertTrue(results.isSilent());
    lanes.close();
    assertEquals(
        "ingestor-closing",
        assertInstanceOf(LaneResult.Undecided.class, results.next()).error().code());
    session.drain();
    assertThrows(WingsException.class, () -> LaneKit.submit(session, STREAM, 0, 2));
    assertEquals(0, lanes.bufferedBytes());
  }

  @Test
  void writesWhatWaitsBeforeItCloses() throws InterruptedException {
    Lanes lanes =
        lanes(
            LaneKit.lanes(
                store,
                LaneKit.settings().withFlushInterval(Duration.ofMinutes(10)),
                LaneObserver.NONE));
    LaneSession session = session(lanes);
    LaneKit.submit(session, STREAM, 0, 1);
    assertInstanceOf(LaneResult.Durable.class, results.next());
    LaneKit.submit(session, STREAM, 0, 2);
    assertTrue(results.isSilent());
    lanes.close(Duration.ofSeconds(20));
    assertInstanceOf(LaneResult.Durable.class, results.next());
    assertEquals(0, lanes.size());
  }

  @Test
  void flushesOnRequest() throws InterruptedException {
    LaneSession session =
        session(
            lanes(
                LaneKit.lanes(
                    store,
                    LaneKit.settings().withFlushInterval(Duration.ofMinutes(10)),
                    LaneObserver.NONE)));
    LaneKit.submit(session, STREAM, 0, 1);
    results.next();
    LaneKit.submit(session, STREAM, 0, 2);
    assertEquals(position(2), session.flush());
    assertInstanceOf(LaneResult.Durable.class, results.next());
  }

  @Test
  void acksNothingIntoAClosedLane() throws InterruptedException {
    LaneSession session = session(lanes(LaneKit.lanes(store)));
    LaneKit.boundaries(store)
        .object(WalSamples.LANE)
        .update(_ -> Optional.of(new Boundary(0, true)));
    LaneKit.submit(session, STREAM, 0, 1);
    assertEquals(
        "lane-closed", assertInstanceOf(LaneResult.Undecided.class, results.next()).error().code());
    WingsException e =
        assertThrows(WingsException.class, () -> session(lanes(LaneKit.lanes(store))));
    assertEquals("lane-closed", e.code());
  }

  @Test
  void refusesALaneThatWasNeverAdopted() {
    MemoryStore empty = new MemoryStore();
    WingsException e =
        assertThrows(WingsException.class, () -> session(lanes(LaneKit.lanes(empty))));
    assertEquals("boundary-missing", e.code());
  }

  @Test
  void closesALaneThatNobodyUses() throws InterruptedException {
    LaneSettings hasty =
        new LaneSettings(
            "test", Duration.ZERO, 1 << 20, 1 << 20, 1 << 20, 1 << 20, 1, Duration.ofMillis(20));
    Lanes lanes = lanes(LaneKit.lanes(store, hasty, LaneObserver.NONE));
    LaneSession first = session(lanes);
    LaneKit.submit(first, STREAM, 0, 1);
    results.next();
    first.close();
    while (lanes.size() > 0) {
      Thread.sleep(5);
    }
    LaneSession second = session(lanes);
    assertEquals(1, second.head());
    assertNotEquals(first, second);
  }
}
