package io.wings.ingestor.lane;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.wings.common.cluster.Position;
import io.wings.common.concurrent.Threads;
import io.wings.common.objectstore.Fault;
import io.wings.common.objectstore.Faults;
import io.wings.common.objectstore.FaultyStore;
import io.wings.common.objectstore.ObjectStore;
import io.wings.common.objectstore.PutCondition;
import io.wings.common.objectstore.memory.MemoryStore;
import io.wings.common.time.Time;
import io.wings.common.wal.BatchEntry;
import io.wings.common.wal.LaneState;
import io.wings.common.wal.ProducerKey;
import io.wings.common.wal.RejectedEntry;
import io.wings.common.wal.SegmentFooter;
import io.wings.common.wal.WalEntry;
import io.wings.common.wal.WalSamples;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Several ingestors that all believe that they own one lane, over a store that fails, under writers
 * that move between them and send again, while ingestors die and old segments are pruned. P1, P2
 * and P6 hold: no gap, no duplicate, every ack in the log exactly once and where the ack says.
 */
class ContendedLaneTest {
  private static final int INGESTORS = 3;
  private static final int NAMED = 6;
  private static final int UNNAMED = 4;
  private static final int SEQUENCES = 200;

  private final MemoryStore store = new MemoryStore();
  private final AtomicReferenceArray<Lanes> ingestors = new AtomicReferenceArray<>(INGESTORS);
  private final AtomicInteger prunes = new AtomicInteger();
  private final AtomicBoolean over = new AtomicBoolean();
  private final ConcurrentLinkedQueue<Throwable> failures = new ConcurrentLinkedQueue<>();
  private final List<SegmentFooter> archive = new ArrayList<>();

