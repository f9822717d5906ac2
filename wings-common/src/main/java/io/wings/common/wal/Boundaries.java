package io.wings.common.wal;

import io.wings.common.cas.CasObject;
import io.wings.common.cas.JsonCodec;
import io.wings.common.cluster.Keys;
import io.wings.common.cluster.LaneId;
import io.wings.common.error.WingsException;
import io.wings.common.id.Ids;
import io.wings.common.objectstore.ObjectStore;
import io.wings.common.retry.Backoff;
import io.wings.common.time.Time;
import java.util.Optional;

/** The boundary objects of lanes. */
public final class Boundaries {
  private static final JsonCodec<Boundary> CODEC = JsonCodec.tolerant(Boundary.class);

  private final ObjectStore store;
  private final Time time;
  private final Ids ids;
  private final Backoff backoff;

  public Boundaries(ObjectStore store, Time time, Ids ids, Backoff backoff) {
    this.store = store;
    this.time = time;
    this.ids = ids;
    this.backoff = backoff;
  }

  /** The object, for those that change it. */
  public CasObject<Boundary> object(LaneId lane) {
    return new CasObject<>(store, Keys.boundary(lane), CODEC, time, ids, backoff);
  }

  /** Creates the lane's boundary at 0 unless there is one; returns what is there. */
  public Boundary createIfAbsent(LaneId lane) {
    return object(lane).createIfAbsent(Boundary.NONE);
  }

  /** The lane's boundary, or empty where adoption has made none. */
  public Optional<Boundary> read(LaneId lane) {
    return object(lane).read();
  }

  /**
   * The lane's boundary.
   *
   * @throws WingsException CORRUPT {@code boundary-missing}: an adopted lane has one, for ever
   */
  public Boundary require(LaneId lane) {
    return read(lane)
        .orElseThrow(
            () ->
                WingsException.corrupt(
                    "boundary-missing",
                    "lane %s has no object %s; it is made by adoption and never deleted"
                        .formatted(lane, Keys.boundary(lane))));
  }
}
