package io.wings.worker.prune;

import io.wings.catalog.table.Watermarks;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.SnapshotRef;
import org.apache.iceberg.TableMetadata;
import org.jspecify.annotations.Nullable;

/**
 * What a rollback holds back. A rollback takes rows out of the table and leaves the table's
 * properties, the watermark among them, as they are. While a snapshot of Wings is there that no ref
 * reaches, a person may still want its rows back: its segments stay until it is expired.
 */
final class RollbackHold {
  private final TableMetadata metadata;
  private final Watermarks current;

  private RollbackHold(TableMetadata metadata, Watermarks current) {
    this.metadata = metadata;
    this.current = current;
  }

  /**
   * By lane, the number up to which segments may go as far as rollbacks are concerned; at most the
   * watermark.
   */
  static List<Long> limits(TableMetadata metadata, Watermarks current) {
    return new RollbackHold(metadata, current).limits();
  }

  private List<Long> limits() {
    List<Long> limits = new ArrayList<>(current.numbers());
    Set<Long> reached = reached();
    for (Snapshot snapshot : metadata.snapshots()) {
      if (!reached.contains(snapshot.snapshotId()) && marks(snapshot).isPresent()) {
        Optional<Watermarks> before = before(snapshot);
        for (int lane = 0; lane < limits.size(); lane++) {
          long number = before.isPresent() ? before.get().number(lane) : 0;
          limits.set(lane, Math.min(limits.get(lane), number));
        }
      }
    }
    return List.copyOf(limits);
  }

  /** Snapshots that a branch or a tag reaches. */
  private Set<Long> reached() {
    Set<Long> reached = new HashSet<>();
    for (SnapshotRef ref : metadata.refs().values()) {
      @Nullable Snapshot snapshot = metadata.snapshot(ref.snapshotId());
      while (snapshot != null && reached.add(snapshot.snapshotId())) {
        snapshot = parent(snapshot);
      }
    }
    return reached;
  }

  /** The watermarks on which a snapshot was made; empty when its forebears don't say. */
  private Optional<Watermarks> before(Snapshot snapshot) {
    for (@Nullable Snapshot it = parent(snapshot); it != null; it = parent(it)) {
      Optional<Watermarks> marks = marks(it);
      if (marks.isPresent()) {
        return marks;
      }
    }
    return Optional.empty();
  }

  private @Nullable Snapshot parent(Snapshot snapshot) {
    Long parent = snapshot.parentId();
    return parent == null ? null : metadata.snapshot(parent);
  }

  /** What a snapshot of Wings says of this WAL. */
  private Optional<Watermarks> marks(Snapshot snapshot) {
    return current.then(snapshot.summary());
  }
}