  private void sleepUntilPruned() {
    int before = prunes.get();
    try {
      for (int i = 0; i < 100 && prunes.get() == before && !over.get(); i++) {
        Thread.sleep(10);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /**
   * @param sleeper whether it is cut off now and then until prune has passed by
   */
  private ObjectStore faulty(long seed, boolean sleeper) {
    Random random = new Random(seed);
    Faults faults =
        new Faults() {
          @Override
          public Fault onPut(String key, PutCondition condition) {
            if (!key.endsWith(".wal")) {
              return new Fault.None();
            }
            if (sleeper && random.nextInt(12) == 0) {
              sleepUntilPruned();
            }
            return switch (random.nextInt(60)) {
              case 0, 1 -> new Fault.FailBefore();
              case 2, 3 -> new Fault.FailAfter();
              case 4, 5 -> new Fault.LandsLater(1 + random.nextInt(40));
              case 6 -> new Fault.Throttled();
              case 7 -> new Fault.NoSpace();
              case 8 -> new Fault.Slow(Duration.ofMillis(random.nextInt(120)));
              default -> new Fault.None();
            };
          }

          @Override
          public Fault onOther(String key) {
            return random.nextInt(50) == 0 ? new Fault.Throttled() : new Fault.None();
          }
        };
    return new FaultyStore(store, faults, Time.system());
  }

  private Lanes start(long seed, boolean sleeper) {
    return LaneKit.lanes(
        faulty(seed, sleeper),
        LaneKit.settings().withFlushInterval(Duration.ofMillis(seed % 3)),
        LaneObserver.NONE);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void keepsItsPromisesWhoeverWritesAndWhateverFails(long seed) throws Exception {
    LaneKit.boundaries(store).createIfAbsent(WalSamples.LANE);
    for (int i = 0; i < INGESTORS; i++) {
      ingestors.set(i, start(seed * 100 + i, i == 0));
    }
    List<Writer> writers = new ArrayList<>();
    CountDownLatch done = new CountDownLatch(NAMED + UNNAMED);
    for (int i = 0; i < NAMED + UNNAMED; i++) {
      ProducerKey key = new ProducerKey("p" + i % 3, "w" + i, i < NAMED);
      Writer writer = new Writer(key, new Random(seed * 1000 + i), done);
      writers.add(writer);
      Threads.virtual().start("writer", writer);
    }
    CountDownLatch quiet = new CountDownLatch(2);
    Threads.virtual().start("killer", () -> kill(new Random(seed), quiet));
    Threads.virtual().start("pruner", () -> prune(new Random(seed), quiet));
    assertTrue(done.await(90, TimeUnit.SECONDS), "all writers end");
    assertEquals(List.of(), List.copyOf(failures));
    over.set(true);
    assertTrue(quiet.await(20, TimeUnit.SECONDS));
    for (int i = 0; i < INGESTORS; i++) {
      ingestors.get(i).close(Duration.ofSeconds(10));
    }
    verify(writers);
  }

  private void kill(Random random, CountDownLatch quiet) {
    try {
      while (!over.get()) {
        Thread.sleep(100 + random.nextInt(200));
        int victim = 1 + random.nextInt(INGESTORS - 1);
        Lanes old = ingestors.get(victim);
        ingestors.set(victim, start(random.nextInt(1_000_000), false));
        if (random.nextBoolean()) {
          old.close();
        } else {
          old.close(Duration.ofMillis(random.nextInt(50)));
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      quiet.countDown();
    }
  }

  private void prune(Random random, CountDownLatch quiet) {
    try {
      // On a busy machine writers may end before its first turn; one more then.
      for (int rounds = 0; !over.get() || (prunes.get() == 0 && rounds < 200); rounds++) {
        Thread.sleep(20 + random.nextInt(50));
        List<SegmentFooter> log = LaneKit.log(store);
        long checkpoint =
            log.stream()
                .filter(footer -> footer.checkpoint() != null)
                .mapToLong(SegmentFooter::number)
                .max()
                .orElse(0);
        long boundary = checkpoint - 1 - random.nextInt(3);
        if (!log.isEmpty() && boundary >= log.getFirst().number()) {
          log.stream().filter(footer -> footer.number() <= boundary).forEach(archive::add);
          LaneKit.prune(store, boundary);
          prunes.incrementAndGet();
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      quiet.countDown();
    }
  }

  /** A client: sends sequences in order, some at once, and again when in doubt. */
  private final class Writer implements Runnable {
    private final ProducerKey key;
    private final Random random;
    private final CountDownLatch done;
    private final Map<Long, List<LaneResult>> results = new HashMap<>();
    private long epoch = -1;
    private long next = 1;

    private Writer(ProducerKey key, Random random, CountDownLatch done) {
      this.key = key;
      this.random = random;
      this.done = done;
    }

    @Override
    public void run() {
      try {
        while (next <= SEQUENCES) {
          try {
            serve();
          } catch (io.wings.common.error.WingsException e) {
            // The ingestor died or can't open the lane just now: try another.
            assertEquals(io.wings.common.error.ErrorKind.UNAVAILABLE, e.kind(), String.valueOf(e));
          }
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      } catch (RuntimeException | AssertionError e) {
        failures.add(e);
      } finally {
        done.countDown();
      }
    }

    private void serve() throws InterruptedException {
      LaneKit.Results told = new LaneKit.Results();
      Lanes lanes = ingestors.get(random.nextInt(16) == 0 ? 0 : 1 + random.nextInt(INGESTORS - 1));
      try (LaneSession session = lanes.open(WalSamples.LANE, 0, told)) {
        if (key.named() && (epoch < 0 || random.nextInt(3) == 0)) {
          ProducerOpened opened = session.openProducer(key);
          assertTrue(opened.epoch() > epoch, "epochs grow");
          assertTrue(opened.sequence() >= next - 1, "no ack is forgotten");
          epoch = opened.epoch();
        } else if (epoch < 0) {
          epoch = session.head();
        }
        while (next <= SEQUENCES && random.nextInt(30) > 0) {
          int window = 1 + random.nextInt(4);
          for (int i = 0; i < window; i++) {
            send(session, next + i);
          }
          if (random.nextInt(20) == 0) {
            return;
          }
          for (int i = 0; i < window; i++) {
            LaneResult result = told.next();
            if (result instanceof LaneResult.Undecided) {
              return;
            }
            results.computeIfAbsent(result.sequence(), _ -> new ArrayList<>()).add(result);
          }
          next += window;
        }
      }
    }

    private void send(LaneSession session, long sequence) throws InterruptedException {
      if (isBad(sequence)) {
        session.reject(key, epoch, sequence, "bad");
      } else {
        LaneKit.submit(session, key, epoch, sequence);
      }
    }
  }

  private static boolean isBad(long sequence) {
    return sequence % 7 == 3;
  }

  /** Where a sequence is in the log. */
  private record Place(ProducerKey producer, long sequence) {}

  private void verify(List<Writer> writers) {
    List<SegmentFooter> log = new ArrayList<>(archive);
    log.addAll(LaneKit.log(store));
    LaneState state = new LaneState(WalSamples.LANE);
    Map<Place, Long> stored = new HashMap<>();
    Map<Place, Long> rejected = new HashMap<>();
    for (SegmentFooter footer : log) {
      state.apply(footer);
      for (WalEntry entry : footer.entries()) {
        if (entry instanceof BatchEntry batch) {
          Place place = new Place(batch.producer(), batch.sequence());
          assertEquals(null, stored.put(place, footer.number()), place + " is stored once");
        }
        if (entry instanceof RejectedEntry refusal) {
          Place place = new Place(refusal.producer(), refusal.sequence());
          assertEquals(null, rejected.put(place, footer.number()), place + " is rejected once");
        }
      }
    }
    int acks = 0;
    for (Writer writer : writers) {
      for (long sequence = 1; sequence <= SEQUENCES; sequence++) {
        Place place = new Place(writer.key, sequence);
        List<LaneResult> told = writer.results.getOrDefault(sequence, List.of());
        assertTrue(!told.isEmpty(), place + " was decided");
        assertEquals(isBad(sequence), rejected.containsKey(place), place + " rejected");
        assertEquals(!isBad(sequence), stored.containsKey(place), place + " stored");
        for (LaneResult result : told) {
          check(place, result, isBad(sequence) ? rejected : stored);
        }
        acks += told.stream().anyMatch(LaneResult.Durable.class::isInstance) ? 1 : 0;
      }
    }
    assertTrue(acks > 0, "some acks were the first word");
    // On a busy machine the log may be too short for a checkpoint, and nothing can be.
    boolean prunable = log.stream().skip(1).anyMatch(footer -> footer.checkpoint() != null);
    assertEquals(prunable, !archive.isEmpty(), "something was pruned of " + log.size());
  }

  private static void check(Place place, LaneResult result, Map<Place, Long> log) {
    long number = log.getOrDefault(place, 0L);
    switch (result) {
      case LaneResult.Durable(_, Position at) -> {
        assertTrue(!isBad(place.sequence()));
        assertEquals(number, at.number(), place + " is where its ack says");
      }
      case LaneResult.Duplicate(_, Position at) -> {
        assertTrue(!isBad(place.sequence()));
        assertTrue(number <= at.number(), place + " is at or below what its answer says");
      }
      case LaneResult.Rejected(_, Position at, _) -> {
        assertTrue(isBad(place.sequence()));
        assertTrue(number <= at.number());
      }
      case LaneResult.Passed _, LaneResult.Refused _, LaneResult.Undecided _ ->
          throw new AssertionError(place + " was told " + result);
    }
  }
}
