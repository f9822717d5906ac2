package io.wings.catalog.table;

import io.wings.common.cas.CasObject;
import io.wings.common.cas.JsonCodec;
import io.wings.common.cluster.Keys;
import io.wings.common.cluster.LaneId;
import io.wings.common.id.Ids;
import io.wings.common.objectstore.ObjectStore;
import io.wings.common.retry.Backoff;
import io.wings.common.time.Time;

/** Creates the boundaries of a table that is being adopted. */
final class LaneBoundaries {
  private record Boundary(long number, boolean closed) {}

  private static final JsonCodec<Boundary> CODEC = new JsonCodec<>(Boundary.class);

  private final ObjectStore store;
  private final Time time;
  private final Ids ids;

  LaneBoundaries(ObjectStore store, Time time, Ids ids) {
    this.store = store;
    this.time = time;
    this.ids = ids;
  }

  /** Creates the lane's boundary at 0 unless there is one. */
  void createIfAbsent(LaneId lane) {
    new CasObject<>(store, Keys.boundary(lane), CODEC, time, ids, Backoff.STORE)
        .createIfAbsent(new Boundary(0, false));
  }
}
