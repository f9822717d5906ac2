package io.wings.loadbalancer.proxy;

import io.grpc.Metadata;
import io.wings.common.auth.Identity;
import io.wings.common.concurrent.Threads;
import io.wings.common.error.WingsException;
import io.wings.common.flight.ClientRequest;
import io.wings.common.flight.ClusterIdentity;
import io.wings.common.flight.Create;
import io.wings.common.flight.FlightFrame;
import io.wings.common.flight.LaneHash;
import io.wings.common.flight.ServingProcess;
import io.wings.common.flight.StreamRequest;
import io.wings.common.flight.TableName;
import io.wings.common.grant.Access;
import io.wings.common.grant.Privilege;
import io.wings.common.grant.Scope;
import io.wings.common.id.Ids;
import io.wings.common.retry.Backoff;
import io.wings.common.time.Time;
import io.wings.loadbalancer.fleet.Fate;
import io.wings.loadbalancer.fleet.Fleet;
import io.wings.loadbalancer.fleet.Ingestor;
import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.function.Supplier;
import org.apache.arrow.flight.impl.Flight;
import org.jspecify.annotations.Nullable;

/** Decides where a DoPut stream goes and what its ingestor is told. Safe for several threads. */
final class PutOpening {
  /** An unnamed stream's batches are numbered from here. */
  private static final long FIRST_SEQUENCE = 1;

  /** Names that are drawn to find one of the same lane: of 99 lanes, one in 99 is. */
  private static final int MAX_DRAWS = 10_000;

  /** Between two attempts to open a stream. */
  private static final Duration PAUSE = Duration.ofMillis(50);

  /** After one ingestor after the other took a stream in vain. */
  private static final Backoff FRUITLESS =
      new Backoff(Duration.ofMillis(200), Duration.ofSeconds(5), 0.25);

  private final Fleet fleet;
  private final Tables tables;
  private final Access access;
  private final ClusterIdentity identity;
  private final ProxyLimits limits;
  private final ProxyMetrics metrics;
  private final Time time;
  private final Ids ids;
  private final Threads threads;

  /** One stream at a time sends again what was with two dying ingestors. */
  private final Permit permit;

  PutOpening(
      Fleet fleet,
      Tables tables,
      Access access,
      ClusterIdentity identity,
      ProxyLimits limits,
      ProxyMetrics metrics,
      Time time,
      Ids ids,
      Threads threads) {
    this.fleet = fleet;
    this.tables = tables;
    this.access = access;
    this.identity = identity;
    this.limits = limits;
    this.metrics = metrics;
    this.time = time;
    this.ids = ids;
    this.threads = threads;
    this.permit = new Permit(time);
  }

  /**
   * A stream's canonical request.
   *
   * @param anew the same unnamed stream under a fresh name; doesn't block
   */
  record Opened(StreamRequest request, Supplier<StreamRequest> anew) {}

  /**
   * Reads a stream's first frame; may block while it looks the table up.
   *
   * @throws WingsException that ends the stream
   */
  Opened open(Identity caller, FlightFrame first) {
    Flight.FlightDescriptor descriptor = first.descriptor();
    if (descriptor == null) {
      throw WingsException.invalid(
          "descriptor-missing", "the first message of a stream carries a descriptor");
    }
    ClientRequest asked = ClientRequest.of(descriptor);
    TableName table = asked.tableName();
    Scope scope = new Scope.Table(table);
    access.require(caller, Privilege.WRITE, scope);
    // Who may not make tables writes to those that there are.
    Create create = access.allows(caller, Privilege.CREATE, scope) ? asked.create() : Create.NEVER;
    String principal = caller.principal();
    int lanes =
        create == Create.IF_MISSING
            ? tables.lanesIfPresent(principal, table)
            : tables.lanes(principal, table);
    boolean named = asked.producer() != null;
    String producer = asked.producer() != null ? asked.producer() : ids.hex();
    int lane = LaneHash.of(principal, producer, named, asked.partition(), lanes);
    StreamRequest request =
        new StreamRequest(
            principal,
            asked.catalog(),
            asked.namespace(),
            asked.table(),
            producer,
            named,
            asked.epoch(),
            FIRST_SEQUENCE,
            lane,
            asked.partition(),
            asked.operation(),
            create,
            asked.onReject(),
            asked.ack());
    return new Opened(request, () -> anew(request, lanes));
  }

