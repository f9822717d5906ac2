package io.wings.ingestor.lane;

import io.wings.common.concurrent.Threads;
import io.wings.common.id.Ids;
import io.wings.common.objectstore.ObjectStore;
import io.wings.common.retry.Backoff;
import io.wings.common.time.Time;
import io.wings.common.wal.BatchEntry;
import io.wings.common.wal.Boundaries;
import io.wings.common.wal.Boundary;
import io.wings.common.wal.EncodedBatch;
import io.wings.common.wal.LaneState;
import io.wings.common.wal.Operation;
import io.wings.common.wal.ProducerKey;
import io.wings.common.wal.SegmentFooter;
import io.wings.common.wal.SegmentReader;
import io.wings.common.wal.WalSamples;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;

/** What lane tests share. */
final class LaneKit {
  static final Backoff SHORT = new Backoff(Duration.ofMillis(1), Duration.ofMillis(5), 0.5);
  static final EncodedBatch BATCH = batch(3);

  private LaneKit() {}

  static EncodedBatch batch(int rows) {
    try (BufferAllocator allocator = new RootAllocator(16 << 20)) {
      return WalSamples.encoded(allocator, 1, rows);
    }
  }

  static LaneSettings settings() {
    return LaneSettings.of("test").withFlushInterval(Duration.ZERO);
  }

  static Lanes lanes(ObjectStore store) {
    return lanes(store, settings(), LaneObserver.NONE);
  }

  static Lanes lanes(ObjectStore store, LaneSettings settings, LaneObserver observer) {
    return new Lanes(
        new LaneContext(
            store, settings, observer, Time.system(), Ids.secure(), Threads.virtual(), SHORT),
        (_, _) -> {});
  }

  static Boundaries boundaries(ObjectStore store) {
    return new Boundaries(store, Time.system(), Ids.secure(), SHORT);
  }

  /** Does what prune does: raises the boundary, then deletes at or below it. */
  static void prune(ObjectStore store, long number) {
    boundaries(store)
        .object(WalSamples.LANE)
        .update(current -> Optional.of(new Boundary(number, false)));
    for (long n = 1; n <= number; n++) {
      store.delete(io.wings.common.cluster.Keys.segment(WalSamples.LANE, n));
    }
  }

  /** The log above the boundary, replayed: a gap, a contradiction or a bad segment is an error. */
  static List<SegmentFooter> log(ObjectStore store) {
    SegmentReader reader = new SegmentReader(store);
    long boundary = boundaries(store).require(WalSamples.LANE).number();
    List<SegmentFooter> log = new ArrayList<>();
    for (long n = boundary + 1; ; n++) {
      Optional<SegmentFooter> footer = reader.footer(WalSamples.LANE, n);
      if (footer.isEmpty()) {
        break;
      }
      log.add(footer.get());
    }
    if (boundary == 0) {
      LaneState state = new LaneState(WalSamples.LANE);
      log.forEach(state::apply);
    }
    return log;
  }

  /** Numbers of the segments that hold this sequence. */
  static List<Long> places(List<SegmentFooter> log, ProducerKey producer, long sequence) {
    List<Long> numbers = new ArrayList<>();
    for (SegmentFooter footer : log) {
      for (BatchEntry batch : footer.batches()) {
        if (batch.producer().equals(producer) && batch.sequence() == sequence) {
          numbers.add(footer.number());
        }
      }
    }
    return numbers;
  }

  /** A session that no lane knows, for items that are never decided. */
  static Session detachedSession() {
    ByteBudget budget = new ByteBudget(1 << 20, 1 << 20, 1 << 20);
    LaneContext context =
        new LaneContext(
            new io.wings.common.objectstore.memory.MemoryStore(),
            settings(),
            LaneObserver.NONE,
            Time.system(),
            Ids.secure(),
            Threads.virtual(),
            SHORT);
    Lane lane = new Lane(WalSamples.LANE, 0, context, new NoRegistry());
    return new Session(lane, _ -> {}, budget.open(WalSamples.LANE.table().catalog()), () -> {});
  }

  private static final class NoRegistry implements LaneRegistry {
    @Override
    public boolean isOver(Lane lane, List<Pending> work) {
      return true;
    }

    @Override
    public void remove(Lane lane) {}

    @Override
    public void durable(io.wings.common.cluster.LaneId lane, long head) {}
  }

  /** Results in the order in which they came. */
  static final class Results implements LaneListener {
    private final LinkedBlockingQueue<LaneResult> results = new LinkedBlockingQueue<>();

    @Override
    public void decided(LaneResult result) {
      results.add(result);
    }

    LaneResult next() throws InterruptedException {
      LaneResult result = results.poll(20, TimeUnit.SECONDS);
      if (result == null) {
        throw new AssertionError("no result came");
      }
      return result;
    }

    boolean isSilent() throws InterruptedException {
      return results.poll(50, TimeUnit.MILLISECONDS) == null;
    }
  }

  /** Submits a batch of a few rows. */
  static void submit(LaneSession session, ProducerKey producer, long epoch, long sequence)
      throws InterruptedException {
    session.submit(producer, epoch, sequence, null, Operation.INSERT, BATCH);
  }
}
