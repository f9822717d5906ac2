package io.wings.ingestor.table;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.wings.catalog.table.Adoption;
import io.wings.catalog.table.MaterializeTask;
import io.wings.common.cluster.CatalogName;
import io.wings.common.cluster.TableId;
import io.wings.common.concurrent.Threads;
import io.wings.common.error.ErrorKind;
import io.wings.common.error.WingsException;
import io.wings.common.flight.TableName;
import io.wings.common.id.Ids;
import io.wings.common.objectstore.memory.MemoryStore;
import io.wings.common.queue.Task;
import io.wings.common.queue.TaskState;
import io.wings.common.time.Time;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import org.apache.iceberg.Schema;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.inmemory.InMemoryCatalog;
import org.apache.iceberg.types.Types;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class TableWatchesTest {
  private static final CatalogName MAIN = new CatalogName("main");
  private static final TableName NAME = new TableName(MAIN, List.of("db"), "t");
  private static final TableIdentifier TABLE = TableIdentifier.of("db", "t");

  private final InMemoryCatalog catalog = new InMemoryCatalog();
  private final PassingTime time = new PassingTime();
  private final AtomicInteger looks = new AtomicInteger();
  private volatile Optional<String> failing = Optional.empty();
  private final AtomicInteger asked = new AtomicInteger();

  /** Time that passes by waiting, at once. */
  private static final class PassingTime implements Time {
    private final AtomicLong nanos = new AtomicLong();

    @Override
    public long nanos() {
      return nanos.get();
    }

    @Override
    public Instant now() {
      return Instant.EPOCH.plusNanos(nanos.get());
    }

    @Override
    public void sleep(Duration duration) {
      nanos.addAndGet(duration.toNanos());
    }

    @Override
    public boolean await(Lock lock, Condition condition, Duration timeout) {
      nanos.addAndGet(timeout.toNanos());
      return false;
    }
  }

  /** Waits until it is told to stop, or has enough. */
  private static final class Waiter implements TableWatches.Listener {
    final CompletableFuture<WingsException> stopped = new CompletableFuture<>();
    final CompletableFuture<TableSight> satisfied = new CompletableFuture<>();
    final AtomicBoolean waits = new AtomicBoolean(true);
    final AtomicInteger seen = new AtomicInteger();
    private final int enough;

    Waiter(int enough) {
      this.enough = enough;
    }

    @Override
    public void looked(TableSight sight) {
      if (seen.incrementAndGet() == enough) {
        waits.set(false);
        satisfied.complete(sight);
      }
    }

    @Override
    public boolean waits() {
      return waits.get();
    }

    @Override
    public void stopped(WingsException reason) {
      stopped.complete(reason);
    }
  }

  @BeforeEach
  void createTable() {
    catalog.initialize("main", Map.of());
    catalog.createNamespace(Namespace.of("db"));
    catalog
        .buildTable(TABLE, new Schema(Types.NestedField.required(1, "id", Types.LongType.get())))
        .withProperty("format-version", "3")
        .create();
  }

  private TableWatches watches() {
    return new TableWatches(
        name -> {
          looks.incrementAndGet();
          return TableSight.of(name, catalog.loadTable(TABLE), "c1");
        },
        _ -> {
          asked.incrementAndGet();
          return failing;
        },
        time,
        Threads.virtual());
  }

  private StreamTable table() {
    return new StreamTable(
        NAME,
        new Adoption("c1", new MemoryStore(), Time.system(), Ids.secure(), Threads.virtual())
            .adopt(MAIN, catalog, TABLE));
  }

  private static void awaitNone(TableWatches watches) throws InterruptedException {
    while (watches.size() > 0) {
      Thread.sleep(1);
    }
  }

  @Test
  void looksFourTimesInACommitIntervalWhileAnyoneWaits() throws Exception {
    TableWatches watches = watches();
    Waiter waiter = new Waiter(8);
    TableWatches.Subscription subscription = watches.subscribe(table(), waiter);
    assertEquals(0, watches.size());
    subscription.await();
    awaitNone(watches);
    assertEquals(8, looks.get());
    assertEquals(Duration.ofSeconds(10).toNanos(), time.nanos());
    subscription.close();
  }

  @Test
  void aTableThatOnlyWaitsIsNotStopped() throws Exception {
    TableWatches watches = watches();
    Waiter waiter = new Waiter(200);
    watches.subscribe(table(), waiter).await();
    awaitNone(watches);
    assertTrue(!waiter.stopped.isDone());
    assertTrue(asked.get() >= 10 && asked.get() <= 13, "the queue is asked rarely: " + asked);
  }

  @Test
  void aTableWhoseMaterialiseFailsIsToldStopped() throws Exception {
    failing = Optional.of("segment-corrupt");
    TableWatches watches = watches();
    Waiter waiter = new Waiter(Integer.MAX_VALUE);
    watches.subscribe(table(), waiter).await();
    WingsException reason = waiter.stopped.get(30, TimeUnit.SECONDS);
    assertEquals("table-stopped", reason.code());
    assertEquals(ErrorKind.UNAVAILABLE, reason.kind());
    assertTrue(reason.detail().contains("segment-corrupt"), reason.detail());
    awaitNone(watches);
    assertTrue(time.nanos() >= Duration.ofSeconds(20).toNanos());
  }

  /** The queue may hold thousands of tasks: it is listed once for all tables that stand still. */
  @Test
  void theQueueIsListedOnceForAllTables() {
    StreamTable table = table();
    AtomicInteger lists = new AtomicInteger();
    MaterializeFailures failures =
        MaterializeFailures.of(
            () -> {
              lists.incrementAndGet();
              return List.of(task(table, 5, "segment-corrupt: a/b is broken"));
            },
            time);
    assertEquals(Optional.of("segment-corrupt"), failures.failing(table.id()));
    assertEquals(
        Optional.empty(),
        failures.failing(
            new TableId(MAIN, UUID.fromString("00000000-0000-4000-8000-000000000000"))));
    assertEquals(1, lists.get());
    time.sleep(MaterializeFailures.AGE);
    assertEquals(Optional.of("segment-corrupt"), failures.failing(table.id()));
    assertEquals(2, lists.get());
  }

  @Test
  void aFewFailuresOrNoBrokerAreNoStop() {
    StreamTable table = table();
    assertEquals(
        Optional.empty(),
        MaterializeFailures.of(() -> List.of(task(table, 4, "x: y")), time).failing(table.id()));
    assertEquals(
        Optional.empty(),
        MaterializeFailures.of(
                () -> {
                  throw WingsException.unavailable("broker-unavailable", "test", null);
                },
                time)
            .failing(table.id()));
  }

  private static Task task(StreamTable table, int failures, String error) {
    MaterializeTask materialize = new MaterializeTask(table.id());
    return new Task(
        MaterializeTask.KIND,
        materialize.key(),
        materialize.key(),
        Map.of(),
        TaskState.WAITING,
        Duration.ZERO,
        false,
        failures,
        0,
        error,
        null,
        "2026-11-30T00:00:00Z");
  }

  @Test
  void aTableThatWasAdoptedAnewIsToldReplaced() throws Exception {
    StreamTable old = table();
    catalog.dropTable(TABLE, false);
    catalog
        .buildTable(TABLE, new Schema(Types.NestedField.required(1, "id", Types.LongType.get())))
        .withProperty("format-version", "3")
        .create();
    Waiter waiter = new Waiter(1);
    watches().subscribe(old, waiter).await();
    CompletableFuture.anyOf(waiter.stopped, waiter.satisfied).get(30, TimeUnit.SECONDS);
    assertFalse(waiter.satisfied.isDone(), "told how far another table is");
    assertEquals("table-replaced", waiter.stopped.get().code());
    int before = looks.get();
    Thread.sleep(50);
    assertEquals(before, looks.get(), "a watch that has ended looks no more");
  }
}
