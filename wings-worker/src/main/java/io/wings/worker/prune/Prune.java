package io.wings.worker.prune;

import io.wings.catalog.TenantCatalog;
import io.wings.catalog.table.AdoptedTable;
import io.wings.catalog.table.TableFiles;
import io.wings.common.cluster.Keys;
import io.wings.common.cluster.LaneId;
import io.wings.common.cluster.TableId;
import io.wings.common.error.WingsException;
import io.wings.common.id.Ids;
import io.wings.common.objectstore.ObjectHead;
import io.wings.common.objectstore.ObjectStore;
import io.wings.common.objectstore.StoreClock;
import io.wings.common.objectstore.StoreException;
import io.wings.common.retry.Backoff;
import io.wings.common.time.Time;
import io.wings.common.wal.Boundaries;
import io.wings.common.wal.Boundary;
import io.wings.common.wal.LaneState;
import io.wings.common.wal.SegmentFooter;
import io.wings.common.wal.SegmentReader;
import io.wings.worker.table.TableLooks;
import io.wings.worker.table.TableView;
import java.time.Duration;
import java.time.Instant;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.apache.iceberg.HasTableOperations;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Prunes the lanes of one table. Safe for several threads. */
public final class Prune {
  /** What a run did. */
  public enum Result {
    /** Nothing is left that may go. */
    DONE,
    /** A run's limit was reached. */
    MORE
  }

  /** Segments that one run deletes at most; then other tables get their turn. */
  public static final int MAX_DELETES = 20_000;

  private static final Logger LOG = LoggerFactory.getLogger(Prune.class);

  private final ObjectStore store;
  private final TableLooks looks;
  private final TableFiles files;
  private final Boundaries boundaries;
  private final SegmentReader reader;
  private final StoreClock clock;
  private final PruneObserver observer;

  /**
   * @param store the cluster's
   */
  public Prune(ObjectStore store, TableLooks looks, PruneObserver observer, Time time, Ids ids) {
    this.store = store;
    this.looks = looks;
    this.files = new TableFiles(store, time, ids);
    this.boundaries = new Boundaries(store, time, ids, Backoff.STORE);
    this.reader = new SegmentReader(store);
    this.clock = new StoreClock(store, Keys.CLOCK, ids);
    this.observer = observer;
  }

  /**
   * Prunes.
   *
   * @param catalog the table's
   * @throws WingsException what {@link TableLooks#look} throws; CORRUPT {@code boundary-ahead},
   *     seen twice, and what reading a checkpoint throws: nothing was pruned in that lane
   */
  public Result run(TableId id, TenantCatalog catalog) throws InterruptedException {
    try {
      TableView view = looks.look(id, catalog, Prune::ordered);
      return prune(id, view);
    } catch (StoreException e) {
      throw WingsException.unavailable("store-unavailable", "prune of " + id + ": " + e, e);
    }
  }

  private static TableView ordered(TableView view) {
    AdoptedTable table = view.table();
    for (int lane = 0; lane < table.lanes(); lane++) {
      if (view.boundaries().get(lane).number() > table.watermarks().number(lane)) {
        throw WingsException.corrupt(
            "boundary-ahead",
            "lane %s: segments up to %d may be gone, but only rows up to %d are in the table"
                .formatted(
                    table.lane(lane),
                    view.boundaries().get(lane).number(),
                    table.watermarks().number(lane)));
      }
    }
    return view;
  }

  private Result prune(TableId id, TableView view) throws InterruptedException {
    AdoptedTable table = view.table();
    // Whoever finds the table put back to older metadata later must know how far it had been.
    files.note(id, table.identifier(), table.watermarks(), table.settings());
    List<Long> held =
        RollbackHold.limits(
            ((HasTableOperations) table.table()).operations().current(), table.watermarks());
    Instant now = clock.now();
    Budget budget = new Budget();
    Duration oldest = Duration.ZERO;
    long lag = 0;
    for (int lane = 0; lane < table.lanes(); lane++) {
      long watermark = table.watermarks().number(lane);
      Boundary boundary = view.boundaries().get(lane);
      if (held.get(lane) < watermark) {
        LOG.info(
            "lane {}: a rollback left snapshots with rows of segments after {} outside of every"
                + " branch; these segments stay until those snapshots are expired",
            table.lane(lane),
            held.get(lane));
      }
      LaneAge age = new LaneAge(now, table.settings().walRetention());
      Boundary raised =
          boundary.closed()
              ? boundary
              : lane(table.lane(lane), boundary, held.get(lane), age, budget);
      oldest = age.oldest().compareTo(oldest) > 0 ? age.oldest() : oldest;
      lag += Math.max(0, watermark - raised.number());
    }
    observer.kept(id, oldest, lag);
    return budget.left == 0 ? Result.MORE : Result.DONE;
  }

