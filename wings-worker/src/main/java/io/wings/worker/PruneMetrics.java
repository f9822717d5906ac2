package io.wings.worker;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.wings.common.cluster.LaneId;
import io.wings.common.cluster.TableId;
import io.wings.worker.prune.PruneObserver;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;

/**
 * What prune shows: {@code wings_worker_wal_deleted_total} (segments), {@code
 * wings_worker_wal_deleted_bytes_total} and, as of a table's last prune by this worker, {@code
 * wings_worker_wal_oldest_seconds{catalog,table}}, {@code
 * wings_worker_wal_boundary_lag{catalog,table}} (segments between boundary and watermark).
 */
final class PruneMetrics implements PruneObserver {
  /** Tables with lines of their own; beyond it the one pruned longest ago loses its lines. */
  private static final int MAX_TABLES = 100;

  private final MeterRegistry registry;
  private final ReentrantLock lock = new ReentrantLock();
  private final LinkedHashMap<TableId, Kept> tables = new LinkedHashMap<>(16, 0.75f, true);

  private static final class Kept {
    private volatile double oldestSeconds;
    private volatile double lag;
    private List<Meter> meters = List.of();
  }

  PruneMetrics(MeterRegistry registry) {
    this.registry = registry;
  }

  @Override
  public void deleted(LaneId lane, long segments, long bytes) {
    Counter.builder("wings.worker.wal.deleted")
        .description("WAL segments deleted")
        .register(registry)
        .increment((double) segments);
    Counter.builder("wings.worker.wal.deleted.bytes")
        .description("Bytes of WAL segments deleted")
        .register(registry)
        .increment((double) bytes);
  }

  @Override
  public void kept(TableId table, Duration oldest, long lag) {
    lock.lock();
    try {
      Kept kept = tables.get(table);
      if (kept == null) {
        kept = new Kept();
        tables.put(table, kept);
        kept.meters = register(table, kept);
        dropEldest();
      }
      kept.oldestSeconds = oldest.toMillis() / 1000.0;
      kept.lag = (double) lag;
    } finally {
      lock.unlock();
    }
  }

  private List<Meter> register(TableId table, Kept kept) {
    return List.of(
        Gauge.builder("wings.worker.wal.oldest", () -> kept.oldestSeconds)
            .description("Age of the oldest segment of the table's WAL, at its last prune")
            .baseUnit("seconds")
            .tag("catalog", table.catalog().value())
            .tag("table", table.uuid().toString())
            .register(registry),
        Gauge.builder("wings.worker.wal.boundary.lag", () -> kept.lag)
            .description("Segments kept though their rows are in the table, at its last prune")
            .tag("catalog", table.catalog().value())
            .tag("table", table.uuid().toString())
            .register(registry));
  }

  private void dropEldest() {
    if (tables.size() > MAX_TABLES) {
      Map.Entry<TableId, Kept> eldest = tables.pollFirstEntry();
      if (eldest != null) {
        eldest.getValue().meters.forEach(registry::remove);
      }
    }
  }
}
