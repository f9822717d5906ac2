package io.wings.ingestor.lane;

import io.wings.common.id.Ids;
import io.wings.common.wal.LaneDraft;
import io.wings.common.wal.LaneState;
import io.wings.common.wal.ProducerState;
import io.wings.common.wal.SegmentFooter;
import io.wings.common.wal.SegmentWriter;
import io.wings.common.wal.Verdict;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What would become of pending work on top of a lane's state: which entries the next segment gets,
 * and what the log already says about the rest. Decides, and does nothing; true as long as the
 * state is the log's.
 */
final class FlushPlan {
  /**
   * What is to become of one item.
   *
   * @param state of its producer, as an epoch record finds it; null for others
   */
  record Decision(Pending item, Verdict verdict, @Nullable ProducerState state) {}

  private final LaneState state;
  private final List<Decision> decisions = new ArrayList<>();
  private final List<Pending> rest;
  private int accepted;

  private FlushPlan(LaneState state, List<Pending> rest) {
    this.state = state;
    this.rest = rest;
  }

  /**
   * @param work in the order of submission
   * @param maxEntries of the segment, at least 1
   * @param capBytes of the segment; one entry may exceed it with its overhead
   */
  static FlushPlan of(LaneState state, List<Pending> work, int maxEntries, long capBytes) {
    LaneDraft draft = state.draft();
    FlushPlan plan = new FlushPlan(state, new ArrayList<>());
    long bytes = 0;
    long footerBytes = 0;
    int at = 0;
    for (; at < work.size(); at++) {
      Pending item = work.get(at);
      boolean full =
          plan.accepted > 0
              && (plan.accepted >= maxEntries
                  || bytes + item.segmentBytes() > capBytes
                  || footerBytes + item.footerBytes() > LaneSettings.FOOTER_CAP_BYTES);
      if (full && item.isEntry()) {
        break;
      }
      Decision decision = decide(draft, item, capBytes);
      if (decision.verdict() instanceof Verdict.Deferred) {
        break;
      }
      if (decision.verdict() instanceof Verdict.Accepted && item.isEntry()) {
        plan.accepted++;
        bytes += item.segmentBytes();
        footerBytes += item.footerBytes();
      }
      plan.decisions.add(decision);
    }
    plan.rest.addAll(work.subList(at, work.size()));
    return plan;
  }

  private static Decision decide(LaneDraft draft, Pending item, long capBytes) {
    return switch (item) {
      case Pending.Batch batch -> new Decision(item, judge(draft, batch, capBytes), null);
      case Pending.Rejection rejection -> new Decision(item, draft.judge(rejection.entry()), null);
      case Pending.Opening opening -> {
        Verdict verdict = draft.judge(opening.record());
        yield new Decision(item, verdict, draft.producer(opening.record().producer()));
      }
      case Pending.Question question ->
          new Decision(
              item, draft.look(question.producer(), question.epoch(), question.sequence()), null);
      case Pending.Recall recall ->
          new Decision(item, new Verdict.Accepted(), draft.producer(recall.producer()));
      case Pending.Flush _ -> new Decision(item, new Verdict.Accepted(), null);
    };
  }

  private static Verdict judge(LaneDraft draft, Pending.Batch batch, long capBytes) {
    if (batch.batch().rawBytes() > capBytes
        && draft.look(batch.producer(), batch.epoch(), batch.sequence())
            instanceof Verdict.Accepted) {
      return new Verdict.OverLimit(Errors.batchTooLarge(batch.batch().rawBytes(), capBytes));
    }
    return draft.batch(batch.producer(), batch.epoch(), batch.sequence(), batch.token());
  }

  /** In the order of submission: all of the work, but the {@link #rest()}. */
  List<Decision> decisions() {
    return decisions;
  }

  /** What has to wait for the segment after this one. */
  List<Pending> rest() {
    return rest;
  }

  /** Entries of the segment; 0 when nothing is to be written. */
  int accepted() {
    return accepted;
  }

  /** The batches among the segment's entries. */
  List<Pending> batches() {
    return decisions.stream()
        .filter(decision -> decision.verdict() instanceof Verdict.Accepted)
        .map(Decision::item)
        .filter(Pending.Batch.class::isInstance)
        .toList();
  }

  /** Builds the segment. */
  SegmentWriter.Segment segment(String ingestor, Ids ids, Instant now) {
    long number = state.head() + 1;
    SegmentWriter writer = new SegmentWriter(state.lane(), number, ids.hex(), ingestor, now);
    if (number % SegmentFooter.CHECKPOINT_EVERY == 0) {
      writer.checkpoint(state.checkpoint());
    }
    for (Decision decision : decisions) {
      if (!(decision.verdict() instanceof Verdict.Accepted)) {
        continue;
      }
      switch (decision.item()) {
        case Pending.Batch batch ->
            writer.batch(
                batch.producer(),
                batch.epoch(),
                batch.sequence(),
                batch.token(),
                batch.operation(),
                batch.batch());
        case Pending.Rejection rejection -> writer.entry(rejection.entry());
        case Pending.Opening opening -> writer.entry(opening.record());
        case Pending.Question _, Pending.Recall _, Pending.Flush _ -> {}
      }
    }
    return writer.finish();
  }
}
