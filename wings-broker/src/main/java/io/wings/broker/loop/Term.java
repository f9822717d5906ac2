package io.wings.broker.loop;

import io.wings.broker.core.Command;
import io.wings.broker.core.Moment;
import io.wings.broker.core.Outcome;
import io.wings.broker.core.QueueMachine;
import io.wings.broker.core.Reply;
import io.wings.broker.core.ServedClock;
import io.wings.common.cas.FencedObject;
import io.wings.common.cas.FencedWrite;
import io.wings.common.id.Ids;
import io.wings.common.objectstore.StoreException;
import io.wings.common.queue.Lease;
import io.wings.common.queue.QueueFile;
import io.wings.common.retry.Backoff;
import io.wings.common.time.Time;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The time during which this broker is the active one: from a takeover until the object shows
 * another. Confined to the loop's thread.
 *
 * <p>The memory is ahead of the object by at most what {@code dirty} says, and is never taken back:
 * a refused write is tried again with all that came since.
 */
final class Term {
  private static final Logger log = LoggerFactory.getLogger(Term.class);

  private static final Backoff AFTER_REFUSAL =
      new Backoff(Duration.ofMillis(100), Duration.ofSeconds(1), 0.5);

  /** How a term ended. */
  enum End {
    /** The object shows another broker. */
    DEPOSED,
    /** The object shows that this broker does no more. */
    STEPPED_DOWN,
    /** It does no more, and couldn't say so. */
    LEFT
  }

  /** A call whose reply waits for its proof. */
  private record Unproven(Call call, Reply reply) {}

  private final FencedObject<QueueFile>.Held object;
  private final QueueMachine machine;
  private final ServedClock served;
  private final BrokerTiming timing;
  private final String address;
  private final Inbox inbox;
  private final BooleanSupplier leaving;
  private final BrokerEvents events;
  private final Time time;
  private final Ids ids;

  private final List<Unproven> unproven = new ArrayList<>();
  private final List<Call> held = new ArrayList<>();
  private boolean dirty;
  private long lastWriteAt;
  private int refusals;

  Term(
      FencedObject<QueueFile>.Held object,
      QueueMachine machine,
      ServedClock served,
      BrokerTiming timing,
      String address,
      Inbox inbox,
      BooleanSupplier leaving,
      BrokerEvents events,
      Time time,
      Ids ids) {
    this.object = object;
    this.machine = machine;
    this.served = served;
    this.timing = timing;
    this.address = address;
    this.inbox = inbox;
    this.leaving = leaving;
    this.events = events;
    this.time = time;
    this.ids = ids;
    this.lastWriteAt = time.nanos();
  }

  /** Serves until the object shows another broker, or none. */
  End serve() throws InterruptedException {
    inbox.open(object.epoch());
    try {
      boolean active = true;
      while (active && !leaving.getAsBoolean()) {
        active = round(inbox.drain(untilNextRound()));
      }
      return active ? stepDown() : End.DEPOSED;
    } finally {
      List<Call> rest = inbox.close();
      unproven.forEach(waiting -> waiting.call.answer(new Answer.LookAgain()));
      held.forEach(call -> call.answer(new Answer.LookAgain()));
      rest.forEach(call -> call.answer(new Answer.LookAgain()));
    }
  }

  /**
   * One last write, of all that is known and without an address. Nothing is answered after it but
   * what it proves, and nothing is written any more. If the store refuses it, the next broker waits
   * as for a dead one.
   */
  private End stepDown() {
    try {
      return write(moment(), "") ? End.STEPPED_DOWN : End.DEPOSED;
    } catch (StoreException e) {
      log.warn("queue.json can't be written: {}", e.getMessage());
      return End.LEFT;
    }
  }

  /**
   * Until something has to be written or answered, a write is due, a held request's time is over,
   * or a task can run that one waits for.
   */
  private Duration untilNextRound() {
    if (dirty || !unproven.isEmpty()) {
      return Duration.ZERO;
    }
    long now = time.nanos();
    Duration wait = timing.writeInterval().minusNanos(now - lastWriteAt);
    if (!held.isEmpty()) {
      for (Call call : held) {
        wait = min(wait, Duration.ofNanos(call.holdUntil() - now));
      }
      wait = min(wait, machine.nextRun(moment()).orElse(wait));
    }
    return wait.isNegative() ? Duration.ZERO : wait;
  }

