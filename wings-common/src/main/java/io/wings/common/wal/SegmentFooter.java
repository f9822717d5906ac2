package io.wings.common.wal;

import io.wings.common.cluster.LaneId;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Everything that a segment says about itself. See {@code docs/formats/wal.md}.
 *
 * @param table uuid of the table
 * @param putId 32 hexadecimal digits, drawn for this segment; two writers never share one
 * @param ingestor who wrote it, for people
 * @param written by the writer's wall clock, for people, in whole milliseconds
 * @param schemas where the IPC schema messages are
 * @param entries in log order
 * @param checkpoint in every number divisible by {@link #CHECKPOINT_EVERY}, else null
 */
public record SegmentFooter(
    UUID table,
    String incarnation,
    int lane,
    long number,
    String putId,
    String ingestor,
    Instant written,
    List<Block> schemas,
    List<WalEntry> entries,
    @Nullable Checkpoint checkpoint) {
  /** Numbers divisible by this carry a checkpoint. */
  public static final int CHECKPOINT_EVERY = 256;

  public SegmentFooter {
    schemas = List.copyOf(schemas);
    entries = List.copyOf(entries);
  }

  /** Batches only, in log order. */
  public List<BatchEntry> batches() {
    return entries.stream()
        .filter(BatchEntry.class::isInstance)
        .map(BatchEntry.class::cast)
        .toList();
  }

  /** Rows of all batches. */
  public long rows() {
    return batches().stream().mapToLong(BatchEntry::rows).sum();
  }

  /** Whether this is a segment of {@code lane}. */
  boolean isOf(LaneId id) {
    return table.equals(id.table().uuid())
        && incarnation.equals(id.incarnation())
        && lane == id.lane();
  }
}
