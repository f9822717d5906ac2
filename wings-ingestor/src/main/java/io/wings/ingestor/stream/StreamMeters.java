package io.wings.ingestor.stream;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;

/** What streams tell operators. */
public final class StreamMeters {
  private static final Duration[] ACK_BUCKETS = {
    Duration.ofMillis(10),
    Duration.ofMillis(25),
    Duration.ofMillis(50),
    Duration.ofMillis(100),
    Duration.ofMillis(250),
    Duration.ofMillis(500),
    Duration.ofSeconds(1),
    Duration.ofMillis(2500),
    Duration.ofSeconds(5),
    Duration.ofSeconds(10),
    Duration.ofSeconds(30)
  };

  private final Counter rows;
  private final Counter bytes;
  private final Counter refused;
  private final Counter rejected;
  private final Counter duplicates;
  private final Timer acks;
  private final DistributionSummary batchRows;

  public StreamMeters(MeterRegistry registry) {
    rows = counter(registry, "rows.acknowledged", "rows that are durable by this process");
    bytes = counter(registry, "bytes.received", "bytes of frames");
    refused = counter(registry, "streams.refused", "streams that ended with an error");
    rejected = counter(registry, "batches.rejected", "batches that were answered rejected");
    duplicates = counter(registry, "batches.duplicate", "batches that were stored before");
    batchRows =
        DistributionSummary.builder("wings.ingestor.batch.rows")
            .description("rows of a batch")
            .register(registry);
    acks =
        Timer.builder("wings.ingestor.ack")
            .description("from a batch's arrival to its answer")
            .serviceLevelObjectives(ACK_BUCKETS)
            .publishPercentiles(0.5, 0.99)
            .register(registry);
  }

  private static Counter counter(MeterRegistry registry, String name, String description) {
    return Counter.builder("wings.ingestor." + name).description(description).register(registry);
  }

  void received(long size) {
    bytes.increment((double) size);
  }

  void decoded(long count) {
    batchRows.record((double) count);
  }

  void durable(long count, Duration took) {
    rows.increment((double) count);
    acks.record(took);
  }

  void duplicate() {
    duplicates.increment();
  }

  void rejected() {
    rejected.increment();
  }

  void refused() {
    refused.increment();
  }
}
