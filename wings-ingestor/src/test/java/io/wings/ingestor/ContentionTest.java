package io.wings.ingestor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.grpc.Status;
import io.wings.common.flight.BatchStatus;
import io.wings.common.flight.StreamMove;
import io.wings.common.objectstore.Fault;
import io.wings.common.objectstore.Faults;
import io.wings.common.objectstore.FaultyStore;
import io.wings.common.objectstore.PutCondition;
import io.wings.common.objectstore.memory.MemoryStore;
import io.wings.common.time.Time;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Two ingestors that both have streams of one lane. */
@Timeout(60)
class ContentionTest {
  private final MemoryStore store = new MemoryStore();
  private final Overtaken overtaken = new Overtaken();
  private final IngestorKit kit =
      new IngestorKit(new FaultyStore(store, overtaken, Time.system()), IngestorKit.settings());
  private final IngestorKit other = new IngestorKit(store, IngestorKit.settings(), kit.catalog);

  /** Before each segment of the one ingestor, the other one takes its number. */
  private static final class Overtaken implements Faults {
    volatile @Nullable PutClient by;
    private int batches;

    @Override
    public Fault onPut(String key, PutCondition condition) {
      PutClient put = by;
      if (put != null && key.endsWith(".wal")) {
        put.send(Batches.ids(1_000 + batches++));
        try {
          var _ = put.results(batches);
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
        }
      }
      return new Fault.None();
    }
  }

  @AfterEach
  void close() {
    other.close();
    kit.close();
  }

  /** Trap 37's cousin on the lane: whoever always loses lets its streams go where the winner is. */
  @Test
  void streamsOfWhoAlwaysLosesAreAskedToMoveAndLoseNothing() throws Exception {
    kit.createTable();
    PutClient waiting =
        kit.put(IngestorKit.request().unnamed("drawn-2", 1).ackVisible()).send(Batches.schema());
    waiting.send(Batches.ids(1)).halfClose();
    assertEquals(1, waiting.results(1).size());
    PutClient winner =
        other.put(IngestorKit.request().unnamed("drawn-3", 1)).send(Batches.schema());
    winner.opened();
    PutClient loser = kit.put(IngestorKit.request()).send(Batches.schema());
    loser.opened();
    overtaken.by = winner;
    loser.send(Batches.ids(2));
    while (loser.moved == null) {
      Thread.sleep(5);
    }
    overtaken.by = null;
    assertEquals(StreamMove.Reason.CONTENTION, loser.moved);
    assertEquals(Status.Code.OK, loser.end().getCode());
    assertEquals(1, loser.count(BatchStatus.DURABLE));
    assertNull(waiting.moved, "it has nothing to put, and would contend nowhere");
    winner.halfClose();
    assertEquals(Status.Code.OK, winner.end().getCode());
    assertEquals(kit.entries("t").size(), kit.stored("t", "id").stream().distinct().count());
  }
}
