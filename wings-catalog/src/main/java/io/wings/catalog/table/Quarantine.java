package io.wings.catalog.table;

import io.wings.common.cluster.Keys;
import io.wings.common.cluster.LaneId;
import io.wings.common.error.WingsException;
import io.wings.common.id.Ids;
import io.wings.common.objectstore.Body;
import io.wings.common.objectstore.ObjectStore;
import io.wings.common.objectstore.PutCondition;
import io.wings.common.objectstore.PutOutcome;
import io.wings.common.objectstore.StoreException;
import io.wings.common.objectstore.StoredObject;
import io.wings.common.time.Time;
import java.util.Optional;

/**
 * Takes a segment that can't be read out of a table's way: its bytes are copied aside, its number
 * goes into {@code table.json}, and the next pass steps over it and says what it lost. Only a
 * person decides that.
 */
public final class Quarantine {
  private final ObjectStore store;
  private final TableFiles files;

  /**
   * @param store the cluster's
   */
  public Quarantine(ObjectStore store, Time time, Ids ids) {
    this.store = store;
    this.files = new TableFiles(store, time, ids);
  }

  /**
   * Quarantines one number. Doing it again changes nothing.
   *
   * @return where the copy is; empty when there is no such segment, only a hole in the log
   * @throws WingsException INVALID {@code segment-unknown}: the log hasn't come to this number, and
   *     what may yet be written there must not be skipped; {@code segment-passed}: its rows are in
   *     the table; {@code incarnation-over}; CORRUPT {@code table-file-missing}; UNAVAILABLE {@code
   *     store-unavailable}
   */
  public Optional<String> put(LaneId lane, long number) {
    try {
      return copied(lane, number);
    } catch (StoreException e) {
      throw WingsException.unavailable(
          "store-unavailable", "quarantine of %s/%d: %s".formatted(lane, number, e), e);
    }
  }

  private Optional<String> copied(LaneId lane, long number) {
    boolean passed =
        files
            .read(lane.table())
            .filter(file -> file.incarnation().equals(lane.incarnation()))
            .filter(file -> lane.lane() < file.lanes())
            .filter(file -> file.watermarks().get(lane.lane()) >= number)
            .isPresent();
    if (passed) {
      throw WingsException.invalid(
          "segment-passed",
          "segment %d of lane %s is at or below the watermark: its rows are in the table"
              .formatted(number, lane));
    }
    Optional<StoredObject> segment = store.get(Keys.segment(lane, number));
    if (segment.isEmpty() && store.head(Keys.segment(lane, number + 1)).isEmpty()) {
      throw WingsException.invalid(
          "segment-unknown",
          "lane %s has no segment %d, nor one after it; only what is in the log can be skipped"
              .formatted(lane, number));
    }
    Optional<String> copy = segment.map(object -> copy(lane, number, object));
    TableFile _ = files.quarantine(lane, number);
    return copy;
  }

  private String copy(LaneId lane, long number, StoredObject segment) {
    String key = Keys.quarantined(lane, number);
    PutOutcome outcome = store.put(key, Body.of(segment.bytes()), PutCondition.any());
    if (!(outcome instanceof PutOutcome.Written) && store.head(key).isEmpty()) {
      throw WingsException.unavailable(
          "store-unavailable", "the copy of the segment wasn't written to " + key, null);
    }
    return key;
  }
}
