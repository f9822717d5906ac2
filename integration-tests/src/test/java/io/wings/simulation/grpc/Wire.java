package io.wings.simulation.grpc;

import io.wings.simulation.kernel.Network;
import io.wings.simulation.kernel.Scheduler;
import io.wings.simulation.kernel.SimulatedProcess;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** One connection between two processes, with all its calls. */
final class Wire {
  private static final int LONGEST_NOTICE_MILLIS = 15_000;
  private static final int NOTICE_MILLIS = 50;

  private final Scheduler scheduler;
  private final Network network;
  private final SimulatedProcess client;
  private final SimulatedProcess server;
  private final Set<Call<?, ?>> calls = new LinkedHashSet<>();
  private boolean broken;
  private boolean clientKnows;

  Wire(Scheduler scheduler, Network network, SimulatedProcess client, SimulatedProcess server) {
    this.scheduler = scheduler;
    this.network = network;
    this.client = client;
    this.server = server;
    client.onDeath(this::breakOff);
    server.onDeath(this::breakOff);
  }

  SimulatedProcess client() {
    return client;
  }

  SimulatedProcess server() {
    return server;
  }

  void add(Call<?, ?> call) {
    calls.add(call);
  }

  void remove(Call<?, ?> call) {
    calls.remove(call);
  }

  /** Whether its client would use it for another call. */
  boolean isUsable() {
    return !clientKnows;
  }

  /** Both sides hear of it, each in its own time. */
  void breakOff() {
    if (!broken) {
      broken = true;
      scheduler.after(
          notice(),
          () -> {
            clientKnows = true;
            List.copyOf(calls).forEach(Call::lostByClient);
          });
      scheduler.after(notice(), () -> List.copyOf(calls).forEach(Call::lostByServer));
    }
  }

  private Duration notice() {
    int longest = scheduler.choices().nextInt(4) == 0 ? LONGEST_NOTICE_MILLIS : NOTICE_MILLIS;
    return Duration.ofMillis(scheduler.choices().nextInt(longest));
  }

  /**
   * Something arrives at the other end, unless the connection breaks first.
   *
   * @param after when the last thing of the same call and direction arrives
   * @return when this does
   */
  long deliver(boolean fromClient, long after, Runnable arrival) {
    SimulatedProcess from = fromClient ? client : server;
    SimulatedProcess to = fromClient ? server : client;
    if (broken) {
      return after;
    }
    if (network.cuts(from.name(), to.name()) || network.loses("stream broken")) {
      breakOff();
      return after;
    }
    long at = Math.max(after + 1, scheduler.now() + network.latency().toNanos());
    scheduler.after(
        Duration.ofNanos(at - scheduler.now()),
        () -> {
          if (!broken) {
            arrival.run();
          }
        });
    return at;
  }

  /** A moment later, on the carrier. */
  void after(Runnable action) {
    scheduler.after(network.latency(), action);
  }
}
