package io.wings.worker.materialize;

import io.wings.catalog.TenantCatalog;
import io.wings.catalog.table.AdoptedTable;
import io.wings.common.cluster.LaneId;
import io.wings.common.cluster.TableId;
import io.wings.common.concurrent.Concurrently;
import io.wings.common.concurrent.Threads;
import io.wings.common.error.WingsException;
import io.wings.common.objectstore.ObjectStore;
import io.wings.worker.table.TableLooks;
import io.wings.worker.table.TableView;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;

/** Plans a pass from a look at the table and a listing of its lanes, in this order. */
final class Planner {
  private final TableLooks looks;
  private final ObjectStore store;
  private final MaterializeSettings settings;
  private final Concurrently lanes;

  Planner(ObjectStore store, TableLooks looks, MaterializeSettings settings, Threads threads) {
    this.looks = looks;
    this.store = store;
    this.settings = settings;
    this.lanes = new Concurrently(threads, "plan-lanes", LaneId.AT_ONCE);
  }

  /**
   * @throws WingsException what {@link TableLooks#look} throws; {@code boundary-ahead}, {@code
   *     watermark-ahead}, {@code segment-missing}, seen twice
   */
  PassPlan plan(TableId table, TenantCatalog catalog) {
    return looks.look(table, catalog, this::plan);
  }

  private PassPlan plan(TableView view) {
    AdoptedTable table = view.table();
    List<LaneScan> scans =
        lanes.map(
            IntStream.range(0, table.lanes()).boxed().toList(),
            lane ->
                LaneScan.open(
                    store,
                    table.lane(lane),
                    view.boundaries().get(lane).number(),
                    table.watermarks().number(lane),
                    Set.copyOf(view.file().quarantined().get(lane))));
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