  /**
   * Returns for a caller who still may what the stream was opened for.
   *
   * @throws WingsException as {@link Access#require}
   */
  void requireStill(Identity caller, StreamRequest stream) {
    Scope scope = new Scope.Table(stream.tableName());
    access.require(caller, Privilege.WRITE, scope);
    if (stream.create() == Create.IF_MISSING) {
      access.require(caller, Privilege.CREATE, scope);
    }
  }

  /** In the same lane. */
  private StreamRequest anew(StreamRequest stream, int lanes) {
    for (int i = 0; i < MAX_DRAWS; i++) {
      String name = ids.hex();
      if (LaneHash.of(stream.principal(), name, false, stream.partition(), lanes)
          == stream.lane()) {
        return stream.renamed(name);
      }
    }
    throw WingsException.unavailable(
        "producer-forgotten", "no new name could be drawn for the stream; open it again", null);
  }

  /**
   * Waits before a stream looks for an ingestor again.
   *
   * @param sinceNanos since when it has looked for one
   * @param fruitless ingestors in a row that took it in vain
   */
  void pause(long sinceNanos, int fruitless) throws InterruptedException {
    if (fruitless > 1) {
      time.sleep(FRUITLESS.delay(fruitless - 1, ids.fraction()));
    } else if (time.since(sinceNanos).compareTo(PAUSE) > 0) {
      // Not the first attempt: the last one was taken for healthy, and wasn't.
      time.sleep(PAUSE);
    }
  }

  /**
   * Waits until the stream is the only one that is sent alone; it gives that {@link #permit} back.
   *
   * @param sinceNanos since when it has looked for an ingestor
   * @throws WingsException {@code no-ingestor} of kind UNAVAILABLE
   */
  void awaitPermit(long sinceNanos) throws InterruptedException {
    if (!permit.acquire(limits.patience().minus(time.since(sinceNanos)))) {
      throw WingsException.unavailable(
          "no-ingestor",
          "the stream was with two ingestors that died, and others like it, which are sent one at a time, kept it waiting for "
              + limits.patience()
              + "; send again",
          null);
    }
  }

  /**
   * The ingestor that a stream goes to, after waiting for one.
   *
   * @param sinceNanos when the wait began
   * @throws WingsException {@code no-ingestor} of kind UNAVAILABLE
   */
  Ingestor await(StreamRequest stream, long sinceNanos) throws InterruptedException {
    Duration left = limits.patience().minus(time.since(sinceNanos));
    if (!left.isPositive()) {
      throw WingsException.unavailable(
          "no-ingestor", "no ingestor took the stream within " + limits.patience(), null);
    }
    return fleet.await(stream.tableName(), stream.lane(), left);
  }

  /**
   * What became of an ingestor whose call broke off, as soon as that is seen, or after as long as a
   * stream waits for one.
   *
   * @param process that had the call; null for one that doesn't say
   * @param sinceNanos when the call broke off
   */
  Fate fate(Ingestor ingestor, @Nullable ServingProcess process, long sinceNanos)
      throws InterruptedException {
    return process == null
        ? Fate.UNKNOWN
        : fleet.fate(ingestor, process, sinceNanos, limits.patience());
  }

  ProxyLimits limits() {
    return limits;
  }

  Threads threads() {
    return threads;
  }

  Permit permit() {
    return permit;
  }

  /** For ending a stream with a message that is larger than allowed. */
  WingsException tooLarge() {
    return WingsException.invalid(
        "message-too-large",
        "a message has at most " + limits.message() + "; send smaller batches");
  }

  /**
   * Of a call to an ingestor.
   *
   * @param address the client's
   */
  Metadata headers(String principal, String address) {
    return identity.headers(principal, address);
  }

  ProxyMetrics metrics() {
    return metrics;
  }

  long nanos() {
    return time.nanos();
  }

  Duration since(long nanos) {
    return time.since(nanos);
  }

  boolean await(Lock lock, Condition condition, Duration timeout) throws InterruptedException {
    return time.await(lock, condition, timeout);
  }

  /** Whether frames of a stream that ended at {@code endedNanos} are still read and dropped. */
  boolean isLingering(long endedNanos) {
    return time.since(endedNanos).compareTo(limits.linger()) < 0;
  }
}
