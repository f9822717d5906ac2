package io.wings.worker.materialize;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.wings.catalog.table.AdoptedTable;
import io.wings.common.cluster.Keys;
import io.wings.common.error.ErrorKind;
import io.wings.common.error.WingsException;
import io.wings.common.objectstore.Fault;
import io.wings.common.objectstore.Faults;
import io.wings.common.objectstore.FaultyStore;
import io.wings.common.objectstore.ObjectStore;
import io.wings.common.objectstore.PutCondition;
import io.wings.common.retry.Backoff;
import io.wings.common.wal.Boundaries;
import io.wings.common.wal.Boundary;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Trap 46: another pass, and prune, go by while a pass reads; and the store is sick. */
final class PrunedUnderPassTest {
  private static final int SEGMENTS = 6;

  private final Workbench bench = new Workbench(7, false);
  private final AdoptedTable table = bench.create(Map.of());
  private final String boundary = Keys.boundary(table.lane(0));
  private final AtomicInteger refusals = new AtomicInteger();
  private final AtomicBoolean pruned = new AtomicBoolean();

  @AfterEach
  void close() {
    bench.close();
  }

  @Test
  void theirSegmentsAreNoHole() throws InterruptedException {
    assertEquals(MaterializePass.Result.MORE, run(0));
    assertTrue(pruned.get());
    assertEquals(LongStream.rangeClosed(1, bench.rows()).boxed().toList(), bench.visible());
  }

  /** Whether they are that isn't known from one call that fails. */
  @Test
  void theLookAtTheBoundaryIsTriedAgain() throws InterruptedException {
    assertEquals(MaterializePass.Result.MORE, run(2));
    assertTrue(refusals.get() < 0);
  }

  @Test
  void withoutALookNothingIsKnown() {
    WingsException error = assertThrows(WingsException.class, () -> run(Integer.MAX_VALUE));
    assertEquals(ErrorKind.UNAVAILABLE, error.kind());
  }

  private MaterializePass.Result run(int boundaryRefusals) throws InterruptedException {
    refusals.set(boundaryRefusals);
    bench.segments(table, 1, SEGMENTS);
    ObjectStore racing = new FaultyStore(bench.store, new Racing(), bench.time);
    return bench
        .pass(racing, MaterializeSettings.DEFAULT)
        .run(table.id(), bench.tenant, bench.writer);
  }

  /** The first read of a segment meets those who go by. */
  private final class Racing implements Faults {
    private final ReentrantLock lock = new ReentrantLock();

    @Override
    public Fault onPut(String key, PutCondition condition) {
      return new Fault.None();
    }

    @Override
    public Fault onOther(String key) {
      lock.lock();
      try {
        if (key.startsWith(Keys.lane(table.lane(0)))
            && key.endsWith(".wal")
            && pruned.compareAndSet(false, true)) {
          goBy();
        }
      } finally {
        lock.unlock();
      }
      return pruned.get() && key.equals(boundary) && refusals.getAndDecrement() > 0
          ? new Fault.Throttled()
          : new Fault.None();
    }
  }

  private void goBy() {
    try {
      bench.run(table);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
    Optional<Boundary> _ =
        new Boundaries(bench.store, bench.time, bench.ids, Backoff.NONE)
            .object(table.lane(0))
            .update(_ -> Optional.of(new Boundary(SEGMENTS, false)));
    for (long number = 1; number <= SEGMENTS; number++) {
      bench.store.delete(Keys.segment(table.lane(0), number));
    }
  }
}
