package io.wings.ingestor.table;

import io.wings.catalog.commit.CommitRequest;
import io.wings.catalog.table.Watermarks;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.TableMetadata;
import org.jspecify.annotations.Nullable;

/**
 * Which snapshots that main still comes from brought which positions of one lane in. Snapshots say
 * in their summary what the watermarks were before them and are with them. A rollback leaves a gap:
 * the watermark stays, so the next snapshot begins above where the one below it ends, and what lies
 * between is in none of them.
 *
 * <p>Read as far back as somebody asks. Not safe for use by several threads.
 */
public final class LaneHistory {
  /** Snapshots that are looked at. */
  private static final int MAX_SNAPSHOTS_SEARCHED = 10_000;

  private final TableMetadata metadata;
  private final Watermarks own;
  private final int lane;
  private final List<Step> steps = new ArrayList<>();
  private @Nullable Snapshot next;
  private int searched;
  private boolean ended;

  /**
   * One of this log's snapshots.
   *
   * @param says on which watermark it was made; null where it doesn't, as those of earlier versions
   *     and the first of a log
   */
  private record Step(long snapshot, @Nullable Long says, long after) {}

  LaneHistory(TableMetadata metadata, Watermarks own, int lane) {
    this.metadata = metadata;
    this.own = own;
    this.lane = lane;
    this.next = metadata.currentSnapshot();
  }

  /**
   * The snapshot that brought {@code through} in, if it has all from {@code from} on; empty where
   * that can't be told any more, or any of it was rolled back.
   *
   * @param from 1 for all there ever was in this log
   */
  public Optional<Long> holding(long from, long through) {
    int at = 0;
    Long before = before(at);
    while (before != null && before >= through) {
      at++;
      before = before(at);
    }
    if (before == null || step(at).after < through) {
      return Optional.empty();
    }
    long found = step(at).snapshot;
    while (before != null && before >= from) {
      at++;
      Step below = stepOrNull(at);
      if (below == null || below.after != before) {
        return Optional.empty();
      }
      before = before(at);
    }
    return before == null ? Optional.empty() : Optional.of(found);
  }

  /** Whether a position that the watermark has reached is known to be in no snapshot of these. */
  public boolean rolledBack(long position) {
    int at = 0;
    Long before = before(at);
    while (before != null && before >= position) {
      at++;
      before = before(at);
    }
    Step reached = stepOrNull(at);
    return reached != null && reached.after < position;
  }

  /** On which watermark a snapshot was made; null where that can't be told, or there is none. */
  private @Nullable Long before(int at) {
    // Read first: what lies below may belie what a snapshot says.
    Step below = stepOrNull(at + 1);
    if (at >= steps.size()) {
      return null;
    }
    Long says = step(at).says;
    // One from before snapshots said so is taken to go on from the one below.
    return says != null || below == null ? says : (Long) below.after;
  }

  private Step step(int at) {
    return steps.get(at);
  }

  private @Nullable Step stepOrNull(int at) {
    while (steps.size() <= at && !ended) {
      readOne();
    }
    return at < steps.size() ? steps.get(at) : null;
  }

  private void readOne() {
    Snapshot snapshot = next;
    if (snapshot == null || searched++ == MAX_SNAPSHOTS_SEARCHED) {
      ended = true;
      return;
    }
    next = snapshot.parentId() == null ? null : metadata.snapshot(snapshot.parentId());
    Map<String, String> summary = snapshot.summary();
    if (summary == null || summary.get(Watermarks.PREFIX + lane) == null) {
      return;
    }
    Optional<Watermarks> then = own.then(summary);
    if (then.isPresent()) {
      steps.add(new Step(snapshot.snapshotId(), said(summary), then.get().number(lane)));
      return;
    }
    // Another log's: numbers below here, also the one that the oldest of ours says, mean others.
    ended = true;
    if (!steps.isEmpty()) {
      Step oldest = steps.removeLast();
      steps.add(new Step(oldest.snapshot, null, oldest.after));
    }
  }

  private @Nullable Long said(Map<String, String> summary) {
    String before = summary.get(CommitRequest.Marks.BEFORE + lane);
    try {
      return before == null ? null : (Long) Long.parseLong(before);
    } catch (NumberFormatException _) {
      return null;
    }
  }
}
