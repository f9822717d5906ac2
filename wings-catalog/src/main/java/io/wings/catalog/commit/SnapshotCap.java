package io.wings.catalog.commit;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.SnapshotRef;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableProperties;
import org.jspecify.annotations.Nullable;

/**
 * Which snapshots a commit expires: main's oldest above a cap and, where the table says {@code
 * history.expire.max-snapshot-age-ms}, those above that age. What else is there goes by Iceberg's
 * own rules: what a branch's retention keeps stays, as does what a tag points at, and what no ref
 * reaches (staged, or rolled back) until it is older than the table's age.
 */
final class SnapshotCap {
  /** Of one commit; the next goes on. */
  private static final int MAX_EXPIRED = 1_000;

  private final TableMetadata metadata;
  private final int cap;
  private final long now;
  private final int leastKept;
  private final long maxAge;

  private SnapshotCap(TableMetadata metadata, int cap) {
    this.metadata = metadata;
    this.cap = cap;
    this.now =
        metadata.currentSnapshot() == null ? 0 : metadata.currentSnapshot().timestampMillis();
    this.leastKept =
        metadata.propertyAsInt(
            TableProperties.MIN_SNAPSHOTS_TO_KEEP, TableProperties.MIN_SNAPSHOTS_TO_KEEP_DEFAULT);
    this.maxAge =
        metadata.propertyAsLong(
            TableProperties.MAX_SNAPSHOT_AGE_MS, TableProperties.MAX_SNAPSHOT_AGE_MS_DEFAULT);
  }

  /**
   * Ids of the snapshots to expire, none where {@code gc.enabled=false}. A tenth above the cap is
   * waited for, so that expiries are few.
   *
   * @param metadata with the commit's own snapshot as main's
   * @param cap snapshots of main to keep; {@link CommitRequest#NO_EXPIRY}: all
   */
  static Set<Long> excess(TableMetadata metadata, int cap) {
    boolean collected =
        metadata.propertyAsBoolean(TableProperties.GC_ENABLED, TableProperties.GC_ENABLED_DEFAULT);
    return collected && cap != CommitRequest.NO_EXPIRY
        ? new SnapshotCap(metadata, cap).excess()
        : Set.of();
  }

  private Set<Long> excess() {
    List<Snapshot> main = ancestors(metadata.currentSnapshot());
    boolean overCap = main.size() > cap + cap / 10;
    boolean aged = metadata.properties().containsKey(TableProperties.MAX_SNAPSHOT_AGE_MS);
    if (!overCap && !aged) {
      return Set.of();
    }
    Set<Long> kept = new HashSet<>();
    Set<Long> reached = new HashSet<>();
    for (Map.Entry<String, SnapshotRef> entry : metadata.refs().entrySet()) {
      SnapshotRef ref = entry.getValue();
      kept.add(ref.snapshotId());
      List<Snapshot> line = ancestors(metadata.snapshot(ref.snapshotId()));
      line.forEach(snapshot -> reached.add(snapshot.snapshotId()));
      if (ref.isBranch()) {
        boolean isMain = entry.getKey().equals(SnapshotRef.MAIN_BRANCH);
        kept.addAll(isMain ? keptOfMain(ref, line, overCap, aged) : keptOfBranch(ref, line));
      }
    }
    return metadata.snapshots().stream()
        .filter(snapshot -> !kept.contains(snapshot.snapshotId()))
        .filter(snapshot -> reached.contains(snapshot.snapshotId()) || age(snapshot) > maxAge)
        .sorted(
            Comparator.comparingLong(Snapshot::sequenceNumber)
                .thenComparingLong(Snapshot::timestampMillis))
        .map(Snapshot::snapshotId)
        .limit(MAX_EXPIRED)
        .collect(Collectors.toSet());
  }

  /** Newest first, as far back as the metadata goes. */
  private List<Snapshot> ancestors(@Nullable Snapshot head) {
    List<Snapshot> line = new ArrayList<>();
    Set<Long> seen = new HashSet<>();
    @Nullable Snapshot snapshot = head;
    while (snapshot != null && seen.add(snapshot.snapshotId())) {
      line.add(snapshot);
      Long parent = snapshot.parentId();
      snapshot = parent == null ? null : metadata.snapshot(parent);
    }
    return line;
  }

  /** An age that was given to main itself, as to any branch, goes before the cap. */
  private Set<Long> keptOfMain(
      SnapshotRef ref, List<Snapshot> line, boolean overCap, boolean aged) {
    int least = Objects.requireNonNullElse(ref.minSnapshotsToKeep(), leastKept);
    Long asked = ref.maxSnapshotAgeMs();
    Set<Long> kept = new HashSet<>();
    for (int i = 0; i < line.size(); i++) {
      Snapshot snapshot = line.get(i);
      boolean byAge =
          asked != null
              ? age(snapshot) <= asked
              : (!overCap || i < cap) && (!aged || age(snapshot) <= maxAge);
      if (i < least || byAge) {
        kept.add(snapshot.snapshotId());
      }
    }
    return kept;
  }

  private Set<Long> keptOfBranch(SnapshotRef ref, List<Snapshot> line) {
    int least = Objects.requireNonNullElse(ref.minSnapshotsToKeep(), leastKept);
    long most = Objects.requireNonNullElse(ref.maxSnapshotAgeMs(), maxAge);
    Set<Long> kept = new HashSet<>();
    for (int i = 0; i < line.size() && (i < least || age(line.get(i)) <= most); i++) {
      kept.add(line.get(i).snapshotId());
    }
    return kept;
  }

  private long age(Snapshot snapshot) {
    return now - snapshot.timestampMillis();
  }
}
