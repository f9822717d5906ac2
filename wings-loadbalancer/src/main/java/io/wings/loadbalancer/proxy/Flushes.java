package io.wings.loadbalancer.proxy;

import io.grpc.Context;
import io.grpc.Deadline;
import io.wings.common.cluster.Position;
import io.wings.common.error.WingsException;
import io.wings.common.flight.ActionBody;
import io.wings.common.flight.ActionReply;
import io.wings.common.flight.TableName;
import io.wings.common.time.Time;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/**
 * Flushes of tables. Each lane is flushed where its new streams go; what this load balancer's
 * streams have taken is waited for, wherever they are by now, and the lanes' logs are then read to
 * their ends, so that the positions which are told are at or above all of it. Blocking; safe for
 * use by several threads.
 */
final class Flushes {
  /** What reached an ingestor only after it was asked to write is asked for again so much later. */
  private static final Duration AGAIN = Duration.ofSeconds(1);

  private final Supplier<List<PutProxy>> streams;
  private final IngestorActions actions;
  private final Tables tables;
  private final Duration patience;
  private final Time time;

  /**
   * @param streams that are open
   */
  Flushes(
      Supplier<List<PutProxy>> streams,
      IngestorActions actions,
      Tables tables,
      ProxyLimits limits,
      Time time) {
    this.streams = streams;
    this.actions = actions;
    this.tables = tables;
    this.patience = limits.lookup();
    this.time = time;
  }

  /**
   * Flushes a table, or a lane.
   *
   * @throws WingsException what an ingestor answers; {@code not-durable-yet} of kind UNAVAILABLE
   *     where what was taken isn't answered by the call's deadline, or within a look-up's time
   */
  ActionReply.Flushed flush(String principal, ActionBody.Flush asked) {
    TableName table = asked.tableName();
    List<PutProxy.Taken> taken =
        streams.get().stream()
            .map(stream -> stream.taken(table, asked.lane()))
            .filter(Objects::nonNull)
            .toList();
    List<Integer> lanes = lanes(principal, asked);
    long sinceNanos = time.nanos();
    Duration allowed = allowed();
    try {
      boolean answered = true;
      for (PutProxy.Taken stream : taken) {
        answered &= stream.awaitAnswered(Duration.ZERO);
      }
      ActionReply.Flushed flushed = ask(principal, asked, lanes);
      if (answered) {
        return flushed;
      }
      for (PutProxy.Taken stream : taken) {
        Duration wait = Duration.ZERO;
        while (!stream.awaitAnswered(wait)) {
          Duration left = allowed.minus(time.since(sinceNanos));
          if (!left.isPositive()) {
            throw WingsException.unavailable(
                "not-durable-yet",
                "not all that was taken from the streams of table \"%s\" is durable yet; flush again"
                    .formatted(table),
                null);
          }
          if (!wait.isZero()) {
            ActionReply.Flushed _ = ask(principal, asked, lanes);
          }
          wait = left.compareTo(AGAIN) < 0 ? left : AGAIN;
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw WingsException.unavailable("balancer-stopping", "the load balancer is stopping", null);
    }
    // What was answered since the first question may lie above the positions that it told.
    return ask(principal, asked, lanes);
  }

  /** Until the call's own deadline, if it has one, and never for long. */
  private Duration allowed() {
    Deadline deadline = Context.current().getDeadline();
    if (deadline == null) {
      return patience;
    }
    Duration own = Duration.ofNanos(deadline.timeRemaining(TimeUnit.NANOSECONDS));
    return own.compareTo(patience) < 0 ? own : patience;
  }

  private List<Integer> lanes(String principal, ActionBody.Flush asked) {
    Integer lane = asked.lane();
    if (lane != null) {
      return List.of(lane);
    }
    tables.forget(principal, asked.tableName());
    return IntStream.range(0, tables.lanes(principal, asked.tableName())).boxed().toList();
  }

  private ActionReply.Flushed ask(String principal, ActionBody.Flush asked, List<Integer> lanes) {
    List<IngestorActions.UnderWay<ActionReply.Flushed>> underWay = new ArrayList<>();
    for (int lane : lanes) {
      underWay.add(actions.begin(ActionReply.Flushed.class, principal, lane, asked.ofLane(lane)));
    }
    List<Position> positions = new ArrayList<>();
    for (IngestorActions.UnderWay<ActionReply.Flushed> flush : underWay) {
      positions.addAll(flush.await().positions());
    }
    return new ActionReply.Flushed(positions);
  }
}
