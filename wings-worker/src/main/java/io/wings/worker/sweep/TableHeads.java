package io.wings.worker.sweep;

import io.wings.common.cluster.TableId;
import java.util.HashMap;
import java.util.Map;

/** The highest segment of each lane of one table, as a listing passes over them. */
final class TableHeads {
  /** Lanes and incarnations together; more than any table comes to. */
  private static final int MAX_LANES = 10_000;

  private record Lane(String incarnation, int lane) {}

  private final TableId table;
  private final Map<Lane, Long> heads = new HashMap<>();

  TableHeads(TableId table) {
    this.table = table;
  }

  TableId table() {
    return table;
  }

  void saw(String incarnation, int lane, long number) {
    Lane key = new Lane(incarnation, lane);
    if (heads.size() < MAX_LANES || heads.containsKey(key)) {
      heads.merge(key, number, Math::max);
    }
  }

  /** 0 when the lane has no segment. */
  long head(String incarnation, int lane) {
    return heads.getOrDefault(new Lane(incarnation, lane), 0L);
  }
}
