package io.wings.worker.materialize;

import io.wings.catalog.TenantCatalog;
import io.wings.catalog.commit.CommitOutcome;
import io.wings.catalog.commit.CommitRequest;
import io.wings.catalog.commit.TableChange;
import io.wings.catalog.commit.TableCommits;
import io.wings.catalog.table.AdoptedTable;
import io.wings.catalog.table.TableFiles;
import io.wings.catalog.table.Watermarks;
import io.wings.common.cluster.LaneId;
import io.wings.common.cluster.TableId;
import io.wings.common.concurrent.Threads;
import io.wings.common.error.ErrorKind;
import io.wings.common.error.WingsException;
import io.wings.common.id.Ids;
import io.wings.common.objectstore.ObjectStore;
import io.wings.common.objectstore.StoreException;
import io.wings.common.retry.Attempt;
import io.wings.common.retry.Backoff;
import io.wings.common.retry.Retry;
import io.wings.common.time.Time;
import io.wings.common.wal.Boundaries;
import io.wings.worker.engine.AppendResult;
import io.wings.worker.engine.AppendTarget;
import io.wings.worker.ledger.FileLocations;
import io.wings.worker.ledger.Ledger;
import io.wings.worker.ledger.Ledgers;
import io.wings.worker.materialize.PassObserver.Phase;
import io.wings.worker.table.TableLooks;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.iceberg.AppendFiles;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.Table;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One pass over one table: WAL segments to data files to one commit. Safe for several threads. */
public final class MaterializePass {
  /** What a pass did. */
  public enum Result {
    /** Everything that was there is in the table. */
    DONE,
    /** Its limits were reached, or the table changed under it: there is work for another pass. */
    MORE
  }

  private static final Logger LOG = LoggerFactory.getLogger(MaterializePass.class);
  private static final Backoff BACKOFF =
      new Backoff(Duration.ofMillis(100), Duration.ofSeconds(2), 0.5);

  /** Reads of a boundary before the pass fails. */
  private static final int MAX_READS = 8;

  private final ObjectStore store;
  private final Planner planner;
  private final TableFiles files;
  private final Boundaries boundaries;

  /** Beside NOT_FOUND, what is said of a table that was looked for and not found. */
  private static final Set<String> UNFOUND = Set.of("table-replaced", "search-incomplete");

  private final UnfoundTable unfound;
  private final QuarantineLosses losses;
  private final Ledgers ledgers;
  private final TableCommits commits;
  private final MaterializeSettings settings;
  private final BufferAllocator allocator;
  private final PassObserver observer;
  private final Time time;
  private final Threads threads;
  private final Retry retry;

  /**
   * @param cluster the cluster's id
   * @param store the cluster's
   * @param allocator parent of decoded batches, and of the engine's own
   */
  public MaterializePass(
      String cluster,
      ObjectStore store,
      Ledgers ledgers,
      MaterializeSettings settings,
      BufferAllocator allocator,
      PassObserver observer,
      Time time,
      Ids ids,
      Threads threads) {
    this.store = store;
    this.files = new TableFiles(store, time, ids);
    this.ledgers = ledgers;
    this.commits = new TableCommits(time, ids, BACKOFF);
    this.settings = settings;
    this.allocator = allocator;
    this.observer = observer;
    this.time = time;
    this.threads = threads;
    this.retry = new Retry(time, ids, BACKOFF);
    this.planner =
        new Planner(
            store, new TableLooks(cluster, store, time, ids, BACKOFF, threads), settings, threads);
    this.boundaries = new Boundaries(store, time, ids, BACKOFF);
    this.unfound = new UnfoundTable(store, files, boundaries);
    this.losses = new QuarantineLosses(store, observer);
  }

  /**
   * Runs a pass.
   *
   * @param catalog the table's
   * @throws WingsException what {@link Planner#plan}, the engine and {@link TableCommits} throw;
   *     CORRUPT kinds stop this table until someone has looked
   */
  public Result run(TableId id, TenantCatalog catalog, RowWriter writer)
      throws InterruptedException {
    long start = time.nanos();
    PassPlan plan;
    try {
      plan = planner.plan(id, catalog);
    } catch (WingsException e) {
      if (e.kind() == ErrorKind.NOT_FOUND || UNFOUND.contains(e.code())) {
        unfound.requireNothingWaits(id, e);
        observer.lag(id, null);
        return Result.DONE;
      }
      throw e;
    }
    observer.phase(Phase.PLAN, time.since(start));
    observer.lag(id, plan.oldest());
    if (plan.isEmpty()) {
      files.note(id, plan.table().identifier(), plan.table().watermarks(), plan.table().settings());
      return Result.DONE;
    }
    Ledger ledger =
        ledgers.open(
            id,
            plan.table().incarnation(),
            plan.ranges(),
            FileLocations.data(plan.table().table()),
            FileLocations.metadata(plan.table().table()));
    AppendResult written;
    try {
      written = write(plan, ledger, writer);
    } catch (WingsException e) {
      if (e.kind() == ErrorKind.CORRUPT && wasPruned(plan)) {
        LOG.info("table {}: another pass, and prune, went by during this one", id);
        return Result.MORE;
      }
      throw e;
    }
    return commit(plan, ledger, catalog, written);
  }

