package io.wings.worker.materialize;

import io.wings.catalog.TenantCatalog;
import io.wings.catalog.table.AdoptedTable;
import io.wings.catalog.table.Adoption;
import io.wings.catalog.table.TableFile;
import io.wings.catalog.table.TableFiles;
import io.wings.common.cluster.LaneId;
import io.wings.common.cluster.TableId;
import io.wings.common.error.ErrorKind;
import io.wings.common.error.WingsException;
import io.wings.common.objectstore.ObjectStore;
import io.wings.common.objectstore.StoreException;
import io.wings.common.retry.Attempt;
import io.wings.common.retry.Retry;
import io.wings.common.wal.Boundaries;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Looks at a table: boundary, watermark, head, in that order, each of which only grows. What
 * contradicts boundary <= watermark <= head is looked at a second time.
 */
final class Planner {
  /** Looks at a store that fails. */
  private static final int MAX_LOOKS = 8;

  private final TableFiles files;
  private final Boundaries boundaries;
  private final Adoption adoption;
  private final ObjectStore store;
  private final MaterializeSettings settings;
  private final Retry retry;

  Planner(
      ObjectStore store,
      TableFiles files,
      Boundaries boundaries,
      Adoption adoption,
      MaterializeSettings settings,
      Retry retry) {
    this.files = files;
    this.boundaries = boundaries;
    this.adoption = adoption;
    this.store = store;
    this.settings = settings;
    this.retry = retry;
  }

  /**
   * @throws WingsException {@code table-not-adopted}, {@code table-replaced}; what {@link
   *     Adoption#load} throws; {@code boundary-missing}, {@code boundary-ahead}, {@code
   *     watermark-ahead}, {@code segment-missing}, seen twice
   */
  PassPlan plan(TableId table, TenantCatalog catalog) {
    AtomicBoolean looked = new AtomicBoolean();
    return retry.run("look at table " + table, MAX_LOOKS, _ -> look(table, catalog, looked));
  }

  private Attempt<PassPlan> look(TableId table, TenantCatalog catalog, AtomicBoolean looked) {
    try {
      return Attempt.done(look(table, catalog));
    } catch (WingsException e) {
      if (e.kind() == ErrorKind.CORRUPT && looked.compareAndSet(false, true)) {
        return Attempt.again(String.valueOf(e.getMessage()), e);
      }
      throw e;
    } catch (StoreException e) {
      if (!e.retryable()) {
        throw WingsException.unavailable("store-refused", "table " + table + ": " + e, e);
      }
      return Attempt.again("store: " + e.getMessage(), e);
    }
  }

  private PassPlan look(TableId id, TenantCatalog catalog) {
    TableFile file =
        files
            .read(id)
            .orElseThrow(
                () ->
                    WingsException.notFound(
                        "table-not-adopted", "table " + id + " has no table.json"));
    long[] below = new long[file.lanes()];
    for (int lane = 0; lane < file.lanes(); lane++) {
      below[lane] = boundaries.require(new LaneId(id, file.incarnation(), lane)).number();
    }
    AdoptedTable table = adoption.load(id.catalog(), catalog.catalog(), file.identifier());
    if (!table.id().equals(id)) {
      throw WingsException.corrupt(
          "table-replaced",
          "%s is now table %s; the WAL of %s stays until a person decides"
              .formatted(file.identifier(), table.id().uuid(), id.uuid()));
    }
    if (!file.isOf(table.watermarks())) {
      throw WingsException.corrupt(
          "watermark-invalid", "table " + id + " changed its incarnation while it was looked at");
    }
    List<LaneScan> scans = new ArrayList<>();
    for (int lane = 0; lane < file.lanes(); lane++) {
      scans.add(
          LaneScan.open(
              store,
              table.lane(lane),
              below[lane],
              table.watermarks().number(lane),
              Set.copyOf(file.quarantined().get(lane))));
    }
    fill(scans);
    return new PassPlan(table, scans.stream().map(LaneScan::tail).toList());
  }

  /**
   * Takes segments until a limit of the pass is reached: in rounds, one segment of each lane, the
   * lane whose next one is oldest first. So a lane with a backlog leaves room for the others, and
   * one that got none is among the first in the passes that follow.
   */
  private void fill(List<LaneScan> scans) {
    long bytes = settings.passBytes();
    int count = settings.passSegments();
    List<Turn> round = round(scans);
    while (!round.isEmpty()) {
      for (Turn turn : round) {
        boolean first = count == settings.passSegments();
        if (count == 0 || (!first && turn.segment.size() > bytes)) {
          return;
        }
        turn.scan.take();
        bytes -= turn.segment.size();
        count--;
      }
      round = round(scans);
    }
  }

  /** A lane's next segment. */
  private record Turn(LaneScan scan, SegmentObject segment) {}

  private static List<Turn> round(List<LaneScan> scans) {
    List<Turn> round = new ArrayList<>();
    for (LaneScan scan : scans) {
      SegmentObject next = scan.next();
      if (next != null) {
        round.add(new Turn(scan, next));
      }
    }
    round.sort(Comparator.comparing(turn -> turn.segment.modified()));
    return round;
  }
}
