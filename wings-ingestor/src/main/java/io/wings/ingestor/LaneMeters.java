package io.wings.ingestor;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.wings.common.cluster.LaneId;
import io.wings.ingestor.lane.LaneObserver;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells operators what lanes do. */
final class LaneMeters implements LaneObserver {
  private static final Logger log = LoggerFactory.getLogger(LaneMeters.class);

  private static final Duration[] FLUSH_BUCKETS = {
    Duration.ofMillis(10),
    Duration.ofMillis(25),
    Duration.ofMillis(50),
    Duration.ofMillis(100),
    Duration.ofMillis(200),
    Duration.ofMillis(500),
    Duration.ofSeconds(1),
    Duration.ofSeconds(5),
    Duration.ofSeconds(30)
  };

  private final Timer flushes;
  private final Counter bytes;
  private final Counter lost;
  private final Counter unknown;
  private final Counter reopened;
  private final Counter failures;
  private final Counter stopped;

  LaneMeters(MeterRegistry registry) {
    flushes =
        Timer.builder("wings.ingestor.flush")
            .description("from a segment's first put to its proof")
            .serviceLevelObjectives(FLUSH_BUCKETS)
            .publishPercentiles(0.5, 0.99)
            .register(registry);
    bytes = counter(registry, "segment.bytes", "bytes of segments written");
    lost = counter(registry, "segments.lost", "numbers that another writer had");
    unknown = counter(registry, "segments.unknown", "puts whose outcome was not known at once");
    reopened = counter(registry, "lanes.reopened", "lanes whose view was overtaken by pruning");
    failures = counter(registry, "store.failures", "puts and reads that the store failed");
    stopped = counter(registry, "lanes.stopped", "lanes stopped by a contradiction in their log");
  }

  private static Counter counter(MeterRegistry registry, String name, String description) {
    return Counter.builder("wings.ingestor." + name).description(description).register(registry);
  }

  @Override
  public void flushed(LaneId lane, long number, long size, long rows, Duration took) {
    flushes.record(took);
    bytes.increment((double) size);
  }

  @Override
  public void lost(LaneId lane, long number) {
    lost.increment();
  }

  @Override
  public void unknown(LaneId lane, long number) {
    unknown.increment();
  }

  @Override
  public void reopened(LaneId lane) {
    reopened.increment();
  }

  @Override
  public void storeFailed(LaneId lane, String reason) {
    failures.increment();
    log.warn("lane {}: {}", lane, reason);
  }

  @Override
  public void stopped(LaneId lane, String reason) {
    stopped.increment();
    log.error("lane {} stopped: {}", lane, reason);
  }
}
