package io.wings.loadbalancer.fleet;

import io.grpc.ManagedChannel;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.wings.common.concurrent.Threads;
import io.wings.common.config.HostPort;
import io.wings.common.error.WingsException;
import io.wings.common.flight.ServingProcess;
import io.wings.common.flight.TableName;
import io.wings.common.metrics.Readiness;
import io.wings.common.time.Time;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The ingestors of the cluster: found, asked how they are, chosen from. Safe for use by several
 * threads.
 */
public final class Fleet implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Fleet.class);

  /** The part of the process's readiness that depends on the ingestors. */
  public static final String READINESS = "load balancer";

  /** More addresses than that are a mistake in the settings or the DNS. */
  static final int MAX_INGESTORS = 1000;

  /**
   * How often the ingestors are looked at.
   *
   * @param check between two health checks
   * @param checkTimeout after which one has failed
   * @param resolve between two look-ups of names
   */
  public record Pace(Duration check, Duration checkTimeout, Duration resolve) {
    public static final Pace DEFAULT =
        new Pace(Duration.ofSeconds(1), Duration.ofSeconds(5), Duration.ofSeconds(5));
  }

  private final List<IngestorSource> sources;
  private final IngestorSource.Names names;
  private final Pace pace;
  private final Function<HostPort, ManagedChannel> connector;
  private final Time time;
  private final MeterRegistry registry;
  private final Readiness readiness;

  private final Map<HostPort, Ingestor> members = new ConcurrentHashMap<>();
  private final Sightings sightings;
  private final Map<HostPort, Meter> gauges = new HashMap<>();
  private final Map<IngestorSource, Set<HostPort>> resolved = new HashMap<>();
  private final ReentrantLock reporting = new ReentrantLock();
  private final Condition reported = reporting.newCondition();
  private volatile List<Ingestor> healthy = List.of();
  private @Nullable Thread watching;

  public Fleet(
      List<IngestorSource> sources,
      IngestorSource.Names names,
      Pace pace,
      Function<HostPort, ManagedChannel> connector,
      Time time,
      MeterRegistry registry,
      Readiness readiness) {
    this.sources = List.copyOf(sources);
    this.names = names;
    this.pace = pace;
    this.connector = connector;
    this.time = time;
    this.sightings = new Sightings(time);
    this.registry = registry;
    this.readiness = readiness;
  }

  /** Begins to watch. */
  public void start(Threads threads) {
    report();
    watching = threads.start("fleet", this::watch);
  }

  private void watch() {
    long resolvedNanos = time.nanos();
    boolean first = true;
    try {
      while (!Thread.currentThread().isInterrupted()) {
        if (first || time.since(resolvedNanos).compareTo(pace.resolve) >= 0) {
          first = false;
          resolve();
          resolvedNanos = time.nanos();
        }
        members.values().forEach(ingestor -> ingestor.check(pace.checkTimeout));
        time.sleep(pace.check);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Names that don't resolve, or resolve to nothing, keep the addresses that they had. */
  private void resolve() {
    Set<HostPort> listed = new TreeSet<>((a, b) -> a.toString().compareTo(b.toString()));
    for (IngestorSource source : sources) {
      try {
        Set<HostPort> now = source.resolve(names);
        if (!now.isEmpty()) {
          resolved.put(source, now);
        }
      } catch (UnknownHostException e) {
        log.warn("ingestors at {} can't be looked up: {}", source, e.getMessage());
      }
      listed.addAll(resolved.getOrDefault(source, Set.of()));
    }
    if (listed.size() > MAX_INGESTORS) {
      log.error("{} ingestors listed, more than {}; left as it was", listed.size(), MAX_INGESTORS);
      return;
    }
    for (HostPort address : List.copyOf(members.keySet())) {
      if (!listed.contains(address)) {
        remove(address);
      }
    }
    listed.stream().filter(address -> !members.containsKey(address)).forEach(this::add);
    report();
  }

  private void add(HostPort address) {
    Ingestor ingestor = new Ingestor(address, connector, sightings, time, this::report);
    members.put(address, ingestor);
    gauges.put(
        address,
        Gauge.builder(
                "wings.loadbalancer.ingestor.healthy",
                ingestor,
                i -> i.health().takesStreams() ? 1 : 0)
            .description("1 where an ingestor takes streams")
            .tag("ingestor", address.toString())
            .strongReference(true)
            .register(registry));
  }

  private void remove(HostPort address) {
    log.info("ingestor {} is no longer listed", address);
    Meter gauge = gauges.remove(address);
    if (gauge != null) {
      Meter _ = registry.remove(gauge);
    }
    Ingestor gone = members.remove(address);
    if (gone != null) {
      gone.retire();
    }
    // Not before: a check that is under way would note it again.
    sightings.forget(address);
  }

  private void report() {
    reporting.lock();
    try {
      healthy = members.values().stream().filter(i -> i.health().takesStreams()).toList();
      if (healthy.isEmpty()) {
        readiness.notReady(READINESS, "none of " + members.size() + " ingestors serves");
      } else {
        readiness.ready(READINESS);
      }
      reported.signalAll();
    } finally {
      reporting.unlock();
    }
  }

  private static String key(TableName table, int lane) {
    return table.catalog()
        + "\0"
        + String.join("\u001f", table.namespace())
        + "\0"
        + table.table()
        + "\0"
        + lane;
  }

  /**
   * The ingestor that a lane's streams go to, after waiting until there is one.
   *
   * @throws WingsException {@code no-ingestor} of kind UNAVAILABLE after {@code patience}
   */
  public Ingestor await(TableName table, int lane, Duration patience) throws InterruptedException {
    return await(key(table, lane), patience);
  }

  /** {@link #choose}, after waiting until there is one. */
  public Ingestor await(String key, Duration patience) throws InterruptedException {
    long began = time.nanos();
    reporting.lockInterruptibly();
    try {
      while (healthy.isEmpty()) {
        Duration left = patience.minus(time.since(began));
        if (!left.isPositive()) {
          break;
        }
        boolean _ = time.await(reporting, reported, left);
      }
    } finally {
      reporting.unlock();
    }
    return choose(key);
  }

  /**
   * The ingestor for calls that are about no table; the same {@code key} goes to the same one.
   *
   * @throws WingsException {@code no-ingestor} of kind UNAVAILABLE
   */
  public Ingestor choose(String key) {
    Optional<Ingestor> chosen = Rendezvous.choose(healthy, i -> i.address().toString(), key);
    return chosen.orElseThrow(
        () ->
            WingsException.unavailable(
                "no-ingestor",
                "none of " + members.size() + " ingestors serves at the moment; try again",
                null));
  }

  /**
   * What became of a process whose call broke off at {@code sinceNanos}, as soon as that is seen;
   * unknown after {@code patience}.
   */
  public Fate fate(Ingestor ingestor, ServingProcess process, long sinceNanos, Duration patience)
      throws InterruptedException {
    return sightings.await(ingestor.address(), process, sinceNanos, patience);
  }

  /** How many take streams. */
  public int healthyCount() {
    return healthy.size();
  }

  @Override
  public void close() {
    Thread thread = watching;
    if (thread != null) {
      thread.interrupt();
      try {
        thread.join();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
    members.values().forEach(Ingestor::abort);
    readiness.notReady(READINESS, "stopped");
  }
}
