package io.wings.simulation;

import io.grpc.Status;
import io.wings.common.flight.BatchMetadata;
import io.wings.common.flight.FlightErrors;
import io.wings.common.flight.FlightFrame;
import io.wings.simulation.grpc.Transport;
import io.wings.simulation.kernel.SimulatedProcess;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a load balancer sends again: no batch to more than three ingestors that die of whatever,
 * which is at most twice again. A call that its ingestor ended with a word doesn't count.
 */
final class RelayChecker implements Transport.Watcher {
  /** The first time, and twice again. */
  private static final int MAX_SENDS = 3;

  /** One batch of one stream of one life of a load balancer. */
  private record Kept(long life, String token) {}

  private final World world;
  private final Map<String, Integer> poisoned = new HashMap<>();
  private final IdentityHashMap<Object, List<Kept>> calls = new IdentityHashMap<>();
  private final Map<Kept, Integer> deadly = new HashMap<>();

  RelayChecker(World world) {
    this.world = world;
  }

  @Override
  public void sent(SimulatedProcess from, SimulatedProcess to, Object call, Object message) {
    if (!from.name().startsWith("balancer-") || !(message instanceof FlightFrame frame)) {
      return;
    }
    String token = token(frame);
    if (token == null) {
      return;
    }
    Kept batch = new Kept(from.life(), token);
    int before = deadly.getOrDefault(batch, 0);
    if (before > 0) {
      world.guards().count("relay sent again");
    }
    if (before >= MAX_SENDS) {
      world.violated("%s sends %s again after %d deaths".formatted(from.name(), token, before));
    }
    calls.computeIfAbsent(call, _ -> new ArrayList<>()).add(batch);
  }

  /** An ingestor died of a batch. */
  void poisoned(String token) {
    int deaths = poisoned.merge(token, 1, Integer::sum);
    if (deaths > MAX_SENDS) {
      world.violated("%d ingestors died of %s".formatted(deaths, token));
    }
  }

  /** Of a client's batch. */
  static @Nullable String token(FlightFrame frame) {
    return frame.appMetadata().hasRemaining()
        ? BatchMetadata.of(frame.appMetadata()).token()
        : null;
  }

  @Override
  public void ended(SimulatedProcess from, SimulatedProcess to, Object call, Status status) {
    List<Kept> sent = calls.remove(call);
    if (sent != null) {
      world
          .scheduler()
          .trace()
          .line(
              world.scheduler().now(),
              from.name(),
              "stream with %s at %s ended: %s"
                  .formatted(sent.getLast().token(), to.name(), status));
    }
    if (sent != null && !status.isOk() && !FlightErrors.isWings(status)) {
      sent.forEach(
          batch -> {
            int _ = deadly.merge(batch, 1, Integer::sum);
          });
    }
  }
}
