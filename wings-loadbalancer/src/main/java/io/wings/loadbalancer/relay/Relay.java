package io.wings.loadbalancer.relay;

import io.wings.common.error.ErrorKind;
import io.wings.common.error.WingsException;
import io.wings.common.flight.Ack;
import io.wings.common.flight.AwaitedRange;
import io.wings.common.flight.AwaitedRanges;
import io.wings.common.flight.BatchResult;
import io.wings.common.flight.BatchStatus;
import io.wings.common.flight.Create;
import io.wings.common.flight.StreamMove;
import io.wings.common.flight.StreamOpened;
import io.wings.common.flight.StreamReply;
import io.wings.common.flight.StreamRequest;
import java.util.ArrayDeque;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One stream. What happens is told by methods; what has to be done is asked for with {@link
 * #nextAction()} after each of them, and, while the ingestor's transport takes more, with {@link
 * #nextSend()}.
 *
 * <p>Not safe for use by several threads.
 */
public final class Relay<F> {
  /** So often in a row the stream is opened without anything being answered. */
  static final int MAX_FRUITLESS = 8;

  /**
   * Said of the table, or of a log that the stream can't go on in, whichever ingestor serves it.
   */
  private static final Set<String> FOR_THE_CLIENT =
      Set.of("table-stopped", "visible-behind", "table-moved", "lane-closed");

  private enum Call {
    /** None; the next thing to send opens one. */
    NONE,
    /** Asked for. */
    WANTED,
    /** The ingestor has it. */
    ACCEPTED
  }

  private final Naming naming;
  private final RelayLimits limits;
  private final ArrayDeque<Action> actions = new ArrayDeque<>();

  private final Kept<F> kept = new Kept<>();
  private final Suspicions<F> suspicions = new Suspicions<>(kept);
  private final AwaitedRanges awaiting = new AwaitedRanges();

  private long lastSequence;
  private long rejections;
  private @Nullable String firstRejection;

  // The present call.
  private int call;
  private Call state = Call.NONE;
  private boolean moving;
  private boolean halfClosed;
  private boolean openedHere;
  private boolean answeredHere;
  private boolean alone;
  private int preludeSent;
  private int dictionariesSent;
  private int unitsSent;
  private int framesSent;

  // The end.
  private int fruitless;
  private boolean clientDone;
  private @Nullable WingsException failure;
  private boolean over;

  /** How the last call broke off, while it is to be known whether the stream goes on. */
  private @Nullable WingsException held;

  /**
   * A stream that has sent nothing yet.
   *
   * @param request its canonical request
   * @param anew the same under a fresh name; only asked for where the client gave none
   */
  public Relay(StreamRequest request, Supplier<StreamRequest> anew, RelayLimits limits) {
    this.naming = new Naming(request, anew);
    this.limits = limits;
  }

  /** Takes what is to be done next; null when there is nothing. */
  public @Nullable Action nextAction() {
    long freed = kept.takeFreed();
    return freed > 0 ? new Action.Free(freed) : actions.pollFirst();
  }

  /** Whether the next message of the client should be read. */
  public boolean wantsMore() {
    return !over && failure == null && !clientDone && unitsSent == kept.units().size() && !isFull();
  }

  /** Whether the stream's own bound is what keeps it from reading. */
  public boolean isFull() {
    return kept.held() >= limits.stream().bytes();
  }

  /** Whether the stream's schema has come: what comes next isn't one. */
  public boolean hasSchema() {
    return kept.isComplete();
  }

  /** Batches that were taken from the client. */
  public long taken() {
    return kept.taken();
  }

  /** Whether the first so many batches are answered; those of a stream that is over never will. */
  public boolean hasAnswered(long batches) {
    return over || kept.answeredCount() >= batches;
  }

  /** Bytes kept. */
  public long held() {
    return kept.held();
  }

  /** Of these, the schema's and the dictionaries', which stay when all batches are answered. */
  public long lasting() {
    return over ? 0 : kept.lasting();
  }

  /** Whether {@link Action.End} was given. */
  public boolean isOver() {
    return over;
  }

  /** The client sent a message. */
  public void frame(Frame<F> frame) {
    if (over || failure != null || clientDone) {
      kept.pass(frame);
      return;
    }
    Long given = frame.kind() instanceof Frame.Batch(Long sequence) ? sequence : null;
    Unit<F> unit = kept.take(frame, given == null ? lastSequence + 1 : given);
    if (unit != null) {
      lastSequence = unit.sequence;
    }
    limitLasting();
    openIfNeeded();
  }

  private void limitLasting() {
    if (kept.lasting() > limits.dictionaries().bytes()) {
      fail(
          WingsException.invalid(
              "dictionaries-too-large",
              "the stream's schema and dictionaries take more than %s as they were sent; send plain columns"
                  .formatted(limits.dictionaries())));
    }
  }

  /** The client has sent everything. */
  public void clientDone() {
    if (!over) {
      clientDone = true;
      openIfNeeded();
    }
  }

  /** The client is gone: nobody is told anything any more. */
  public void clientGone() {
    if (over) {
      return;
    }
    if (state != Call.NONE) {
      actions.add(new Action.Cancel(call));
    }
    end(null);
  }

  /** Something is wrong with the stream: it ends so, once what came before has been answered. */
  public void fail(WingsException error) {
    if (over || failure != null) {
      return;
    }
    failure = error;
    kept.dropPending();
    if (kept.units().isEmpty() && !naming.isOpened()) {
      // Nothing that an ingestor could have stored.
      cancelCall();
      end(error);
      return;
    }
    openIfNeeded();
  }

  /** The stream ends now, whatever waits. */
  public void abort(WingsException error) {
    if (!over) {
      cancelCall();
      end(error);
    }
  }

  private void cancelCall() {
    if (state != Call.NONE) {
      actions.add(new Action.Cancel(call));
      state = Call.NONE;
    }
  }

  /** An ingestor has the call. */
  public void accepted(int which) {
    if (isPresent(which) && state == Call.WANTED) {
      state = Call.ACCEPTED;
    }
  }

  /** No ingestor could be found for too long. */
  public void noIngestor(int which, WingsException error) {
    if (isPresent(which)) {
      state = Call.NONE;
      end(error);
    }
  }

  /** An ingestor said something. */
  public void reply(int which, StreamReply reply) {
    if (!isPresent(which)) {
      return;
    }
    try {
      switch (reply) {
        case StreamOpened now -> opened(now);
        case StreamMove _ -> move();
        case BatchResult result -> result(result);
      }
    } catch (WingsException e) {
      abort(e);
    }
  }

  private boolean isPresent(int which) {
    return !over && which == call && state != Call.NONE;
  }

  private void opened(StreamOpened now) {
    naming.opened(now);
    openedHere = true;
    suspicions.opened();
    leaveIfInnocent();
  }

  private void move() {
    moving = true;
    if (!halfClosed) {
      halfClosed = true;
      actions.add(new Action.HalfClose(call));
    }
  }

  private void result(BatchResult logged) {
    BatchResult result = naming.asTheClientCounts(logged);
    fruitless = 0;
    if (result.status() == BatchStatus.VISIBLE) {
      awaiting.told(result.sequence(), result.through());
    } else {
      for (long sequence = result.sequence(); sequence <= result.through(); sequence++) {
        answered(sequence);
      }
      if (result.status() == BatchStatus.REJECTED) {
        rejections++;
        if (firstRejection == null) {
          firstRejection = "sequence " + result.sequence() + ": " + result.reason();
        }
      }
      if (ack() == Ack.VISIBLE && !Ack.VISIBLE.tells(result.status())) {
        awaiting.add(new AwaitedRange(result.sequence(), result.through(), result.position()));
      }
    }
    if (ack().tells(result.status())) {
      actions.add(new Action.Tell(result));
    }
    leaveIfInnocent();
  }

  private Ack ack() {
    return naming.request().ack();
  }

  private void answered(long sequence) {
    Unit<F> unit = kept.oldest();
    if (unit == null || unitsSent == 0 || unit.sequence != sequence) {
      throw new WingsException(
          ErrorKind.INTERNAL,
          "ingestor-misunderstood",
          "an ingestor answered sequence %d, which it wasn't sent".formatted(sequence));
    }
    kept.answered();
    answeredHere = true;
    unitsSent--;
    dictionariesSent = kept.dictionaries().size();
    limitLasting();
  }

  private void leaveIfInnocent() {
    if (alone && !suspicions.isAlone()) {
      alone = false;
      actions.add(new Action.Leave());
    }
  }

  /**
   * The next message for the ingestor; to be asked for while its transport takes one. May add to
   * the actions.
   *
   * @return null when there is none at the moment
   */
  public @Nullable Send<F> nextSend() {
    if (over || state != Call.ACCEPTED || halfClosed) {
      return null;
    }
    if (preludeSent < kept.prelude().size()) {
      StreamRequest descriptor = preludeSent == 0 ? descriptor() : null;
      return new Send<>(kept.prelude().get(preludeSent++).payload(), descriptor, false);
    }
    if (!kept.isComplete() && !clientDone && failure == null) {
      return null;
    }
    if (unitsSent == kept.units().size()) {
      if (clientDone || failure != null) {
        halfClosed = true;
        actions.add(new Action.HalfClose(call));
      }
      return null;
    }
    Unit<F> unit = kept.units().get(unitsSent);
    if (!maySend(unit)) {
      return null;
    }
    if (dictionariesSent < kept.dictionaries().size()) {
      return new Send<>(
          kept.dictionaries().get(dictionariesSent++).payload(), null, !unit.deaths.isEmpty());
    }
    if (framesSent == 0) {
      unit.sent++;
    }
    F payload = unit.frames.get(framesSent++).payload();
    if (framesSent == unit.frames.size()) {
      framesSent = 0;
      unitsSent++;
      naming.sent(unit.sequence);
    }
    return new Send<>(payload, null, !unit.deaths.isEmpty());
  }

  private boolean maySend(Unit<F> unit) {
    boolean makesTheTable =
        naming.request().create() == Create.IF_MISSING && !naming.hasPlace() && unitsSent == 0;
    if (makesTheTable) {
      // Also where the schema alone is suspected: without a batch no ingestor may clear it.
      return true;
    }
    return openedHere && !(alone && unit.deaths.size() < Suspicions.ALONE_DEATHS);
  }

  private StreamRequest descriptor() {
    Unit<F> oldest = kept.oldest();
    return naming.descriptor(oldest == null ? lastSequence + 1 : oldest.sequence, awaiting);
  }

  /** The call is over. */
  public void ended(int which, CallEnd end) {
    if (!isPresent(which)) {
      return;
    }
    boolean accepted = state == Call.ACCEPTED;
    state = Call.NONE;
    switch (end) {
      case CallEnd.Finished _ -> finished();
      case CallEnd.Refused(WingsException error) -> refused(error);
      case CallEnd.Stopping(WingsException error) -> again(error);
      case CallEnd.Died(WingsException error) -> {
        if (accepted) {
          died(error);
        } else {
          // It never had anything of the stream; whoever looks for the next one bounds how often.
          openIfNeeded();
        }
      }
    }
  }

  private void finished() {
    if (halfClosed && unitsSent == 0) {
      if (moving) {
        again(lost());
      } else {
        endWell();
      }
    } else {
      died(lost());
    }
  }

  private static WingsException lost() {
    return WingsException.unavailable(
        "ingestor-lost",
        "the ingestor ended the stream before it had answered; what was acknowledged is safe, send"
            + " the rest again",
        null);
  }

  private void refused(WingsException error) {
    boolean endsItsPart =
        error.code().equals("batches-rejected") && unitsSent == 0 && rejections > 0;
    boolean hadNothing = moving && (!kept.isComplete() || preludeSent < kept.prelude().size());
    if ((endsItsPart && moving) || hadNothing || passes(error)) {
      again(error);
    } else if (endsItsPart) {
      endWell();
    } else if (error.code().equals("producer-forgotten") && mayBeRenamed()) {
      rename();
      again(error);
    } else {
      end(error);
    }
  }

  /** Whether waiting may help, and telling does harm: the log may hold what is unanswered. */
  private boolean passes(WingsException error) {
    return error.kind() == ErrorKind.UNAVAILABLE
        && !FOR_THE_CLIENT.contains(error.code())
        && (!awaiting.isEmpty() || kept.units().stream().anyMatch(unit -> unit.sent > 0));
  }

  /** Whether nothing of what is unanswered can be in the log. */
  private boolean mayBeRenamed() {
    return !naming.request().named()
        && awaiting.isEmpty()
        && kept.units().stream().allMatch(unit -> unit.sent <= 1)
        && unitsSent > 0;
  }

  private void rename() {
    naming.rename(kept.units().isEmpty() ? lastSequence : kept.units().getFirst().sequence - 1);
    kept.units().forEach(unit -> unit.sent = 0);
  }

  /** Elsewhere, and nobody is to blame. */
  private void again(WingsException error) {
    if (++fruitless > MAX_FRUITLESS) {
      end(error.kind() == ErrorKind.UNAVAILABLE ? error : lost());
      return;
    }
    reopen();
  }

  private void died(WingsException error) {
    // Who answered a batch has outlived the dictionaries before it.
    boolean begun = framesSent > 0 || (unitsSent == 0 && dictionariesSent > 0 && !answeredHere);
    int had = unitsSent + (begun ? 1 : 0);
    boolean schema = kept.isComplete() && preludeSent == kept.prelude().size() && !openedHere;
    if (had > 0 || schema) {
      suspicions.brokeOff(call, had, schema);
      actions.add(new Action.FindOut(call));
    }
    fruitless++;
    held = error;
    nothingSent();
    goOnUnlessHeld();
  }

  /** The ingestor of a call that broke off is alive, and the same process. */
  public void outlived(int which) {
    if (!over) {
      suspicions.outlived(which);
      leaveIfInnocent();
      goOnUnlessHeld();
      openIfNeeded();
    }
  }

  /** The ingestor of a call that broke off is gone, or wasn't seen again for too long. */
  public void gone(int which) {
    if (!over) {
      suspicions.gone(which);
      goOnUnlessHeld();
    }
  }

  private void goOnUnlessHeld() {
    WingsException error = held;
    if (error == null) {
      return;
    }
    if (suspicions.isSettled()) {
      Unit<F> suspect = kept.oldest();
      end(
          WingsException.invalid(
              "suspect-batch",
              "%d ingestors died with the stream, the last one while nothing else was sent again; %s may be what they died of: don't send it again, and report it"
                  .formatted(
                      Suspicions.MAX_DEATHS,
                      suspect == null ? "its schema" : "sequence " + suspect.sequence)));
    } else if (!suspicions.isHeld()) {
      held = null;
      if (fruitless > MAX_FRUITLESS) {
        end(error);
      } else {
        reopen();
      }
    } else if (alone) {
      // Others needn't wait for what is to be seen.
      alone = false;
      actions.add(new Action.Leave());
    }
  }

  private void reopen() {
    if (isAnswered()) {
      endWell();
      return;
    }
    openIfNeeded();
  }

  /** Whether nothing is left to hear of an ingestor. */
  private boolean isAnswered() {
    boolean sentAll = clientDone || failure != null;
    return sentAll && naming.hasPlace() && kept.units().isEmpty() && awaiting.isEmpty();
  }

  /**
   * A stream of which nothing is unanswered is opened when there is something to send. One that
   * never was is opened at once, for its client may wait for an error; but not where it would have
   * to be alone for that, which an ingestor that waits for the first batch doesn't end.
   */
  private void openIfNeeded() {
    if (over || state != Call.NONE || held != null) {
      return;
    }
    boolean needed =
        (!naming.hasPlace() && !suspicions.isAlone())
            || !kept.units().isEmpty()
            || !awaiting.isEmpty()
            || ((clientDone || failure != null) && !isAnswered());
    if (kept.prelude().isEmpty()) {
      if (clientDone || failure != null) {
        endWell();
      }
    } else if (needed) {
      open();
    } else if (isAnswered()) {
      endWell();
    }
  }

  private void open() {
    boolean first = !alone && suspicions.isAlone();
    alone |= first;
    actions.add(new Action.Open(++call, first, fruitless));
    state = Call.WANTED;
    moving = false;
    halfClosed = false;
    nothingSent();
  }

  private void nothingSent() {
    openedHere = false;
    answeredHere = false;
    preludeSent = 0;
    dictionariesSent = 0;
    unitsSent = 0;
    framesSent = 0;
  }

  /** Everything is answered: OK, unless there is something to be said. */
  private void endWell() {
    if (failure != null) {
      end(failure);
    } else if (rejections > 0) {
      end(
          WingsException.invalid(
              "batches-rejected",
              "%d batches were rejected and everything else is durable; the first was %s"
                  .formatted(rejections, firstRejection)));
    } else {
      end(null);
    }
  }

  private void end(@Nullable WingsException error) {
    over = true;
    state = Call.NONE;
    kept.clear();
    actions.add(new Action.End(error));
  }
}
