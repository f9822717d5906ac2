package io.wings.ingestor.lane;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import io.wings.common.cluster.Keys;
import io.wings.common.cluster.Position;
import io.wings.common.id.Ids;
import io.wings.common.objectstore.Body;
import io.wings.common.objectstore.PutCondition;
import io.wings.common.objectstore.memory.MemoryStore;
import io.wings.common.time.Time;
import io.wings.common.wal.LaneRules;
import io.wings.common.wal.Operation;
import io.wings.common.wal.ProducerKey;
import io.wings.common.wal.RulesRecord;
import io.wings.common.wal.SegmentWriter;
import io.wings.common.wal.WalSamples;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Lanes whose log went on, and was pruned, while their ingestor slept. */
class SleepingLaneTest {
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

  /** Trap 1: a number reused after pruning swallows an acked write. */
  @Test
  void writesNothingIntoPrunedNumbersAfterSleeping() throws InterruptedException {
    LaneSession sleeper = session(lanes(LaneKit.lanes(store)));
    LaneKit.submit(sleeper, STREAM, 0, 1);
    assertInstanceOf(LaneResult.Durable.class, results.next());
    long head = growTo(600);
    LaneKit.prune(store, 500);

    LaneKit.submit(sleeper, STREAM, 0, 2);
    Position at = assertInstanceOf(LaneResult.Durable.class, results.next()).position();
    assertEquals(head + 1, at.number());
    assertEquals(List.of(head + 1), LaneKit.places(LaneKit.log(store), STREAM, 2));
  }

  /** Others write until the head is at {@code number}. */
  private long growTo(long number) throws InterruptedException {
    LaneKit.Results others = new LaneKit.Results();
    Lanes lanes = lanes(LaneKit.lanes(store));
    LaneSession session = lanes.open(WalSamples.LANE, 0, others);
    ProducerKey producer = ProducerKey.unnamed("bob", "other");
    long epoch = session.head();
    for (long sequence = 1; session.head() < number; sequence++) {
      session.reject(producer, epoch, sequence, "grows the log");
      others.next();
    }
    long head = session.head();
    lanes.close();
    return head;
  }

  /** Trap 31: a zombie segment at or below the boundary convinces another writer. */
  @Test
  void believesNoSegmentAtOrBelowTheBoundary() throws InterruptedException {
    LaneSession sleeper = session(lanes(LaneKit.lanes(store)));
    long epoch = sleeper.openProducer(ADA).epoch();
    LaneKit.submit(sleeper, ADA, epoch, 1);
    assertInstanceOf(LaneResult.Durable.class, results.next());
    long asleep = sleeper.head();
    long head = growTo(600);
    LaneKit.prune(store, 500);
    zombie(asleep + 1, epoch, 2);

    LaneKit.submit(sleeper, ADA, epoch, 2);
    assertEquals(new LaneResult.Durable(2, position(head + 1)), results.next());
    assertEquals(List.of(head + 1), LaneKit.places(LaneKit.log(store), ADA, 2));
  }

  @Test
  void doesNotStopForAZombieThatContradictsWhatItKnows() throws InterruptedException {
    LaneSession sleeper = session(lanes(LaneKit.lanes(store)));
    long epoch = sleeper.openProducer(ADA).epoch();
    long head = growTo(600);
    LaneKit.prune(store, 500);
    zombie(epoch + 1, epoch, 17);
    LaneKit.submit(sleeper, ADA, epoch, 1);
    assertEquals(new LaneResult.Durable(1, position(head + 1)), results.next());
  }

  @Test
  void concludesNothingFromAStateThatReadingOnThrewAway() throws InterruptedException {
    LaneSession sleeper = session(lanes(LaneKit.lanes(store)));
    long epoch = sleeper.openProducer(ADA).epoch();
    LaneSession other = session(lanes(LaneKit.lanes(store)));
    LaneKit.submit(other, ADA, epoch, 1);
    assertInstanceOf(LaneResult.Durable.class, results.next());
    long head = growTo(600);
    LaneKit.prune(store, 500);
    store.put(
        Keys.segment(WalSamples.LANE, epoch + 1), Body.of(new byte[64]), PutCondition.ifAbsent());

    LaneKit.submit(sleeper, ADA, epoch, 2);
    assertEquals(
        new LaneResult.Durable(2, position(head + 1)), results.next(), "a gap in the old state");
  }

  /**
   * Trap 34: its first put landed and was read, pruned and forgotten before the reply came, so that
   * it must be taken neither for new nor for one that can't have been stored.
   */
  @Test
  void whatMayHaveBeenStoredAndIsForgottenIsNotToldAsIfItWerent() throws InterruptedException {
    SegmentWriter rules =
        new SegmentWriter(WalSamples.LANE, 1, Ids.secure().hex(), "rules", Time.system().now());
    rules.entry(new RulesRecord(new LaneRules(2, 4, 1_024, 4, 1 << 20)));
    store.put(Keys.segment(WalSamples.LANE, 1), rules.finish().body(), PutCondition.ifAbsent());
    AtomicBoolean slept = new AtomicBoolean();
    LaneSession sleeper =
        session(
            lanes(
                LaneKit.lanes(
                    new Watching(
                        store,
                        (key, body) -> {
                          if (key.endsWith(".wal") && slept.compareAndSet(false, true)) {
                            store.put(key, body, PutCondition.ifAbsent());
                            forget();
                          }
                        }))));
    LaneKit.submit(sleeper, STREAM, sleeper.head(), 1);
    assertEquals("outcome-forgotten", refused(results.next()));
    LaneKit.submit(sleeper, STREAM, 1, 1);
    assertEquals("producer-forgotten", refused(results.next()), "of this no put was made");
  }

  /** Others write until a producer with one batch is forgotten, and that batch is pruned. */
  private void forget() {
    try {
      long _ = growTo(600);
      LaneKit.Results others = new LaneKit.Results();
      LaneSession session = lanes(LaneKit.lanes(store)).open(WalSamples.LANE, 0, others);
      for (String name : List.of("s-2", "s-3", "s-4")) {
        LaneKit.submit(session, ProducerKey.unnamed("bob", name), session.head(), 1);
        assertInstanceOf(LaneResult.Durable.class, others.next());
      }
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
    LaneKit.prune(store, 500);
  }

  private void zombie(long number, long epoch, long sequence) {
    SegmentWriter writer =
        new SegmentWriter(
            WalSamples.LANE, number, Ids.secure().hex(), "zombie", Time.system().now());
    writer.batch(ADA, epoch, sequence, null, Operation.INSERT, LaneKit.BATCH);
    store.put(
        Keys.segment(WalSamples.LANE, number), writer.finish().body(), PutCondition.ifAbsent());
  }

  @Test
  void stopsAtALogThatContradictsItself() throws InterruptedException {
    LaneSession session = session(lanes(LaneKit.lanes(store)));
    long epoch = session.openProducer(ADA).epoch();
    zombie(epoch + 1, epoch, 17);
    LaneKit.submit(session, ADA, epoch, 1);
    assertEquals(
        "log-contradiction",
        assertInstanceOf(LaneResult.Undecided.class, results.next()).error().code());
  }

  private static String refused(LaneResult result) {
    return assertInstanceOf(LaneResult.Refused.class, result).error().code();
  }
}
