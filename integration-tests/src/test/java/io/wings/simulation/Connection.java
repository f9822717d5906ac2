package io.wings.simulation;

import io.wings.common.error.WingsException;
import io.wings.common.flight.BatchResult;
import io.wings.common.flight.FlightFrame;
import io.wings.common.flight.StreamOpened;
import io.wings.ingestor.stream.FrameSource;
import io.wings.ingestor.stream.PutReplies;
import io.wings.simulation.kernel.Mailbox;
import io.wings.simulation.kernel.Network;
import io.wings.simulation.kernel.Scheduler;
import io.wings.simulation.kernel.SimulatedProcess;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * One stream between two processes: in order both ways, until it breaks. A message that the network
 * loses breaks it, and each side hears of that in its own time, or thinks that the other is only
 * slow.
 */
final class Connection implements FrameSource, PutReplies {
  private static final int LONGEST_NOTICE_MILLIS = 15_000;

  /** What a client sees. */
  sealed interface Reply {
    record Opened(StreamOpened opened) implements Reply {}

    record Result(BatchResult result) implements Reply {}

    /** The stream's end; null: well. */
    record Ended(@Nullable WingsException error) implements Reply {}

    record Broken() implements Reply {}
  }

  private final Scheduler scheduler;
  private final Network network;
  private final SimulatedProcess client;
  private final SimulatedProcess server;
  private final Mailbox<Arrival> arrivals;
  private final Mailbox<Reply> replies;
  private long lastArrival;
  private long lastReply;
  private boolean broken;
  private boolean woken;
  private @Nullable WingsException stopped;

  Connection(
      Scheduler scheduler, Network network, SimulatedProcess client, SimulatedProcess server) {
    this.scheduler = scheduler;
    this.network = network;
    this.client = client;
    this.server = server;
    this.arrivals = new Mailbox<>(scheduler);
    this.replies = new Mailbox<>(scheduler);
    client.onDeath(this::fail);
    server.onDeath(this::fail);
  }

  /** Both sides hear of it, each at its own time. */
  private void fail() {
    if (!broken) {
      broken = true;
      scheduler.after(notice(), () -> arrivals.put(new Arrival.Gone()));
      scheduler.after(notice(), () -> replies.put(new Reply.Broken()));
    }
  }

  private Duration notice() {
    int longest = scheduler.choices().nextInt(4) == 0 ? LONGEST_NOTICE_MILLIS : 50;
    return Duration.ofMillis(scheduler.choices().nextInt(longest));
  }

  private long arrival(long after) {
    return Math.max(after + 1, scheduler.now() + network.latency().toNanos());
  }

  private boolean passes(SimulatedProcess from, SimulatedProcess to) {
    if (broken) {
      return false;
    }
    if (!network.open(from.name(), to.name()) || network.loses("stream broken")) {
      fail();
      return false;
    }
    return true;
  }

  // --- the client's side ------------------------------------------------------------------------

  void send(FlightFrame frame) {
    deliver(new Arrival.Frame(frame));
  }

  void halfClose() {
    deliver(new Arrival.End());
  }

  private void deliver(Arrival arrival) {
    if (passes(client, server)) {
      lastArrival = arrival(lastArrival);
      scheduler.after(
          Duration.ofNanos(lastArrival - scheduler.now()),
          () -> {
            if (!broken) {
              arrivals.put(arrival);
            }
          });
    }
  }

  /** The client goes away. */
  void cancel() {
    fail();
  }

  /** The next reply, or null after {@code patience}. */
  @Nullable Reply reply(Duration patience) throws InterruptedException {
    return replies.poll(patience);
  }

  // --- the server's side ------------------------------------------------------------------------

  @Override
  public Arrival next() throws InterruptedException {
    if (stopped != null) {
      throw stopped;
    }
    Arrival arrival = arrivals.take();
    if (arrival instanceof Arrival.Gone) {
      // Whoever asks again gets it again.
      arrivals.putFirst(arrival);
    }
    if (stopped != null) {
      throw stopped;
    }
    return arrival;
  }

  @Override
  public boolean awaitWake() throws InterruptedException {
    while (!woken) {
      if (next() instanceof Arrival.Gone) {
        return false;
      }
    }
    woken = false;
    return true;
  }

  @Override
  public void wake() {
    woken = true;
    arrivals.put(new Arrival.End());
  }

  @Override
  public void stop(WingsException error) {
    if (stopped == null) {
      stopped = error;
      arrivals.putFirst(new Arrival.End());
    }
  }

  @Override
  public void opened(StreamOpened opened) {
    answer(new Reply.Opened(opened));
  }

  @Override
  public void result(BatchResult result) {
    answer(new Reply.Result(result));
  }

  /** The stream has ended. */
  void end(@Nullable WingsException error) {
    answer(new Reply.Ended(error));
  }

  private void answer(Reply reply) {
    if (passes(server, client)) {
      lastReply = arrival(lastReply);
      scheduler.after(
          Duration.ofNanos(lastReply - scheduler.now()),
          () -> {
            if (!broken) {
              replies.put(reply);
            }
          });
    }
  }
}
