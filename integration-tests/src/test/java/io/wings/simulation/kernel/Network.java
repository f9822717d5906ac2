package io.wings.simulation.kernel;

import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/**
 * Messages between processes: delayed, lost, duplicated, overtaken, and cut off one way. Processes
 * are found by name, so that the one that comes back answers where the dead one did.
 */
public final class Network {
  /** Of an ordinary message. */
  private static final int MAX_LATENCY_MICROS = 2_000;

  /** No answer came: the call may have been made, once or twice, or may yet be. */
  public static final class Unreachable extends Exception {
    private static final long serialVersionUID = 1L;

    Unreachable(String message) {
      super(message);
    }
  }

  private record Direction(String from, String to) {}

  /** What a handler came to. */
  private sealed interface Outcome<T> {
    record Value<T>(Optional<T> value) implements Outcome<T> {}

    record Thrown<T>(Exception exception) implements Outcome<T> {}

    record Refused<T>() implements Outcome<T> {}
  }

  private final Scheduler scheduler;
  private final Tally faults;
  private final Map<String, SimulatedProcess> processes = new HashMap<>();
  private final Set<Direction> cuts = new LinkedHashSet<>();
  private NetworkWeather weather = NetworkWeather.CALM;

  public Network(Scheduler scheduler, Tally faults) {
    this.scheduler = scheduler;
    this.faults = faults;
  }

  /** {@code process} answers under its name from now on. */
  public void attach(SimulatedProcess process) {
    attach(process.name(), process);
  }

  /** {@code process} answers at {@code address} from now on. */
  public void attach(String address, SimulatedProcess process) {
    processes.put(address, process);
  }

  /** Cuts are between names, whatever the address. */
  private String nameOf(String address) {
    SimulatedProcess process = processes.get(address);
    return process == null ? address : process.name();
  }

  public void weather(NetworkWeather now) {
    weather = now;
  }

  /** Nothing from {@code from} reaches {@code to} any more. */
  public void cut(String from, String to) {
    cuts.add(new Direction(from, to));
    scheduler.trace().line(scheduler.now(), "network", "cut " + from + " -> " + to);
  }

  public void heal(String from, String to) {
    if (cuts.remove(new Direction(from, to))) {
      scheduler.trace().line(scheduler.now(), "network", "heal " + from + " -> " + to);
    }
  }

  /** Whether a message from one to the other would arrive now. */
  public boolean open(String from, String to) {
    return !cuts.contains(new Direction(nameOf(from), nameOf(to)));
  }

  /** Who answers under {@code name}, dead or alive; empty before the first did. */
  public Optional<SimulatedProcess> process(String name) {
    return Optional.ofNullable(processes.get(name));
  }

  /**
   * Has {@code to} run {@code handler} on a thread of its own, and returns what that returned.
   *
   * @param timeout how long the caller waits, by the true time
   * @throws Unreachable when no answer came
   */
  public <T> T call(SimulatedProcess from, String to, Duration timeout, Callable<T> handler)
      throws Exception {
    Promise<Outcome<T>> promise = new Promise<>(scheduler);
    send(from.name(), to, () -> serve(from.name(), to, handler, promise));
    Outcome<T> outcome = promise.await(scheduler.now() + timeout.toNanos());
    return switch (outcome) {
      case null -> throw new Unreachable(to + " didn't answer within " + timeout);
      case Outcome.Value<T>(Optional<T> value) -> value.orElseThrow();
      case Outcome.Thrown<T>(Exception e) -> throw e;
      case Outcome.Refused<T>() -> throw new Unreachable(to + " refused the connection");
    };
  }

  /** Whether a message to the other is cut off. */
  public boolean cuts(String from, String to) {
    boolean cut = !open(from, to);
    if (cut) {
      faults.count("message cut");
    }
    return cut;
  }

  /** Whether the next packet of a connection is lost, for good. */
  public boolean loses(String fault) {
    boolean lost = scheduler.choices().nextDouble() < weather.lost() / 4;
    if (lost) {
      faults.count(fault);
    }
    return lost;
  }

  /** A message without answer: {@code arrival} runs on the carrier when it arrives. */
  public void send(String from, String to, Runnable arrival) {
    if (cuts(from, to)) {
      return;
    }
    double drawn = scheduler.choices().nextDouble() - weather.lost();
    if (drawn < 0) {
      faults.count("message lost");
      return;
    }
    drawn -= weather.duplicated();
    if (drawn < 0) {
      faults.count("message duplicated");
      scheduler.after(latency(), arrival);
      scheduler.after(latency(), arrival);
      return;
    }
    drawn -= weather.delayed();
    if (drawn < 0) {
      faults.count("message delayed");
      scheduler.after(
          Duration.ofNanos(scheduler.choices().nextLong(weather.maxDelay().toNanos())), arrival);
      return;
    }
    scheduler.after(latency(), arrival);
  }

  /** Of one message that nothing happens to. */
  public Duration latency() {
    return Duration.ofNanos(1_000L * (100 + scheduler.choices().nextInt(MAX_LATENCY_MICROS)));
  }

  private <T> void serve(String from, String to, Callable<T> handler, Promise<Outcome<T>> promise) {
    SimulatedProcess target = processes.get(to);
    if (target == null || target.dead()) {
      send(to, from, () -> promise.complete(new Outcome.Refused<>()));
      return;
    }
    Thread _ =
        target.start(
            "rpc",
            () -> {
              Outcome<T> outcome = run(handler);
              send(to, from, () -> promise.complete(outcome));
            });
  }

  private static <T> Outcome<T> run(Callable<T> handler) {
    try {
      @Nullable T value = handler.call();
      return new Outcome.Value<>(Optional.ofNullable(value));
    } catch (Exception e) {
      return new Outcome.Thrown<>(e);
    }
  }
}
