package io.wings.common.wal;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Writes a lane's log as footers, without data or a store. */
final class LogWriter {
  private final LaneState state;
  private final List<SegmentFooter> log = new ArrayList<>();
  private final List<WalEntry> entries = new ArrayList<>();
  private LaneDraft draft;

  LogWriter() {
    this(new LaneState(WalSamples.LANE));
  }

  LogWriter(LaneState state) {
    this.state = state;
    this.draft = state.draft();
  }

  LaneState state() {
    return state;
  }

  List<SegmentFooter> log() {
    return log;
  }

  Verdict batch(ProducerKey producer, long epoch, long sequence, @Nullable String token) {
    return add(
        new BatchEntry(
            producer, epoch, sequence, token, Operation.INSERT, 1, 8, 0, new Block(16, 8, 0)));
  }

  Verdict batch(ProducerKey producer, long epoch, long sequence) {
    return batch(producer, epoch, sequence, null);
  }

  Verdict reject(ProducerKey producer, long epoch, long sequence) {
    return add(new RejectedEntry(producer, epoch, sequence, "bad"));
  }

  Verdict add(WalEntry entry) {
    Verdict verdict = draft.judge(entry);
    if (verdict instanceof Verdict.Accepted) {
      entries.add(entry);
    }
    return verdict;
  }

  /** Opens an epoch in a segment of its own; returns it. */
  long open(ProducerKey producer) {
    add(new EpochRecord(producer));
    return land();
  }

  /** Ends the segment; returns its number. */
  long land() {
    long number = state.head() + 1;
    SegmentFooter footer = footer(number, entries, state);
    state.apply(footer);
    log.add(footer);
    entries.clear();
    draft = state.draft();
    return number;
  }

  static SegmentFooter footer(long number, List<WalEntry> entries, LaneState state) {
    return new SegmentFooter(
        WalSamples.LANE.table().uuid(),
        WalSamples.LANE.incarnation(),
        WalSamples.LANE.lane(),
        number,
        "%032x".formatted(number),
        "test",
        Instant.EPOCH,
        List.of(),
        entries,
        number % SegmentFooter.CHECKPOINT_EVERY == 0 ? state.checkpoint() : null);
  }
}
