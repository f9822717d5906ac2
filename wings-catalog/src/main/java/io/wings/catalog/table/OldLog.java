package io.wings.catalog.table;

import io.wings.common.cluster.LaneId;
import io.wings.common.cluster.TableId;
import java.util.ArrayList;
import java.util.List;

/**
 * A log that a table had, as a re-adoption finds it.
 *
 * @param since by lane: rows up to this number are in the table as far as its properties say; 0
 *     where they say nothing of this log
 * @param current the table is exactly there: its log and its properties agree
 */
record OldLog(TableId table, String incarnation, List<Long> since, boolean current) {
  OldLog {
    since = List.copyOf(since);
  }

  int lanes() {
    return since.size();
  }

  LaneId lane(int lane) {
    return new LaneId(table, incarnation, lane);
  }

  List<LaneId> all() {
    List<LaneId> all = new ArrayList<>(lanes());
    for (int lane = 0; lane < lanes(); lane++) {
      all.add(lane(lane));
    }
    return all;
  }
}
