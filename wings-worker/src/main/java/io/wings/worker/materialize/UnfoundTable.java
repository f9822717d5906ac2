package io.wings.worker.materialize;

import io.wings.catalog.table.TableFile;
import io.wings.catalog.table.TableFiles;
import io.wings.common.cluster.LaneId;
import io.wings.common.cluster.TableId;
import io.wings.common.error.WingsException;
import io.wings.common.objectstore.ObjectStore;
import io.wings.common.objectstore.StoreException;
import io.wings.common.wal.Boundaries;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A table that no name was found for. It may have been dropped, or a grant is gone: nothing is
 * deleted here. What counts is whether acknowledged rows wait for it.
 */
final class UnfoundTable {
  /** Segments that are counted; of more it is said that there are more. */
  private static final int MAX_COUNTED = 10_000;

  private static final Logger LOG = LoggerFactory.getLogger(UnfoundTable.class);

  private final ObjectStore store;
  private final TableFiles files;
  private final Boundaries boundaries;

  UnfoundTable(ObjectStore store, TableFiles files, Boundaries boundaries) {
    this.store = store;
    this.files = files;
    this.boundaries = boundaries;
  }

  /**
   * Returns when nothing is to be done: the table was forgotten, or nothing waits in its log.
   *
   * @param notFound {@code table-not-found}, {@code table-replaced}, or {@code search-incomplete}
   * @throws WingsException the same, with what waits and what a person can do; or {@code notFound}
   *     itself where the log can't be looked at now
   */
  void requireNothingWaits(TableId id, WingsException notFound) {
    Waiting waiting;
    try {
      Optional<TableFile> file = files.read(id);
      if (file.isEmpty()) {
        LOG.info("table {} is none of this cluster's any more; nothing is done", id);
        return;
      }
      waiting = count(id, file.get());
    } catch (WingsException | StoreException e) {
      LOG.warn("table {}: its log can't be looked at: {}", id, e.getMessage());
      throw notFound;
    }
    if (waiting.segments == 0) {
      LOG.info("{}; nothing waits in its log", notFound.getMessage());
      return;
    }
    throw new WingsException(
        notFound.kind(),
        notFound.code(),
        "%s; %s%d segments (%d bytes) of acknowledged batches wait there: bring the table or the grant back, or give them up with `wings table forget`"
            .formatted(
                notFound.detail(),
                waiting.segments == MAX_COUNTED ? "more than " : "",
                waiting.segments,
                waiting.bytes),
        notFound);
  }

  private record Waiting(int segments, long bytes) {}

  /** After the last known watermarks, which may be behind the table's own. */
  private Waiting count(TableId id, TableFile file) {
    int segments = 0;
    long bytes = 0;
    for (int lane = 0; lane < file.lanes(); lane++) {
      LaneId of = new LaneId(id, file.incarnation(), lane);
      long boundary = boundaries.require(of).number();
      long known = Math.max(boundary, file.watermarks().get(lane));
      LaneScan scan =
          LaneScan.open(store, of, boundary, known, Set.copyOf(file.quarantined().get(lane)));
      for (SegmentObject next = scan.next();
          next != null && segments < MAX_COUNTED;
          next = scan.next()) {
        segments++;
        bytes += next.size();
        scan.take();
      }
    }
    return new Waiting(segments, bytes);
  }
}
