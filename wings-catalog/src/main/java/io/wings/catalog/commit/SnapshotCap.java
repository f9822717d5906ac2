package io.wings.catalog.commit;

import java.util.Comparator;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.SnapshotRef;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableProperties;

/** Which snapshots a commit expires so that metadata stays small. */
final class SnapshotCap {
  private SnapshotCap() {}

  /**
   * Ids of the oldest snapshots above {@code cap}. Those that a branch or tag points at stay, and
   * so do the newest {@code history.expire.min-snapshots-to-keep}; none where {@code
   * gc.enabled=false}.
   */
  static Set<Long> excess(TableMetadata metadata, int cap) {
    boolean collected =
        metadata.propertyAsBoolean(TableProperties.GC_ENABLED, TableProperties.GC_ENABLED_DEFAULT);
    int kept =
        Math.max(
            cap,
            metadata.propertyAsInt(
                TableProperties.MIN_SNAPSHOTS_TO_KEEP,
                TableProperties.MIN_SNAPSHOTS_TO_KEEP_DEFAULT));
    int excess = metadata.snapshots().size() - kept;
    if (!collected || excess <= 0) {
      return Set.of();
    }
    Set<Long> referenced =
        metadata.refs().values().stream().map(SnapshotRef::snapshotId).collect(Collectors.toSet());
    return metadata.snapshots().stream()
        .sorted(
            Comparator.comparingLong(Snapshot::sequenceNumber)
                .thenComparingLong(Snapshot::timestampMillis))
        .map(Snapshot::snapshotId)
        .filter(id -> !referenced.contains(id))
        .limit(excess)
        .collect(Collectors.toSet());
  }
}