  private static Duration min(Duration a, Duration b) {
    return a.compareTo(b) <= 0 ? a : b;
  }

  private Moment moment() {
    return new Moment(served.at(time.nanos()), time.now());
  }

  /**
   * Applies what has arrived, proves it, and answers.
   *
   * @return false when the object shows another broker
   */
  private boolean round(List<Call> arrived) throws InterruptedException {
    Moment now = moment();
    for (Call call : arrived) {
      if (call.isCancelled()) {
        inbox.ended(1);
      } else {
        apply(call, now);
      }
    }
    dirty |= machine.expire(now);
    serveHeld(now);
    boolean due = time.since(lastWriteAt).compareTo(timing.writeInterval()) >= 0;
    if (due) {
      events.status(new BrokerStatus(object.epoch(), machine.counts(now)));
    }
    if (!dirty && !due && unproven.isEmpty()) {
      return true;
    }
    boolean active;
    try {
      active = (dirty || due) ? write(now, address) : confirm();
      refusals = 0;
    } catch (StoreException e) {
      events.storeFailed();
      if (refusals++ == 0) {
        log.warn("queue.json can't be written or read, trying until it can: {}", e.getMessage());
      }
      time.sleep(AFTER_REFUSAL.delay(refusals, ids.fraction()));
      return true;
    }
    return active;
  }

  private void apply(Call call, Moment now) {
    Outcome outcome = machine.apply(call.command(), now);
    dirty |= outcome.changed();
    if (isNothing(outcome.reply()) && call.holdUntil() > time.nanos()) {
      held.add(call);
    } else {
      unproven.add(new Unproven(call, outcome.reply()));
    }
  }

  private static boolean isNothing(Reply reply) {
    return reply instanceof Reply.Granted(List<Lease> leases) && leases.isEmpty();
  }

  /** Requests that found nothing try again, the longest held first. */
  private void serveHeld(Moment now) {
    Iterator<Call> each = held.iterator();
    while (each.hasNext()) {
      Call call = each.next();
      if (call.isCancelled()) {
        each.remove();
        inbox.ended(1);
        continue;
      }
      Outcome outcome = machine.apply(call.command(), now);
      if (!isNothing(outcome.reply()) || call.holdUntil() <= time.nanos()) {
        each.remove();
        dirty |= outcome.changed();
        unproven.add(new Unproven(call, outcome.reply()));
      }
    }
  }

  private boolean write(Moment now, String dialled) {
    long start = time.nanos();
    String wall = now.wall().truncatedTo(ChronoUnit.MILLIS).toString();
    FencedWrite<QueueFile> outcome =
        object.write(new QueueFile(dialled, wall, machine.stored(now)));
    return switch (outcome) {
      case FencedWrite.Landed<QueueFile>() -> {
        lastWriteAt = start;
        events.wrote(time.since(start), unproven.size());
        dirty = false;
        prove();
        yield true;
      }
      case FencedWrite.Deposed<QueueFile>(boolean landed, _) -> {
        if (landed) {
          // The successor has inherited what these replies say.
          answer();
        }
        yield false;
      }
    };
  }

  private boolean confirm() {
    long start = time.nanos();
    if (!object.confirm()) {
      return false;
    }
    events.confirmed(time.since(start), unproven.size());
    prove();
    return true;
  }

  private void prove() {
    served.proven(time.nanos());
    answer();
  }

  private void answer() {
    for (Unproven waiting : unproven) {
      if (waiting.call.isCancelled()) {
        giveBack(waiting.reply);
      } else {
        waiting.call.answer(new Answer.Done(waiting.reply));
      }
    }
    inbox.ended(unproven.size());
    unproven.clear();
  }

  private void giveBack(Reply reply) {
    if (reply instanceof Reply.Granted(List<Lease> leases) && !leases.isEmpty()) {
      List<String> ids = leases.stream().map(Lease::id).toList();
      dirty |= machine.apply(new Command.Release(ids), moment()).changed();
    }
  }
}
