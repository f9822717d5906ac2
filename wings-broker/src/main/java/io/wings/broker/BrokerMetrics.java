package io.wings.broker;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.wings.broker.core.QueueCounts;
import io.wings.broker.loop.BrokerEvents;
import io.wings.broker.loop.BrokerStatus;
import io.wings.common.metrics.Readiness;
import io.wings.common.queue.TaskState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** The loop's events as meters and readiness. */
final class BrokerMetrics implements BrokerEvents {
  /** Kinds that are counted apart; a client that makes kinds up must not grow the registry. */
  private static final int MAX_KINDS = 32;

  private static final String OTHER_KINDS = "other";

  private final Readiness readiness;
  private final MultiGauge depth;
  private final Counter takeovers;
  private final Counter depositions;
  private final Counter storeFailures;
  private final Counter calls;
  private final Timer writes;
  private final Timer confirmations;
  private volatile BrokerStatus status = new BrokerStatus(0, QueueCounts.NONE);

  BrokerMetrics(MeterRegistry registry, Readiness readiness) {
    this.readiness = readiness;
    depth =
        MultiGauge.builder("wings.broker.tasks")
            .description("Tasks in the queue, by kind and state; none while standing by")
            .register(registry);
    takeovers =
        Counter.builder("wings.broker.takeovers")
            .description("Times that this process became the active broker")
            .register(registry);
    depositions =
        Counter.builder("wings.broker.depositions")
            .description("Times that another broker took over from this one")
            .register(registry);
    storeFailures =
        Counter.builder("wings.broker.store.failures")
            .description("Writes and reads of the queue that the store refused or failed")
            .register(registry);
    calls =
        Counter.builder("wings.broker.calls")
            .description("Calls answered from a proven state")
            .register(registry);
    writes =
        Timer.builder("wings.broker.cas")
            .description("Writes of the queue, until known")
            .register(registry);
    confirmations =
        Timer.builder("wings.broker.confirm")
            .description("Reads that confirm that this broker is the active one")
            .register(registry);
    gauges(registry);
  }

  private void gauges(MeterRegistry registry) {
    Gauge.builder("wings.broker.is.active", () -> status.isActive() ? 1 : 0)
        .description("1 on the active broker, 0 on a standby")
        .register(registry);
    Gauge.builder("wings.broker.epoch", () -> status.epoch())
        .description("Epoch in which this broker is active; 0 on a standby")
        .register(registry);
    Gauge.builder("wings.broker.leases", () -> status.counts().leases())
        .description("Leases that are out")
        .register(registry);
    Gauge.builder("wings.broker.failing", () -> status.counts().failing())
        .description("Tasks whose last run failed")
        .register(registry);
    Gauge.builder(
            "wings.broker.oldest.runnable", () -> status.counts().oldestRunnable().toNanos() / 1e9)
        .description("How long the first task in turn has been able to run")
        .baseUnit("seconds")
        .register(registry);
    Gauge.builder("wings.broker.queue.size", () -> status.counts().bytes())
        .description("Upper bound of the size of the queue's object")
        .baseUnit("bytes")
        .register(registry);
  }

  @Override
  public void status(BrokerStatus now) {
    status = now;
    Map<String, Map<TaskState, Integer>> byKind = new TreeMap<>();
    now.counts()
        .tasks()
        .forEach(
            (key, count) -> {
              boolean known = byKind.containsKey(key.kind()) || byKind.size() < MAX_KINDS;
              byKind
                  .computeIfAbsent(known ? key.kind() : OTHER_KINDS, _ -> new TreeMap<>())
                  .merge(key.state(), count, Integer::sum);
            });
    List<MultiGauge.Row<?>> rows = new ArrayList<>();
    byKind.forEach(
        (kind, states) ->
            states.forEach(
                (state, count) ->
                    rows.add(
                        MultiGauge.Row.of(
                            Tags.of("kind", kind, "state", state.name().toLowerCase(Locale.ROOT)),
                            count))));
    depth.register(rows, true);
  }

  @Override
  public void tookOver() {
    takeovers.increment();
    readiness.ready(BrokerServer.PART);
  }

  @Override
  public void deposed() {
    depositions.increment();
  }

  @Override
  public void wrote(Duration took, int answered) {
    writes.record(took);
    calls.increment(answered);
  }

  @Override
  public void confirmed(Duration took, int answered) {
    confirmations.record(took);
    calls.increment(answered);
  }

  @Override
  public void storeFailed() {
    storeFailures.increment();
  }

  @Override
  public void blind(String reason) {
    readiness.notReady(BrokerServer.PART, reason);
  }

  @Override
  public void watching() {
    readiness.ready(BrokerServer.PART);
  }
}