  /** Whether a segment of the plan may be gone: then another pass has brought it into the table. */
  private boolean wasPruned(PassPlan plan) {
    return plan.tails().stream()
        .filter(tail -> !tail.isEmpty())
        .anyMatch(tail -> boundary(tail.lane()) > tail.watermark());
  }

  private long boundary(LaneId lane) {
    return retry.run(
        "read of the boundary of lane " + lane,
        MAX_READS,
        _ -> {
          try {
            return Attempt.done(boundaries.require(lane).number());
          } catch (StoreException e) {
            if (!e.retryable()) {
              throw WingsException.unavailable("store-refused", "lane " + lane + ": " + e, e);
            }
            return Attempt.again("store: " + e.getMessage(), e);
          }
        });
  }

  private AppendResult write(PassPlan plan, Ledger ledger, RowWriter writer)
      throws InterruptedException {
    long start = time.nanos();
    List<Prefetch.Source> sources = plan.sources();
    Prefetch prefetch = new Prefetch(store, sources, settings, retry);
    try (SegmentFeed feed =
        new SegmentFeed(
            sources,
            prefetch,
            allocator.newChildAllocator("wings-segments", 0, settings.decodeBytes()))) {
      prefetch.start(threads, settings.fetches());
      AppendResult written =
          writer.append(
              new AppendTarget(plan.table().catalog(), plan.table().table(), ledger.id()), feed);
      requireAllRows(plan, feed.rows(), written);
      observer.phase(Phase.WRITE, time.since(start));
      return written;
    }
  }

  /** The engine's word and the files' own against what the log said. */
  private static void requireAllRows(PassPlan plan, long rows, AppendResult written) {
    long inFiles = written.files().stream().mapToLong(DataFile::recordCount).sum();
    if (written.rows() != rows || inFiles != rows) {
      throw new WingsException(
          ErrorKind.INTERNAL,
          "rows-lost",
          "table %s: the segments hold %d rows, the engine took %d and wrote %d"
              .formatted(plan.table().id(), rows, written.rows(), inFiles));
    }
  }

  private Result commit(PassPlan plan, Ledger ledger, TenantCatalog catalog, AppendResult written) {
    long start = time.nanos();
    AdoptedTable table = plan.table();
    CommitOutcome outcome =
        commits.commit(
            new CommitRequest(
                catalog.catalog(),
                table.identifier(),
                table.id().uuid(),
                new CommitRequest.Marks(
                    Watermarks.PREFIX,
                    table.watermarks().toProperties(),
                    plan.after().toProperties()),
                append(table.table(), written.files()),
                plan.summary(),
                table.settings().maxSnapshots(),
                ledger.id() + "-",
                ledger::beforePost));
    observer.phase(Phase.COMMIT, time.since(start));
    return switch (outcome) {
      case CommitOutcome.Landed(_, long snapshot, boolean leaves) -> {
        ledger.landed(leaves);
        landed(plan, written, snapshot);
        yield plan.more() ? Result.MORE : Result.DONE;
      }
      case CommitOutcome.Moved(_, Map<String, String> marks) -> {
        LOG.warn(
            "table {}: another pass moved the watermarks from {} to {}; {} files of ledger {} stay"
                + " for orphan removal",
            table.id(),
            table.watermarks(),
            marks,
            written.files().size(),
            ledger.id());
        yield Result.MORE;
      }
      case CommitOutcome.Stale(_) -> {
        LOG.info("table {}: its schema, spec or location changed during the pass", table.id());
        yield Result.MORE;
      }
    };
  }

  /**
   * Applies again to any base of the schema and the spec that the files were written for, whose
   * manifests go where the ledger says.
   */
  private static TableChange append(Table written, List<DataFile> files) {
    int schema = written.schema().schemaId();
    int spec = written.spec().specId();
    String metadata = FileLocations.metadata(written);
    return base -> {
      if (base.schema().schemaId() != schema
          || base.spec().specId() != spec
          || !FileLocations.metadata(base).equals(metadata)) {
        return null;
      }
      AppendFiles append = base.newAppend();
      files.forEach(append::appendFile);
      return append;
    };
  }

  private void landed(PassPlan plan, AppendResult written, long snapshot) {
    TableId id = plan.table().id();
    Watermarks after = plan.after();
    files.note(id, plan.table().identifier(), after, plan.table().settings());
    plan.tails().forEach(losses::report);
    observer.landed(
        id, plan.sources().size(), written.rows(), plan.bytes(), written.files().size());
    if (!plan.more()) {
      observer.lag(id, null);
    }
    LOG.info(
        "table {}: {} segments, {} rows, {} files in snapshot {}, watermarks {}",
        id,
        plan.sources().size(),
        written.rows(),
        written.files().size(),
        snapshot,
        after.numbers());
  }
}
