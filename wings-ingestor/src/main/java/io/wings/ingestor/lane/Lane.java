package io.wings.ingestor.lane;

import io.wings.common.cluster.LaneId;
import io.wings.common.cluster.Position;
import io.wings.common.error.ErrorKind;
import io.wings.common.error.WingsException;
import io.wings.common.wal.Boundary;
import io.wings.common.wal.LaneState;
import io.wings.common.wal.SegmentFooter;
import io.wings.common.wal.SegmentWriter;
import io.wings.common.wal.Verdict;
import java.time.Duration;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One open lane: one thread that takes what waits, appends it, proves it, and tells.
 *
 * <p>The proof: a number was won, or the next one seen absent, and a boundary read after that lies
 * at or below every number that was already proven. What an applied number says is not believed
 * before; when the boundary has reached one, all that is known is thrown away and the work judged
 * again on the lane as it really is.
 */
final class Lane {
  /** Losses in a row before puts get smaller. */
  static final int PATIENT_LOSSES = 3;

  /** How long streams that were asked to move, and came back, are left in peace. */
  private static final Duration CONTENTION_PAUSE = Duration.ofSeconds(30);

  /** Footers that are read one by one before a lane is opened anew instead. */
  static final int FAR_BEHIND = 32;

  private static final Logger LOG = LoggerFactory.getLogger(Lane.class);

  private final LaneId id;
  private final long watermark;
  private final LaneContext context;
  private final LaneRegistry registry;
  private final LaneLog log;
  private final LaneQueue queue;
  private final Answer<Boolean> opened = new Answer<>();

  /** In the order in which they came, so that they are told in the same order in every run. */
  private final Set<Session> sessions = Collections.synchronizedSet(new LinkedHashSet<>());

  private @Nullable Long contendedNanos;
  private LaneState state;

  /**
   * Batches whose segment was put and may have been in the log, at a number that was pruned before
   * that could be proven: a log that has forgotten their producer doesn't tell. Each is undecided.
   */
  private final Set<Pending> unproven = Collections.newSetFromMap(new IdentityHashMap<>());

  private List<Pending> undecided = List.of();
  private volatile long provenHead;
  private volatile @Nullable WingsException stopReason;

  Lane(LaneId id, long watermark, LaneContext context, LaneRegistry registry) {
    this.id = id;
    this.watermark = watermark;
    this.context = context;
    this.registry = registry;
    this.log = new LaneLog(id, context);
    this.queue =
        new LaneQueue(
            context.time(),
            context.settings().flushInterval(),
            context.settings().segmentCapBytes());
    this.state = new LaneState(id);
  }

  LaneId id() {
    return id;
  }

  /** The highest number that is proven to be in the log. */
  long provenHead() {
    return provenHead;
  }

  /** Returns once the lane is open, or throws why it can't be. */
  void awaitOpen() throws InterruptedException {
    opened.await();
  }

  void add(Pending item) {
    queue.add(item);
  }

  void checkRunning() {
    WingsException reason = stopReason;
    if (reason != null) {
      throw Errors.again(reason);
    }
  }

  /** The thread ends once nothing waits. */
  void finish() {
    queue.finish();
  }

  boolean isIdle() {
    return queue.isIdle();
  }

  /** The lane's thread. */
  void run() {
    try {
      state = log.open(watermark);
      provenHead = state.head();
      opened.give(true);
      undecided = queue.take(context.settings().idleAfter());
      while (!registry.isOver(this, undecided)) {
        decide();
        undecided = queue.take(context.settings().idleAfter());
      }
      stop(Errors.closing());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      stop(Errors.closing());
    } catch (WingsException e) {
      stop(Thread.currentThread().isInterrupted() ? Errors.closing() : e);
    } catch (RuntimeException | Error e) {
      stop(
          new WingsException(ErrorKind.INTERNAL, "lane-failed", "lane " + id + " failed: " + e, e));
      if (e instanceof Error error) {
        throw error;
      }
    }
  }

  private enum Step {
    PROVEN,
    LOST,
    AGAIN
  }

  /** Goes on until all that was taken is decided. */
  private void decide() throws InterruptedException {
    int losses = 0;
    int maxEntries = SegmentWriter.MAX_ENTRIES;
    while (!undecided.isEmpty()) {
      dropAbandoned();
      FlushPlan plan =
          FlushPlan.of(state, undecided, maxEntries, context.settings().segmentCapBytes());
      switch (plan.accepted() > 0 ? write(plan) : look(plan)) {
        case PROVEN -> {
          losses = 0;
          maxEntries = SegmentWriter.MAX_ENTRIES;
        }
        case LOST -> {
          losses++;
          if (losses > 1) {
            catchUp();
          }
          if (losses >= PATIENT_LOSSES) {
            contended();
            maxEntries = Math.max(1, plan.accepted() / 2);
          }
        }
        case AGAIN -> {}
      }
    }
  }

