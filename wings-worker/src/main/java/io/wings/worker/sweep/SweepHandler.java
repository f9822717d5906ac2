package io.wings.worker.sweep;

import io.wings.catalog.table.MaterializeTask;
import io.wings.catalog.table.TableFile;
import io.wings.catalog.table.TableFiles;
import io.wings.catalog.table.TableTask;
import io.wings.common.cluster.Keys;
import io.wings.common.cluster.TableId;
import io.wings.common.error.WingsException;
import io.wings.common.id.Ids;
import io.wings.common.objectstore.ObjectHead;
import io.wings.common.objectstore.ObjectStore;
import io.wings.common.objectstore.PatientListing;
import io.wings.common.objectstore.StoreClock;
import io.wings.common.objectstore.StoreException;
import io.wings.common.queue.Task;
import io.wings.common.queue.TaskQueue;
import io.wings.common.retry.Backoff;
import io.wings.common.retry.Retry;
import io.wings.common.time.Time;
import io.wings.common.wal.SegmentFooter;
import io.wings.worker.lease.TaskHandler;
import io.wings.worker.orphan.OrphanHandler;
import io.wings.worker.prune.PruneHandler;
import java.time.Duration;
import java.time.Instant;
import java.util.Iterator;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs a sweep. */
public final class SweepHandler implements TaskHandler {
  public static final String KIND = "sweep";

  /** How many prunes of a table come in a retention's time, at most. */
  private static final int PRUNES_PER_RETENTION = 16;

  private static final Duration MAX_PRUNE_SLACK = Duration.ofHours(1);

  private static final Logger LOG = LoggerFactory.getLogger(SweepHandler.class);

  /** A removal reads all ledgers of its table, so it isn't asked for whenever one is due. */
  private static final int LOOKS_IN_A_GRACE = 24;

  private final ObjectStore store;
  private final TableFiles files;
  private final TaskQueue queue;
  private final StoreClock clock;
  private final Duration worthALook;
  private final Retry retry;

  /**
   * @param store the cluster's
   * @param orphanGrace ledgers that have been left alone for so long, and a little longer so that
   *     there are some, are worth a look
   */
  public SweepHandler(
      ObjectStore store,
      TableFiles files,
      TaskQueue queue,
      Duration orphanGrace,
      Time time,
      Ids ids) {
    this.worthALook = orphanGrace.plus(orphanGrace.dividedBy(LOOKS_IN_A_GRACE));
    this.store = store;
    this.clock = new StoreClock(store, Keys.CLOCK, ids);
    this.retry = new Retry(time, ids, Backoff.STORE);
    this.files = files;
    this.queue = queue;
  }

  @Override
  public void run(Task task) throws InterruptedException {
    Set<String> named = queue.list().stream().map(Task::key).collect(Collectors.toSet());
    Sweep sweep;
    try {
      sweep = new Sweep(named, clock.now());
      Iterator<ObjectHead> listing = new PatientListing(store, Keys.CATALOGS, retry);
      while (listing.hasNext()) {
        if (Thread.interrupted()) {
          throw new InterruptedException("the sweep was told to stop");
        }
        ObjectHead head = listing.next();
        TableKey.parse(head.key()).ifPresent(key -> sweep.saw(key, head.modified()));
      }
      sweep.found.schedule();
    } catch (StoreException e) {
      throw WingsException.unavailable("store-unavailable", "sweep: " + e.getMessage(), e);
    }
    LOG.info(
        "sweep: {} tables, {} of them behind without a task, {} to prune",
        sweep.tables,
        sweep.behind,
        sweep.toPrune);
    if (sweep.found.refused() > 0) {
      LOG.warn(
          "sweep: {} tasks of catalogs {} were left to the next sweep: the tasks that these have in the queue take their whole share of it (queue-full)",
          sweep.found.refused(),
          sweep.found.full());
    }
  }

  /**
   * One run. Keys come in order, and a table's segments come before its {@code table.json}, so one
   * table is known at a time.
   */
  private final class Sweep {
    private final Set<String> named;
    private final Instant now;
    private final FoundTasks found = new FoundTasks(queue);
    private @Nullable TableHeads current;
    private long tables;
    private long behind;
    private long toPrune;

    Sweep(Set<String> named, Instant now) {
      this.named = named;
      this.now = now;
    }

    void saw(TableKey key, Instant modified) {
      TableHeads heads = current;
      if (heads == null || !heads.table().equals(key.table())) {
        heads = new TableHeads(key.table());
        current = heads;
      }
      switch (key) {
        case TableKey.Segment(_, String incarnation, int lane, long number) ->
            heads.saw(incarnation, lane, number, modified);
        case TableKey.File(TableId table) -> {
          tables++;
          compare(table, heads);
        }
        case TableKey.Ledger(_) -> heads.sawLedger(modified);
        case TableKey.Other(_) -> {}
      }
    }

    private void compare(TableId table, TableHeads heads) {
      MaterializeTask materialize = new MaterializeTask(table);
      TableTask prune = new TableTask(PruneHandler.KIND, table);
      TableTask orphans = new TableTask(OrphanHandler.KIND, table);
      Instant ledger = heads.oldestLedger();
      if (ledger != null
          && !named.contains(orphans.key())
          && Duration.between(ledger, now).compareTo(worthALook) >= 0) {
        found.add(table.catalog(), orphans.spec(Duration.ZERO));
      }
      if (named.contains(materialize.key()) && named.contains(prune.key())) {
        return;
      }
      Optional<TableFile> read = read(table);
      if (read.isEmpty()) {
        return;
      }
      TableFile file = read.get();
      if (!named.contains(materialize.key()) && isBehind(file, heads)) {
        behind++;
        found.add(table.catalog(), materialize.spec(Duration.ZERO));
      }
      if (!named.contains(prune.key()) && boundaryLags(file, heads)) {
        toPrune++;
        found.add(table.catalog(), prune.spec(Duration.ZERO));
      }
    }

    /** One table's unreadable file must not keep the others from being seen. */
    private Optional<TableFile> read(TableId table) {
      try {
        return files.read(table);
      } catch (WingsException e) {
        LOG.error("sweep: table {} is left out: {}", table, e.getMessage());
        return Optional.empty();
      }
    }

    private static boolean isBehind(TableFile file, TableHeads heads) {
      for (int lane = 0; lane < file.lanes(); lane++) {
        long watermark = file.watermarks().get(lane);
        if (heads.span(file.incarnation(), lane).filter(s -> s.last() > watermark).isPresent()) {
          return true;
        }
      }
      return false;
    }

    /**
     * Whether a lane's first segment may go by what is known here, and has been able to for a
     * while: so a table's prunes are few.
     */
    private boolean boundaryLags(TableFile file, TableHeads heads) {
      Duration retention = file.walRetention();
      Duration slack = retention.dividedBy(PRUNES_PER_RETENTION);
      Duration patience =
          retention.plus(slack.compareTo(MAX_PRUNE_SLACK) < 0 ? slack : MAX_PRUNE_SLACK);
      for (int lane = 0; lane < file.lanes(); lane++) {
        long watermark = file.watermarks().get(lane);
        if (heads
            .span(file.incarnation(), lane)
            .filter(span -> span.first() <= watermark && span.first() < newestCheckpoint(span))
            .filter(span -> Duration.between(span.modified(), now).compareTo(patience) >= 0)
            .isPresent()) {
          return true;
        }
      }
      return false;
    }

    private static long newestCheckpoint(TableHeads.Span span) {
      return span.last() - span.last() % SegmentFooter.CHECKPOINT_EVERY;
    }
  }
}
