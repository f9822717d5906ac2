package io.wings.ingestor.lane;

import io.wings.common.concurrent.Threads;
import io.wings.common.id.Ids;
import io.wings.common.objectstore.ObjectStore;
import io.wings.common.retry.Backoff;
import io.wings.common.time.Time;
import io.wings.common.wal.LaneOpener;

/** What all lanes of a process share. */
record LaneContext(
    ObjectStore store,
    LaneSettings settings,
    LaneObserver observer,
    Time time,
    Ids ids,
    Threads threads,
    Backoff backoff,
    LaneOpener opener) {
  LaneContext(
      ObjectStore store,
      LaneSettings settings,
      LaneObserver observer,
      Time time,
      Ids ids,
      Threads threads,
      Backoff backoff) {
    this(
        store,
        settings,
        observer,
        time,
        ids,
        threads,
        backoff,
        new LaneOpener(store, time, ids, threads, backoff));
  }
}