  /** An epoch that nobody would be told would fence whoever has asked again elsewhere. */
  private void dropAbandoned() {
    List<Pending> abandoned =
        undecided.stream()
            .filter(item -> item instanceof Pending.Opening && item.session().isClosed())
            .toList();
    if (!abandoned.isEmpty()) {
      undecided = undecided.stream().filter(item -> !abandoned.contains(item)).toList();
      fail(abandoned, Errors.closed());
    }
  }

  /** Another ingestor writes the lane too: its streams should meet at one of them. */
  private void contended() {
    Long before = contendedNanos;
    if (before != null && context.time().since(before).compareTo(CONTENTION_PAUSE) < 0) {
      return;
    }
    contendedNanos = context.time().nanos();
    List.copyOf(sessions).forEach(Session::contended);
  }

  /** The lane has one more user. */
  void join(Session session) {
    boolean _ = sessions.add(session);
  }

  void leave(Session session) {
    boolean _ = sessions.remove(session);
  }

  /** Tries to win the next number for the plan's entries. */
  private Step write(FlushPlan plan) throws InterruptedException {
    long began = context.time().nanos();
    SegmentWriter.Segment segment =
        plan.segment(context.settings().ingestor(), context.ids(), context.time().now());
    long number = segment.footer().number();
    boolean won;
    try {
      won = log.append(segment);
    } catch (WingsException e) {
      reopenUnlessTrue(e);
      return Step.AGAIN;
    }
    if (!won) {
      context.observer().lost(id, number);
      return follow(number) ? Step.LOST : Step.AGAIN;
    }
    state.apply(segment.footer());
    if (!prove()) {
      unproven.addAll(plan.batches());
      return Step.AGAIN;
    }
    conclude(plan);
    long rows = segment.footer().rows();
    context
        .observer()
        .flushed(id, number, segment.body().size(), rows, context.time().since(began));
    if (rows > 0) {
      registry.durable(id, number);
    }
    return Step.PROVEN;
  }

  /** Nothing is to be written: sees to it that the log ends where the state does. */
  private Step look(FlushPlan plan) {
    LaneState judged = state;
    Optional<SegmentFooter> next = readNext();
    if (next.isPresent()) {
      apply(next.get());
      catchUp();
      return Step.AGAIN;
    }
    // Reading may have opened the lane again: the plan is then of a state that was thrown away.
    if (state != judged || !prove()) {
      return Step.AGAIN;
    }
    conclude(plan);
    return Step.PROVEN;
  }

  /** Applies the segment that another writer has at {@code number}; false when there is none. */
  private boolean follow(long number) throws InterruptedException {
    Optional<SegmentFooter> other = readNext();
    if (other.isPresent()) {
      apply(other.get());
      return true;
    }
    if (state.head() + 1 == number && prove()) {
      LOG.warn("segment {} of lane {} was there and is not, above the boundary", number, id);
      context.time().sleep(context.backoff().max());
    }
    return false;
  }

  /**
   * Reads what others wrote meanwhile: a put is dear, and would only be lost again. One that is far
   * behind opens the lane anew, which reads several footers at a time.
   */
  private void catchUp() {
    for (int behind = 0; behind < FAR_BEHIND; behind++) {
      Optional<SegmentFooter> next = readNext();
      if (next.isEmpty()) {
        return;
      }
      apply(next.get());
    }
    openAgain();
  }

  private Optional<SegmentFooter> readNext() {
    try {
      return log.footer(state.head() + 1);
    } catch (WingsException e) {
      reopenUnlessTrue(e);
      return Optional.empty();
    }
  }

  private void apply(SegmentFooter footer) {
    try {
      state.apply(footer);
    } catch (WingsException e) {
      reopenUnlessTrue(e);
    }
  }

  /** What contradicts may be written below the boundary by one that slept, as may what is known. */
  private void reopenUnlessTrue(WingsException e) {
    if (e.kind() != ErrorKind.CORRUPT || prove()) {
      throw e;
    }
  }

  /**
   * Reads the boundary.
   *
   * @return true when all that is known is true; false when the lane had to be opened again
   */
  private boolean prove() {
    Boundary boundary = log.boundary();
    if (boundary.closed()) {
      throw new WingsException(
          ErrorKind.FENCED, "lane-closed", "lane " + id + " was closed; look the table up again");
    }
    if (boundary.number() <= provenHead) {
      provenHead = state.head();
      return true;
    }
    LOG.info(
        "lane {}: the boundary is at {}, proven was {}: opening again",
        id,
        boundary.number(),
        provenHead);
    openAgain();
    return false;
  }

