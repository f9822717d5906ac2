package io.wings.catalog.table;

import io.wings.catalog.commit.CommitOutcome;
import io.wings.catalog.commit.CommitRequest;
import io.wings.catalog.commit.TableChange;
import io.wings.catalog.commit.TableCommits;
import io.wings.common.cluster.CatalogName;
import io.wings.common.cluster.Keys;
import io.wings.common.cluster.LaneId;
import io.wings.common.cluster.TableId;
import io.wings.common.concurrent.Threads;
import io.wings.common.error.ErrorKind;
import io.wings.common.error.WingsException;
import io.wings.common.id.Ids;
import io.wings.common.objectstore.ObjectStore;
import io.wings.common.objectstore.PutCondition;
import io.wings.common.objectstore.PutOutcome;
import io.wings.common.retry.Attempt;
import io.wings.common.retry.Backoff;
import io.wings.common.retry.Retry;
import io.wings.common.time.Time;
import io.wings.common.wal.Boundaries;
import io.wings.common.wal.Boundary;
import io.wings.common.wal.Checkpoint;
import io.wings.common.wal.LaneOpener;
import io.wings.common.wal.LaneRemains;
import io.wings.common.wal.LaneRules;
import io.wings.common.wal.LaneSuccession;
import io.wings.common.wal.SegmentWriter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.iceberg.catalog.Catalog;
import org.apache.iceberg.catalog.TableIdentifier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives a table a new log: after a restore, a copy, a move to another cluster, or when its log
 * can't be read any more. Only a person asks for it.
 *
 * <p>In this order, so that nothing acknowledged is doubled or silently dropped, wherever it stops:
 * {@link #close} closes the old lanes by CAS; from then on no conclusion can be drawn from them, so
 * every batch that was acknowledged is at or below the heads that are read afterwards. The caller
 * waits until the workers have materialised up to there. {@link #adopt} writes the first segments
 * of the new incarnation, with the old producers as of exactly the watermarks that the adopting
 * commit replaces: when another pass moves them meanwhile, it starts over. {@code table.json} comes
 * last; a re-adoption that stopped before it is finished by the next.
 *
 * <p>Where the table's watermarks are not those of the old log (it was restored), nothing is known
 * of what is in it: the new lanes remember no producer, and that they have forgotten.
 */
public final class Readoption {
  /** Rounds of one adoption against passes that move the watermarks. */
  private static final int MAX_ROUNDS = 10;

  private static final Logger LOG = LoggerFactory.getLogger(Readoption.class);

  private static final int MAX_PUTS = 40;
  private static final String WRITER = "table-adopt";

  private final String cluster;
  private final Side here;
  private final Side there;
  private final TableCommits commits;
  private final Adoption adoption;
  private final Retry retry;
  private final Time time;
  private final Ids ids;

  /**
   * Under whose log a table is.
   *
   * @param cluster its id
   * @param catalog the name under which that cluster adopted the table
   */
  public record Home(String cluster, CatalogName catalog) {}

  /** A cluster's store, and what it has of tables. */
  private record Side(
      ObjectStore store, TableFiles files, Boundaries boundaries, LaneOpener opener) {
    static Side of(ObjectStore store, Time time, Ids ids, Threads threads) {
      return new Side(
          store,
          new TableFiles(store, time, ids),
          new Boundaries(store, time, ids, Backoff.STORE),
          new LaneOpener(store, time, ids, threads, Backoff.STORE));
    }

    boolean closed(LaneId lane) {
      return boundaries.read(lane).map(Boundary::closed).orElse(false);
    }

    boolean open(LaneId lane) {
      return boundaries.read(lane).map(boundary -> !boundary.closed()).orElse(false);
    }

    long boundary(LaneId lane) {
      return boundaries.read(lane).map(Boundary::number).orElse(0L);
    }
  }

  /**
   * @param cluster the cluster's id
   * @param store the cluster's
   * @param old where the tables' old logs are: the same, or the store of the cluster that they are
   *     moved from
   */
  public Readoption(
      String cluster, ObjectStore store, ObjectStore old, Time time, Ids ids, Threads threads) {
    this.cluster = cluster;
    this.here = Side.of(store, time, ids, threads);
    this.there = Side.of(old, time, ids, threads);
    this.commits = new TableCommits(time, ids, Backoff.STORE);
    this.adoption = new Adoption(cluster, store, time, ids, threads);
    this.retry = new Retry(time, ids, Backoff.STORE);
    this.time = time;
    this.ids = ids;
  }

  /** How a table stands to this cluster's log of it. */
  public sealed interface Standing {
    /** It has no log here: an ordinary adoption does. */
    record Fresh() implements Standing {}

    /** Its log is its own and open; nothing needs to be done. */
    record Sound(AdoptedTable table) implements Standing {}

    /** Its log is its own, and closed: a re-adoption goes on with its producers. */
    record Closed(AdoptedTable table) implements Standing {}

    /** A re-adoption was committed and not ended. */
    record Unfinished() implements Standing {}

    /**
     * Its watermarks are not those of the log: it was restored, copied or moved.
     *
     * @param why for people
     */
    record Apart(String why) implements Standing {}
  }

  /**
   * Looks.
   *
   * @param from whose watermarks the table may have: this cluster's under this name, or those of
   *     where it is moved from
   * @throws WingsException {@code table-not-found}, {@code table-adopted-elsewhere} for watermarks
   *     of a third
   */
  public Standing look(CatalogName name, Catalog catalog, TableIdentifier table, Home from) {
    View view = view(name, catalog, table, from);
    Optional<TableFile> file = view.file;
    if (!(view.reading instanceof Watermarks.Reading.Own(Watermarks own))) {
      return file.isEmpty()
          ? new Standing.Fresh()
          : new Standing.Apart("the table's properties have lost the watermarks");
    }
    List<LaneId> lanes = view.log(own).all();
    if (!own.cluster().equals(cluster)) {
      return new Standing.Apart("it is under cluster " + own.cluster());
    }
    if (!view.old.equals(view.id)) {
      return new Standing.Apart("it was adopted under catalog " + view.old.catalog());
    }
    if (file.isEmpty()) {
      return lanes.stream().anyMatch(here::closed)
          ? new Standing.Apart("its log was closed and forgotten")
          : new Standing.Fresh();
    }
    if (!file.get().isOf(own)) {
      boolean successor =
          lanes.stream().allMatch(here::open)
              && fileLog(view.old, file.get()).all().stream().allMatch(here::closed);
      return successor
          ? new Standing.Unfinished()
          : new Standing.Apart("its watermarks are of another incarnation, " + own.incarnation());
    }
    if (!file.get().notAheadOf(own)) {
      return new Standing.Apart(
          "its watermarks %s are older than %s, which were known"
              .formatted(own.numbers(), file.get().watermarks()));
    }
    AdoptedTable adopted =
        new AdoptedTable(table, view.id, own, view.load.requireSupported(), view.load.table());
    return lanes.stream().anyMatch(here::closed)
        ? new Standing.Closed(adopted)
        : new Standing.Sound(adopted);
  }

  /**
   * The table, and what a store has of it.
   *
   * @param id as it is adopted here
   * @param old under which its log is, if it has one
   * @param side where that is
   */
  private record View(
      TableLoad load,
      TableId id,
      TableId old,
      Watermarks.Reading reading,
      Side side,
      Optional<TableFile> file) {
    OldLog log(Watermarks own) {
      boolean current = file.isPresent() && file.get().isOf(own) && file.get().notAheadOf(own);
      return new OldLog(old, own.incarnation(), own.numbers(), current);
    }

    /** All logs that may have open lanes, the table's own first. */
    List<OldLog> logs() {
      List<OldLog> logs = new ArrayList<>();
      if (reading instanceof Watermarks.Reading.Own(Watermarks own)) {
        logs.add(log(own));
      }
      file.filter(f -> logs.stream().noneMatch(log -> log.incarnation().equals(f.incarnation())))
          .ifPresent(f -> logs.add(fileLog(old, f)));
      return logs;
    }
  }

  private static OldLog fileLog(TableId id, TableFile file) {
    return new OldLog(
        id, file.incarnation(), file.watermarks().stream().map(_ -> 0L).toList(), false);
  }

  private View view(CatalogName name, Catalog catalog, TableIdentifier table, Home from) {
    TableLoad load = TableLoad.fresh(catalog, table);
    TableId id = new TableId(name, load.uuid());
    Map<String, String> properties = load.metadata().properties();
    Watermarks.Reading own = Watermarks.read(properties, cluster, name, load.uuid());
    Home here = new Home(cluster, name);
    if (isHere(own, from) || from.equals(here)) {
      refuseForeign(load, own, here);
      return new View(load, id, id, own, this.here, this.here.files().read(id));
    }
    Side side = from.cluster().equals(cluster) ? this.here : there;
    TableId before = new TableId(from.catalog(), load.uuid());
    Watermarks.Reading old =
        Watermarks.read(properties, from.cluster(), from.catalog(), load.uuid());
    refuseForeign(load, old, here);
    return new View(load, id, before, old, side, side.files().read(before));
  }

  /** Older versions don't say under which catalog: then it is where the person says. */
  private boolean isHere(Watermarks.Reading reading, Home from) {
    return reading instanceof Watermarks.Reading.Own(Watermarks own)
        && (own.catalog() != null || !from.cluster().equals(cluster));
  }

  private static void refuseForeign(TableLoad load, Watermarks.Reading reading, Home here) {
    if (reading instanceof Watermarks.Reading.Foreign(Watermarks foreign)) {
      CatalogName catalog = foreign.catalog();
      String fromCatalog =
          catalog == null || catalog.equals(here.catalog()) ? "" : " --from-catalog " + catalog;
      throw WingsException.invalid(
          "table-adopted-elsewhere",
          foreign.cluster().equals(here.cluster())
              ? "%s was adopted under catalog %s of this cluster; to take it from there say%s"
                  .formatted(load.name(), catalog, fromCatalog)
              : "%s is under Wings cluster %s; to take it from there say --from %s%s and where its store is (--old-store)"
                  .formatted(load.name(), foreign.cluster(), foreign.cluster(), fromCatalog));
    }
  }

  /**
   * What is in a lane's log and, as far as the table's properties say, not in the table.
   *
   * @param since up to which number the table says that it has the lane's rows
   * @param gone numbers above that whose segments have been pruned
   */
  public record Left(LaneId lane, long since, long gone, LaneRemains remains) {
    public boolean nothing() {
      return gone == 0 && remains.segments() == 0;
    }
  }

  /** Tells it, of all lanes that the table has had and not left behind in a re-adoption. */
  public List<Left> left(CatalogName name, Catalog catalog, TableIdentifier table, Home from) {
    View view = view(name, catalog, table, from);
    List<Left> left = new ArrayList<>();
    for (OldLog log : view.logs()) {
      for (int lane = 0; lane < log.lanes(); lane++) {
        long since = log.since().get(lane);
        long boundary = view.side.boundary(log.lane(lane));
        left.add(
            new Left(
                log.lane(lane),
                since,
                Math.max(0, boundary - since),
                LaneRemains.of(view.side.store(), log.lane(lane), Math.max(since, boundary))));
      }
    }
    return left;
  }

  /** Closes all lanes that the table has had: nobody is answered from them any more. Idempotent. */
  public void close(CatalogName name, Catalog catalog, TableIdentifier table, Home from) {
    View view = view(name, catalog, table, from);
    for (OldLog log : view.logs()) {
      log.all().forEach(lane -> LaneClosing.close(view.side.boundaries(), lane));
    }
  }

  /**
   * Adopts the table under a new incarnation, once its old lanes are closed. What is above the
   * watermarks is left behind.
   *
   * @throws WingsException {@code lane-open} when a lane isn't closed; {@code retries-exhausted}
   *     when passes keep moving the watermarks; those of {@link TableCommits#commit}
   */
  public AdoptedTable adopt(CatalogName name, Catalog catalog, TableIdentifier table, Home from) {
    Standing standing = look(name, catalog, table, from);
    if (standing instanceof Standing.Fresh) {
      return adoption.adopt(name, catalog, table);
    }
    if (standing instanceof Standing.Unfinished) {
      end(view(name, catalog, table, from));
      return adoption.load(name, catalog, table);
    }
    retry.run(
        "re-adoption of " + table,
        MAX_ROUNDS,
        _ -> adoptOnce(view(name, catalog, table, from), catalog));
    end(view(name, catalog, table, new Home(cluster, name)));
    return adoption.load(name, catalog, table);
  }

  /** The file takes over the incarnation of the table's watermarks. */
  private void end(View view) {
    if (!(view.reading instanceof Watermarks.Reading.Own(Watermarks own))) {
      throw WingsException.corrupt(
          "watermark-missing",
          view.load.name() + " lost the watermarks that were just committed; adopt it again");
    }
    Set<String> over = new HashSet<>();
    view.file.map(TableFile::incarnation).ifPresent(over::add);
    over.remove(own.incarnation());
    TableFile _ =
        here.files()
            .succeed(
                view.id,
                over,
                TableFiles.initial(view.load.identifier(), own, view.load.requireSupported()));
  }

  private Attempt<Boolean> adoptOnce(View view, Catalog catalog) {
    List<OldLog> logs = view.logs();
    for (OldLog log : logs) {
      for (LaneId lane : log.all()) {
        if (!view.side.closed(lane)) {
          throw WingsException.invalid("lane-open", "lane " + lane + " isn't closed");
        }
      }
    }
    TableSettings _ = view.load.requireSupported();
    String incarnation = ids.hex();
    List<Long> firsts = begin(view, logs, incarnation);
    Watermarks after =
        Watermarks.succeeding(cluster, view.id.catalog(), view.load.uuid(), incarnation, firsts);
    CommitOutcome outcome =
        commits.commit(
            CommitRequest.unnoted(
                catalog,
                view.load.identifier(),
                view.load.uuid(),
                new CommitRequest.Marks(Watermarks.PREFIX, marks(view), after.toProperties()),
                TableChange.none()));
    return switch (outcome) {
      case CommitOutcome.Landed _ -> Attempt.done(true);
      case CommitOutcome.Moved _ -> Attempt.again("a pass moved the watermarks");
      case CommitOutcome.Stale _ -> Attempt.again("the table changed");
    };
  }

  private static Map<String, String> marks(View view) {
    Map<String, String> marks = new HashMap<>(view.load.metadata().properties());
    marks.keySet().removeIf(key -> !key.startsWith(Watermarks.PREFIX));
    return marks;
  }

  /** Writes the first segment and the boundary of every new lane; returns the first numbers. */
  private List<Long> begin(View view, List<OldLog> logs, String incarnation) {
    List<Long> firsts = new ArrayList<>();
    for (int lane = 0; lane < logs.getFirst().lanes(); lane++) {
      Checkpoint checkpoint = checkpoint(view.side, logs, lane);
      long first = checkpoint.head() + 1;
      LaneId next = new LaneId(view.id, incarnation, lane);
      SegmentWriter writer = new SegmentWriter(next, first, ids.hex(), WRITER, time.now());
      writer.checkpoint(checkpoint);
      put(next, first, writer.finish());
      Boundary _ = here.boundaries().object(next).createIfAbsent(new Boundary(first - 1, false));
      firsts.add(first);
    }
    return firsts;
  }

  /** What a new lane begins with: the old one's producers, if the table is where that one says. */
  private static Checkpoint checkpoint(Side side, List<OldLog> logs, int lane) {
    OldLog last = logs.getFirst();
    if (last.current()) {
      LaneId old = last.lane(lane);
      long watermark = last.since().get(lane);
      long first = LaneSuccession.firstNumber(side.opener().head(old, watermark));
      try {
        return LaneSuccession.heir(side.opener().openClosed(old, watermark).checkpoint(), first);
      } catch (WingsException e) {
        if (e.kind() != ErrorKind.CORRUPT) {
          throw e;
        }
        LOG.warn("lane {} can't be read, its producers are forgotten: {}", old, e.getMessage());
      }
    }
    return forgetful(side, logs, lane);
  }

  private static Checkpoint forgetful(Side side, List<OldLog> logs, int lane) {
    Set<String> principals = new HashSet<>();
    LaneRules rules = LaneRules.DEFAULT;
    long head = 0;
    for (OldLog log : logs) {
      if (lane < log.lanes()) {
        LaneId old = log.lane(lane);
        long boundary = side.boundary(old);
        long from = Math.max(boundary, log.since().get(lane));
        long end = Math.max(from, LaneRemains.of(side.store(), old, from).head());
        LaneRemains.Memory memory = LaneRemains.memory(side.store(), old, boundary, end);
        principals.addAll(memory.principals());
        rules = memory.rules();
        head = Math.max(head, end);
      }
    }
    return LaneSuccession.forgetful(rules, principals, LaneSuccession.firstNumber(head));
  }

  /** Nobody else knows the incarnation: an object that is there is this one. */
  private void put(LaneId lane, long number, SegmentWriter.Segment segment) {
    String key = Keys.segment(lane, number);
    retry.run(
        "put of " + key,
        MAX_PUTS,
        _ ->
            switch (here.store().put(key, segment.body(), PutCondition.ifAbsent())) {
              case PutOutcome.Written _, PutOutcome.Lost _ -> Attempt.done(true);
              case PutOutcome.Missing _ -> Attempt.again("the store lost its place");
              case PutOutcome.Unknown(String reason) -> Attempt.again("unknown: " + reason);
            });
  }
}