  /** Deletes that are left of a run. */
  private static final class Budget {
    private int left = MAX_DELETES;
  }

  /**
   * @param limit at most the watermark
   * @return the boundary as it is in the end
   */
  private Boundary lane(LaneId lane, Boundary boundary, long limit, LaneAge age, Budget budget)
      throws InterruptedException {
    long target = target(lane, boundary.number(), limit, age);
    Boundary raised = boundary;
    if (target > boundary.number()) {
      requireCheckpoint(lane, checkpointAbove(target));
      raised = raise(lane, target);
      LOG.info(
          "lane {}: boundary raised from {} to {} (limit {}, retention {})",
          lane,
          boundary.number(),
          raised.number(),
          limit,
          age.retention());
    }
    if (!raised.closed()) {
      delete(lane, raised.number(), budget);
    }
    return raised;
  }

  /**
   * The highest number that may be pruned: each segment up to it is old enough, and a checkpoint is
   * above it.
   */
  private long target(LaneId lane, long boundary, long limit, LaneAge age) {
    long below = Math.min(limit, newestCheckpoint(lane, limit) - 1);
    long target = boundary;
    Iterator<ObjectHead> listing = store.list(Keys.lane(lane), "");
    while (listing.hasNext()) {
      ObjectHead head = listing.next();
      OptionalLong number = Keys.segmentNumber(lane, head.key());
      if (number.isEmpty() || number.getAsLong() <= boundary) {
        continue;
      }
      if (number.getAsLong() > below || !age.isOver(head.modified())) {
        age.keeps(head.modified());
        return target;
      }
      target = number.getAsLong();
    }
    return target;
  }

  /**
   * The newest checkpoint's number as far as one look tells: the one after {@code limit}, if it is
   * there, else the last at or below it.
   */
  private long newestCheckpoint(LaneId lane, long limit) {
    long last = limit - limit % SegmentFooter.CHECKPOINT_EVERY;
    long next = last + SegmentFooter.CHECKPOINT_EVERY;
    return store.head(Keys.segment(lane, next)).isPresent() ? next : last;
  }

  /** The first checkpoint above {@code target}: there, by what {@link #target} found. */
  private static long checkpointAbove(long target) {
    long number = target - target % SegmentFooter.CHECKPOINT_EVERY;
    return number + SegmentFooter.CHECKPOINT_EVERY;
  }

  /** A lane must be open-able from above its boundary. */
  private void requireCheckpoint(LaneId lane, long number) {
    Optional<SegmentFooter> footer = reader.footer(lane, number);
    if (footer.isEmpty()) {
      throw WingsException.corrupt(
          "segment-missing", "lane %s has no segment %d, a checkpoint".formatted(lane, number));
    }
    if (footer.get().checkpoint() == null) {
      throw WingsException.corrupt(
          "segment-corrupt", "segment %d of lane %s has no checkpoint".formatted(number, lane));
    }
    LaneState _ = LaneState.before(lane, footer.get());
  }

  private Boundary raise(LaneId lane, long target) {
    return boundaries
        .object(lane)
        .update(
            current -> {
              Boundary is = current.orElseThrow(() -> missing(lane));
              return is.closed() || is.number() >= target
                  ? Optional.empty()
                  : Optional.of(new Boundary(target, false));
            })
        .orElseThrow(() -> missing(lane));
  }

  private static WingsException missing(LaneId lane) {
    return WingsException.corrupt(
        "boundary-missing", "lane %s has no object %s".formatted(lane, Keys.boundary(lane)));
  }

  /** Deletes at or below the boundary, what an earlier run or a late writer left there too. */
  private void delete(LaneId lane, long boundary, Budget budget) throws InterruptedException {
    long deleted = 0;
    long bytes = 0;
    Iterator<ObjectHead> listing = store.list(Keys.lane(lane), "");
    while (listing.hasNext() && budget.left > 0) {
      ObjectHead head = listing.next();
      OptionalLong number = Keys.segmentNumber(lane, head.key());
      if (number.isEmpty()) {
        continue;
      }
      if (number.getAsLong() > boundary) {
        break;
      }
      if (Thread.interrupted()) {
        throw new InterruptedException("prune was told to stop");
      }
      store.delete(head.key());
      budget.left--;
      deleted++;
      bytes += head.size();
    }
    if (deleted > 0) {
      observer.deleted(lane, deleted, bytes);
      LOG.info("lane {}: {} segments at or below {} deleted", lane, deleted, boundary);
    }
  }
}