  /** Throws away what is known; what is open is proven as it is. */
  private void openAgain() {
    context.observer().reopened(id);
    state = log.reopen(watermark);
    provenHead = state.head();
  }

  /** Tells what the plan decided, which is proven, and frees what it held. */
  private void conclude(FlushPlan plan) {
    Map<Session, long[]> freed = new LinkedHashMap<>();
    for (FlushPlan.Decision decision : plan.decisions()) {
      Pending item = decision.item();
      tell(decision);
      unproven.remove(item);
      count(item, freed);
    }
    undecided = plan.rest();
    freed.forEach((session, sums) -> session.free(sums[0], sums[1]));
  }

  private static void count(Pending item, Map<Session, long[]> freed) {
    long[] sums = freed.computeIfAbsent(item.session(), _ -> new long[2]);
    sums[0]++;
    sums[1] += item.bufferBytes();
  }

  private void tell(FlushPlan.Decision decision) {
    switch (decision.item()) {
      case Pending.Batch batch -> batch.session().tell(result(batch, decision.verdict()));
      case Pending.Rejection rejection ->
          rejection
              .session()
              .tell(
                  Results.of(
                      decision.verdict(),
                      new Results.Subject(
                          rejection.entry().producer(),
                          rejection.entry().epoch(),
                          rejection.entry().sequence(),
                          rejection.entry().reason()),
                      this::position,
                      provenHead));
      case Pending.Opening opening -> answer(opening, decision);
      case Pending.Question question ->
          question
              .answer()
              .give(Results.decided(decision.verdict(), question.sequence(), this::position));
      case Pending.Recall recall -> recall.answer().give(Optional.ofNullable(decision.state()));
      case Pending.Flush flush -> flush.answer().give(position(provenHead));
    }
  }

  private LaneResult result(Pending.Batch batch, Verdict verdict) {
    if (verdict instanceof Verdict.Forgotten && unproven.contains(batch)) {
      return new LaneResult.Refused(
          batch.sequence(), Errors.outcomeForgotten(batch.producer(), batch.sequence()));
    }
    return Results.of(
        verdict,
        new Results.Subject(batch.producer(), batch.epoch(), batch.sequence(), null),
        this::position,
        provenHead);
  }

  private void answer(Pending.Opening opening, FlushPlan.Decision decision) {
    if (decision.verdict() instanceof Verdict.OverLimit(WingsException error)) {
      opening.answer().fail(error);
      return;
    }
    io.wings.common.wal.ProducerState producer = decision.state();
    if (producer == null) {
      throw new IllegalStateException("an epoch record without a producer: " + decision);
    }
    opening
        .answer()
        .give(
            new ProducerOpened(
                producer.epoch(),
                producer.lastSequence(),
                producer.token(),
                producer.floor(),
                producer.rejected(),
                state.horizon(producer.producer())));
  }

  private Position position(long number) {
    return new Position(id.incarnation(), id.lane(), number);
  }

  /** Ends the lane: what isn't decided ends so. */
  private void stop(WingsException reason) {
    stopReason = reason;
    if (reason.kind() == ErrorKind.FENCED) {
      LOG.info("lane {} ended: {}", id, reason.getMessage());
    } else if (reason.kind() != ErrorKind.UNAVAILABLE) {
      LOG.error("lane {} stopped", id, reason);
      context.observer().stopped(id, String.valueOf(reason.getMessage()));
    }
    List<Pending> waiting = queue.stop(reason);
    registry.remove(this);
    opened.fail(reason);
    fail(undecided, reason);
    fail(waiting, reason);
    undecided = List.of();
  }

  private static void fail(List<Pending> items, WingsException reason) {
    Map<Session, long[]> freed = new LinkedHashMap<>();
    for (Pending item : items) {
      switch (item) {
        case Pending.Batch batch ->
            batch.session().tell(new LaneResult.Undecided(batch.sequence(), reason));
        case Pending.Rejection rejection ->
            rejection
                .session()
                .tell(new LaneResult.Undecided(rejection.entry().sequence(), reason));
        case Pending.Opening opening -> opening.answer().fail(reason);
        case Pending.Question question -> question.answer().fail(reason);
        case Pending.Recall recall -> recall.answer().fail(reason);
        case Pending.Flush flush -> flush.answer().fail(reason);
      }
      count(item, freed);
    }
    freed.forEach((session, sums) -> session.free(sums[0], sums[1]));
  }
}
