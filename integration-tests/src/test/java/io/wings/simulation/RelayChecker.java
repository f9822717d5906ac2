package io.wings.simulation;

import io.grpc.Status;
import io.grpc.health.v1.HealthCheckRequest;
import io.wings.common.flight.BatchMetadata;
import io.wings.common.flight.FlightErrors;
import io.wings.common.flight.FlightFrame;
import io.wings.simulation.grpc.Transport;
import io.wings.simulation.kernel.SimulatedProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a load balancer sends again: no batch that was with three ingestors which were dead when
 * their call ended. And whom it tells that ingestors died of a batch: only who sent one that was
 * with three that are gone, or weren't seen again for long. A call that its ingestor ended with a
 * word counts for nothing.
 */
final class RelayChecker implements Transport.Watcher {
  /** The first time, and twice again. */
  private static final int MAX_SENDS = 3;

  /** A little less than a load balancer waits until a process is seen again, by any clock. */
  private static final Duration PATIENCE = Duration.ofSeconds(28);

  /** A little more than one goes on answering until it has outlived a call. */
  private static final Duration SETTLED = Duration.ofMillis(2_100);

  /** Until a load balancer has heard of the end of a call. */
  private static final Duration NOTICE = Duration.ofMillis(500);

  /** One call that broke off. */
  private record Broken(SimulatedProcess from, SimulatedProcess to, long at, boolean wasDead) {}

  /** One health check that was answered. */
  private record Sight(SimulatedProcess from, SimulatedProcess to, long asked, long answered) {}

  private final World world;
  private final Map<String, Integer> poisoned = new HashMap<>();

  /** Batches that a call had, by their tokens; none for one that had only a schema. */
  private final IdentityHashMap<Object, List<String>> calls = new IdentityHashMap<>();

  private final Map<String, List<Broken>> broken = new HashMap<>();
  private final List<Broken> schemas = new ArrayList<>();
  private final IdentityHashMap<Object, Long> checks = new IdentityHashMap<>();
  private final List<Sight> sights = new ArrayList<>();

  RelayChecker(World world) {
    this.world = world;
  }

  @Override
  public void sent(SimulatedProcess from, SimulatedProcess to, Object call, Object message) {
    if (!from.name().startsWith("balancer-")) {
      return;
    }
    if (message instanceof HealthCheckRequest) {
      checks.put(call, world.scheduler().now());
    } else if (message instanceof FlightFrame frame) {
      List<String> had = calls.computeIfAbsent(call, _ -> new ArrayList<>());
      String token = token(frame);
      if (token != null) {
        had.add(token);
        requireMaySend(from, token);
      }
    }
  }

  private void requireMaySend(SimulatedProcess from, String token) {
    List<Broken> before = broken.getOrDefault(token, List.of());
    if (!before.isEmpty()) {
      world.guards().count("relay sent again");
    }
    long deaths = before.stream().filter(Broken::wasDead).count();
    if (deaths >= MAX_SENDS) {
      world.violated("%s sends %s again after %d deaths".formatted(from.name(), token, deaths));
    }
  }

  /** An ingestor died of a batch. */
  void poisoned(String token) {
    int deaths = poisoned.merge(token, 1, Integer::sum);
    if (deaths > MAX_SENDS) {
      world.violated("%d ingestors died of %s".formatted(deaths, token));
    }
  }

  /**
   * Who sent no batch that kills was told that one does.
   *
   * @param balancer who said so
   * @param tokens of the batches that weren't answered
   * @param sinceNanos when the stream began
   */
  void requireDeaths(String balancer, List<String> tokens, long sinceNanos) {
    world.guards().count("innocent suspected");
    List<List<Broken>> all = new ArrayList<>();
    tokens.forEach(token -> all.add(broken.getOrDefault(token, List.of())));
    all.add(
        schemas.stream()
            .filter(call -> call.from.name().equals(balancer) && call.at >= sinceNanos)
            .toList());
    if (all.stream()
        .noneMatch(ends -> ends.stream().filter(this::looksDead).count() >= MAX_SENDS)) {
      world.violated(
          "%s suspects one of %s, but its ingestors live: %s"
              .formatted(
                  balancer,
                  tokens,
                  all.stream()
                      .flatMap(List::stream)
                      .map(end -> end.to.name() + "@" + Duration.ofNanos(end.at))
                      .toList()));
    }
  }

  /** Whether it is gone, or its load balancer couldn't see it for long. */
  private boolean looksDead(Broken end) {
    if (end.to.dead() || world.process(end.to.name()) != end.to) {
      return true;
    }
    List<Sight> seen =
        sights.stream()
            .filter(
                sight ->
                    sight.from == end.from
                        && sight.to == end.to
                        && sight.asked >= end.at + NOTICE.toNanos()
                        && sight.answered <= end.at + PATIENCE.toNanos())
            .toList();
    boolean outlived =
        !seen.isEmpty() && seen.getLast().asked - seen.getFirst().answered >= SETTLED.toNanos();
    return !outlived && world.scheduler().now() >= end.at + PATIENCE.toNanos();
  }

  /** Of a client's batch. */
  static @Nullable String token(FlightFrame frame) {
    return frame.appMetadata().hasRemaining()
        ? BatchMetadata.of(frame.appMetadata()).token()
        : null;
  }

  @Override
  public void ended(SimulatedProcess from, SimulatedProcess to, Object call, Status status) {
    Long asked = checks.remove(call);
    if (asked != null && status.isOk()) {
      sights.add(new Sight(from, to, asked, world.scheduler().now()));
    }
    List<String> had = calls.remove(call);
    if (had == null) {
      return;
    }
    long now = world.scheduler().now();
    if (!had.isEmpty()) {
      world
          .scheduler()
          .trace()
          .line(
              now,
              from.name(),
              "stream with %s at %s ended: %s".formatted(had.getLast(), to.name(), status));
    }
    if (!status.isOk() && !FlightErrors.isWings(status)) {
      Broken end = new Broken(from, to, now, to.dead());
      had.forEach(token -> broken.computeIfAbsent(token, _ -> new ArrayList<>()).add(end));
      if (had.isEmpty()) {
        schemas.add(end);
      }
    }
  }
}
