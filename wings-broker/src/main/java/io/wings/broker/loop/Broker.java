package io.wings.broker.loop;

import io.wings.broker.core.Command;
import io.wings.broker.core.Moment;
import io.wings.broker.core.QueueMachine;
import io.wings.broker.core.QueueRules;
import io.wings.broker.core.ServedClock;
import io.wings.common.cas.FencedObject;
import io.wings.common.cluster.Keys;
import io.wings.common.error.WingsException;
import io.wings.common.id.Ids;
import io.wings.common.objectstore.ObjectStore;
import io.wings.common.queue.QueueCodec;
import io.wings.common.queue.QueueFile;
import io.wings.common.queue.StoredTask;
import io.wings.common.retry.Backoff;
import io.wings.common.time.Time;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One broker: stands by, takes over, serves, stands by again. {@link #run} is its loop, for one
 * thread; {@link #submit} may be called by any.
 */
public final class Broker {
  private static final Logger log = LoggerFactory.getLogger(Broker.class);

  /** How long a request may be held while there is nothing to do. */
  public static final Duration MAX_HOLD = Duration.ofSeconds(10);

  private static final Backoff SETTLING =
      new Backoff(Duration.ofMillis(20), Duration.ofMillis(500), 0.5);

  private final FencedObject<QueueFile> object;
  private final QueueRules rules;
  private final BrokerTiming timing;
  private final BrokerEvents events;
  private final Time time;
  private final Ids ids;
  private final Strays strays;
  private final Inbox inbox;
  private volatile boolean leaving;

  /**
   * @param store the cluster's
   */
  public Broker(
      ObjectStore store,
      QueueRules rules,
      BrokerTiming timing,
      BrokerEvents events,
      Time time,
      Ids ids) {
    this.object = new FencedObject<>(store, Keys.QUEUE, new QueueCodec(), time, ids, SETTLING);
    this.rules = rules;
    this.timing = timing;
    this.events = events;
    this.time = time;
    this.ids = ids;
    this.strays = new Strays(timing);
    this.inbox = new Inbox(time, strays);
  }

  /**
   * Hands a command in.
   *
   * @param epoch which the caller believes this broker to be active in
   * @param hold how long a request may wait for something to do; cut to {@link #MAX_HOLD}
   * @param onAnswer called once, on another thread or this one; must not block
   */
  public Call submit(long epoch, Command command, Duration hold, Consumer<Answer> onAnswer) {
    Duration cut = hold.compareTo(MAX_HOLD) > 0 ? MAX_HOLD : hold;
    Call call = new Call(command, time.nanos() + cut.toNanos(), onAnswer);
    inbox.add(epoch, call);
    return call;
  }

  /**
   * Makes {@link #run} return soon: the active broker steps down, which the object shows, so that
   * the next needn't wait; one that stands by just ends.
   */
  public void leave() {
    leaving = true;
    inbox.wake();
  }

  /**
   * Runs until {@link #leave}, or until the thread is interrupted. A fault in a term ends the term,
   * not the loop: what isn't in the object was never promised.
   *
   * @param address where clients dial this broker
   */
  public void run(String address) throws InterruptedException {
    boolean atOnce = timing.firstAtOnce();
    while (!leaving) {
      events.status(BrokerStatus.STANDBY);
      Optional<Term> term = standBy(address, atOnce);
      atOnce = false;
      if (term.isEmpty()) {
        return;
      }
      try {
        switch (term.get().serve()) {
          case DEPOSED -> log.warn("another broker took over; standing by");
          case LEFT -> log.warn("stopped without stepping down; the next broker has to wait");
          case STEPPED_DOWN -> log.info("stepped down; the next broker takes over at once");
        }
      } catch (WingsException e) {
        requireNotInterrupted(e);
        log.warn("the term ended, standing by: {}", e.getMessage());
      } catch (RuntimeException e) {
        requireNotInterrupted(e);
        log.error("the term ended by a fault; standing by", e);
      }
      events.deposed();
    }
  }

  private static void requireNotInterrupted(RuntimeException cause) throws InterruptedException {
    if (Thread.interrupted()) {
      InterruptedException interrupted = new InterruptedException("told to stop");
      interrupted.addSuppressed(cause);
      throw interrupted;
    }
  }

  /** Empty when the broker leaves. */
  private Optional<Term> standBy(String address, boolean atOnce) throws InterruptedException {
    Watch watch = new Watch(timing, atOnce);
    int problems = 0;
    while (!leaving) {
      long begun = time.nanos();
      try {
        Optional<Term> term = lookOnce(address, watch, begun);
        events.watching();
        problems = 0;
        if (term.isPresent()) {
          return term;
        }
      } catch (RuntimeException e) {
        // Whatever it is, a broker whose loop ends serves nobody until it is started again.
        requireNotInterrupted(e);
        events.blind(String.valueOf(e.getMessage()));
        if (problems++ == 0) {
          log.warn("standing by, trying again until it works", e);
        }
      }
      Duration pause = timing.readInterval().minus(time.since(begun));
      inbox.pause(pause.isNegative() ? Duration.ZERO : pause);
    }
    return Optional.empty();
  }

  /** Whether the active broker's address leads its clients here, so that nobody reaches it. */
  private boolean isReachedInsteadOf(FencedObject.Seen<QueueFile> active, String address) {
    return active.value().address().equals(address)
        && strays.last(active.fence().epoch(), time.nanos());
  }

  /** One read, and a takeover if it is time. */
  private Optional<Term> lookOnce(String address, Watch watch, long begun) {
    Optional<FencedObject.Seen<QueueFile>> seen = object.read();
    boolean due =
        seen.isEmpty()
            || watch.observe(seen.get().fence(), begun, time.nanos())
            || seen.get().value().steppedDown();
    boolean reachedInstead = !due && isReachedInsteadOf(seen.get(), address);
    if (!due && !reachedInstead) {
      return Optional.empty();
    }
    ServedClock served = new ServedClock(timing.longestServedStep(), time.nanos());
    Moment now = new Moment(served.at(time.nanos()), time.now());
    List<StoredTask> inherited = seen.map(found -> found.value().tasks()).orElse(List.of());
    QueueMachine machine = QueueMachine.restore(rules, ids, inherited, now);
    String wall = now.wall().truncatedTo(ChronoUnit.MILLIS).toString();
    Optional<FencedObject<QueueFile>.Held> held =
        object.claim(seen, new QueueFile(address, wall, machine.stored(now)));
    if (held.isEmpty()) {
      watch.forget();
      return Optional.empty();
    }
    served.proven(time.nanos());
    if (reachedInstead) {
      strays.heeded();
      log.warn(
          "took over from a live broker: clients that look for it at {} come to this process, which"
              + " has that address now; give each broker an address of its own (advertise)",
          address);
    }
    log.info(
        "active broker in epoch {} with {} tasks", held.get().epoch(), machine.stored(now).size());
    events.tookOver();
    events.status(new BrokerStatus(held.get().epoch(), machine.counts(now)));
    return Optional.of(
        new Term(
            held.get(), machine, served, timing, address, inbox, () -> leaving, events, time, ids));
  }
}
