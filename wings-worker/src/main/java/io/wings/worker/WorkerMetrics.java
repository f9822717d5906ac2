package io.wings.worker;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.wings.common.cluster.LaneId;
import io.wings.common.cluster.TableId;
import io.wings.common.metrics.Readiness;
import io.wings.common.queue.Task;
import io.wings.common.time.Time;
import io.wings.worker.lease.LeaseObserver;
import io.wings.worker.materialize.PassObserver;
import io.wings.worker.orphan.OrphanObserver;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * What a worker shows: {@code wings_worker_tasks_total{kind,outcome}}, {@code
 * wings_worker_failures_total{kind,code}}, {@code wings_worker_tasks_running}, {@code
 * wings_worker_pass_seconds{phase}}, {@code wings_worker_rows_total}, {@code
 * wings_worker_bytes_total}, {@code wings_worker_segments_total}, {@code wings_worker_files_total},
 * {@code wings_worker_quarantined_segments_total}, {@code …_batches_total}, {@code …_rows_total},
 * {@code wings_worker_orphans_ledgers_total}, {@code wings_worker_orphans_files_total}, {@code
 * wings_worker_table_lag_seconds{catalog,table}} and, over all tables this worker knows, {@code
 * wings_worker_lag_seconds}.
 */
final class WorkerMetrics implements LeaseObserver, PassObserver, OrphanObserver {
  /** Tables with a lag of their own; beyond it the one looked at longest ago loses its line. */
  private static final int MAX_TABLES = 100;

  /** Error codes with a line of their own; the rest is {@code other}. */
  private static final int MAX_CODES = 100;

  private final MeterRegistry registry;
  private final Readiness readiness;
  private final Time time;
  private final AtomicInteger running = new AtomicInteger();
  private final ReentrantLock lock = new ReentrantLock();
  private final LinkedHashMap<TableId, Lag> lags = new LinkedHashMap<>(16, 0.75f, true);
  private final Map<String, Counter> failures = new HashMap<>();

  /** Since when a table is behind; null: it isn't. */
  private static final class Lag {
    private volatile @Nullable Instant oldest;
    private @Nullable Meter meter;
  }

  WorkerMetrics(MeterRegistry registry, Readiness readiness, Time time) {
    this.registry = registry;
    this.readiness = readiness;
    this.time = time;
    Gauge.builder("wings.worker.tasks.running", running, AtomicInteger::get)
        .description("Tasks that run")
        .register(registry);
    Gauge.builder("wings.worker.lag", this, WorkerMetrics::greatestLag)
        .description("Age of the oldest WAL segment that is not in its table, of all tables")
        .baseUnit("seconds")
        .register(registry);
  }

  @Override
  public void reached() {
    readiness.ready(WorkerServer.PART);
  }

  @Override
  public void unreachable(String reason) {
    readiness.notReady(WorkerServer.PART, "no broker");
  }

  @Override
  public void began(Task task) {
    running.incrementAndGet();
  }

  @Override
  public void succeeded(Task task, Duration took) {
    ended(task, "succeeded", took);
  }

  @Override
  public void failed(Task task, String code, Duration took) {
    ended(task, "failed", took);
    failure(task.kind(), code).increment();
  }

  @Override
  public void abandoned(Task task, Duration took) {
    ended(task, "abandoned", took);
  }

  private void ended(Task task, String outcome, Duration took) {
    running.decrementAndGet();
    Timer.builder("wings.worker.tasks")
        .description("Tasks by how they ended")
        .tag("kind", task.kind())
        .tag("outcome", outcome)
        .register(registry)
        .record(took);
  }

  private Counter failure(String kind, String code) {
    lock.lock();
    try {
      boolean room = failures.size() < MAX_CODES || failures.containsKey(kind + "/" + code);
      String named = room ? code : "other";
      return failures.computeIfAbsent(
          kind + "/" + named,
          _ ->
              Counter.builder("wings.worker.failures")
                  .description("Failures of tasks by error code")
                  .tag("kind", kind)
                  .tag("code", named)
                  .register(registry));
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void phase(Phase phase, Duration took) {
    Timer.builder("wings.worker.pass")
        .description("Time of a materialise pass by phase")
        .tag("phase", phase.name().toLowerCase(Locale.ROOT))
        .register(registry)
        .record(took);
  }

  @Override
  public void landed(TableId table, int segments, long rows, long bytes, int files) {
    count("wings.worker.segments", "WAL segments brought into tables", segments);
    count("wings.worker.rows", "Rows brought into tables", rows);
    count("wings.worker.bytes", "Bytes of WAL segments brought into tables", bytes);
    count("wings.worker.files", "Data files written", files);
  }

  @Override
  public void lost(LaneId lane, long number, int batches, long rows) {
    count("wings.worker.quarantined.segments", "Quarantined segments stepped over", 1);
    count(
        "wings.worker.quarantined.batches", "Batches in them, as far as they can be read", batches);
    count("wings.worker.quarantined.rows", "Rows in them, as far as they can be read", rows);
  }

  @Override
  public void removed(TableId table, int ledgers, int files) {
    count("wings.worker.orphans.ledgers", "Ledgers worked through", ledgers);
    count("wings.worker.orphans.files", "Files removed that no snapshot reaches", files);
  }

  private void count(String name, String description, long amount) {
    Counter.builder(name).description(description).register(registry).increment((double) amount);
  }

  @Override
  public void lag(TableId table, @Nullable Instant oldest) {
    lock.lock();
    try {
      Lag lag = lags.get(table);
      if (lag == null) {
        lag = new Lag();
        lags.put(table, lag);
        lag.meter = register(table, lag);
        dropEldest();
      }
      lag.oldest = oldest;
    } finally {
      lock.unlock();
    }
  }

  private Meter register(TableId table, Lag lag) {
    return Gauge.builder("wings.worker.table.lag", () -> seconds(lag.oldest))
        .description("Age of the table's oldest WAL segment that is not in it")
        .baseUnit("seconds")
        .tag("catalog", table.catalog().value())
        .tag("table", table.uuid().toString())
        .register(registry);
  }

  private void dropEldest() {
    if (lags.size() > MAX_TABLES) {
      Map.Entry<TableId, Lag> eldest = lags.pollFirstEntry();
      if (eldest != null && eldest.getValue().meter != null) {
        registry.remove(eldest.getValue().meter);
      }
    }
  }

  private double greatestLag() {
    lock.lock();
    try {
      return lags.values().stream().mapToDouble(lag -> seconds(lag.oldest)).max().orElse(0);
    } finally {
      lock.unlock();
    }
  }

  /** The store's clock against this machine's: good enough for a graph. */
  private double seconds(@Nullable Instant oldest) {
    return oldest == null
        ? 0
        : Math.max(0, Duration.between(oldest, time.now()).toMillis() / 1000.0);
  }
}
