package io.wings.catalog.table;

import io.wings.catalog.commit.CommitRequest;
import io.wings.catalog.commit.TableChange;
import io.wings.catalog.commit.TableCommits;
import io.wings.common.cluster.CatalogName;
import io.wings.common.cluster.Keys;
import io.wings.common.cluster.LaneId;
import io.wings.common.cluster.TableId;
import io.wings.common.concurrent.Concurrently;
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
import io.wings.common.wal.Boundary;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.apache.iceberg.catalog.Catalog;
import org.apache.iceberg.catalog.SupportsNamespaces;
import org.apache.iceberg.catalog.TableIdentifier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings tables under Wings, and loads those that are. One per cluster and process; safe for use by
 * several threads.
 */
public final class Adoption {
  private static final Logger LOG = LoggerFactory.getLogger(Adoption.class);

  /** Looks at a table that others are adopting at the same time. */
  private static final int MAX_ROUNDS = 10;

  private final String cluster;
  private final TableFiles files;
  private final Boundaries boundaries;
  private final TableCommits commits;
  private final Retry retry;
  private final Ids ids;
  private final Concurrently lanes;

  /**
   * @param cluster the cluster's id
   * @param store the cluster's own
   */
  public Adoption(String cluster, ObjectStore store, Time time, Ids ids, Threads threads) {
    this.cluster = cluster;
    this.files = new TableFiles(store, time, ids);
    this.boundaries = new Boundaries(store, time, ids, Backoff.STORE);
    this.commits = new TableCommits(time, ids, Backoff.STORE);
    this.retry = new Retry(time, ids, Backoff.STORE);
    this.ids = ids;
    this.lanes = new Concurrently(threads, "adoption-lanes", LaneId.AT_ONCE);
  }

  /**
   * Loads the table fresh and adopts it if no Wings cluster has: one commit with an empty snapshot,
   * the incarnation and watermark 0 for every lane; then the boundaries, if absent; {@code
   * table.json} last. Completes an adoption that stopped half-way, with its incarnation. Racing
   * callers agree. When it returns, segments may be appended.
   *
   * @throws WingsException {@code table-not-found}; {@code table-format-unsupported} (not Iceberg
   *     v3); {@code table-adopted-elsewhere} (watermarks of another cluster, or of this one under
   *     another catalog's name); {@code table-name-ambiguous} (another name still loads the same
   *     table); {@code watermark-invalid}, {@code watermark-missing}, {@code watermark-fell}; those
   *     of {@link TableSettings#parse}, {@link ArrowSchemas#expected} and {@link Writable#require};
   *     UNAVAILABLE kinds when catalog or store don't answer
   */
  public AdoptedTable adopt(CatalogName name, Catalog catalog, TableIdentifier table) {
    return adopt(name, catalog, table, () -> {});
  }

  /**
   * The same.
   *
   * @param adopting runs before the first commit of a table that isn't adopted
   */
  public AdoptedTable adopt(
      CatalogName name, Catalog catalog, TableIdentifier table, Runnable adopting) {
    Runnable once = new Once(adopting);
    return inRounds("adoption of ", table, known -> adoptOnce(name, catalog, table, known, once));
  }

  /**
   * Loads an adopted table fresh, and never adopts.
   *
   * @throws WingsException as {@link #adopt}; {@code table-not-adopted} when it has neither
   *     watermarks nor {@code table.json}, or its adoption isn't complete
   */
  public AdoptedTable load(CatalogName name, Catalog catalog, TableIdentifier table) {
    return inRounds("load of ", table, known -> loadOnce(name, catalog, table, known));
  }

  /**
   * Loads an adopted table fresh, by its uuid: under the recorded name or, if that no longer loads
   * it, under the one that does, which goes into {@code table.json}.
   *
   * @param recorded the name in {@code table.json}
   * @throws WingsException as {@link #load}; NOT_FOUND {@code table-not-found}: no name loads it,
   *     which may be a drop, or a grant that is gone; CORRUPT {@code table-replaced}: the recorded
   *     name is another table's, and no other is this one's; UNAVAILABLE {@code
   *     catalog-unavailable}, {@code search-incomplete}: not every name could be looked at
   */
  public AdoptedTable follow(
      TableId id, Catalog catalog, SupportsNamespaces namespaces, TableIdentifier recorded) {
    Optional<AdoptedTable> loaded = Optional.empty();
    @Nullable WingsException failure = null;
    try {
      loaded = Optional.of(load(id.catalog(), catalog, recorded));
      if (loaded.get().id().equals(id)) {
        return loaded.get();
      }
    } catch (WingsException e) {
      if (e.kind() == ErrorKind.UNAVAILABLE) {
        throw e;
      }
      failure = e;
    }
    TableIdentifier name =
        switch (new TableSearch(catalog, namespaces, id.uuid()).find(recorded)) {
          case TableSearch.Result.Found(TableIdentifier found) -> found;
          case TableSearch.Result.Absent() -> throw unfound(id, catalog, recorded);
          case TableSearch.Result.Incomplete(WingsException reason) -> throw reason;
        };
    if (failure != null && name.equals(recorded)) {
      throw failure;
    }
    AdoptedTable table = load(id.catalog(), catalog, name);
    if (!table.id().equals(id)) {
      throw WingsException.unavailable(
          "table-renamed", "table %s changes its name".formatted(id), null);
    }
    return table;
  }

  private static WingsException unfound(TableId id, Catalog catalog, TableIdentifier recorded) {
    String kept = "; the WAL of %s stays until a person decides".formatted(id.uuid());
    return TableLoad.find(catalog, recorded)
        .map(
            other ->
                WingsException.corrupt(
                    "table-replaced",
                    "%s is now table %s".formatted(recorded, other.uuid()) + kept))
        .orElseGet(
            () ->
                WingsException.notFound(
                    "table-not-found",
                    "%s doesn't load, nor was the table found under another name: it was dropped, or a grant is gone"
                            .formatted(recorded)
                        + kept));
  }

  /**
   * One look: an adopted table, or another look. Takes the {@code table.json} of an earlier look
   * that contradicted its table.
   */
  private interface Look {
    Attempt<AdoptedTable> at(AtomicReference<@Nullable TableFile> known);
  }

  private AdoptedTable inRounds(String what, TableIdentifier table, Look look) {
    AtomicReference<@Nullable TableFile> known = new AtomicReference<>();
    try {
      return retry.run(what + table, MAX_ROUNDS, _ -> look.at(known));
    } catch (StoreException e) {
      throw WingsException.unavailable("store-unavailable", what + table + ": " + e, e);
    }
  }

  private Attempt<AdoptedTable> adoptOnce(
      CatalogName name,
      Catalog catalog,
      TableIdentifier identifier,
      AtomicReference<@Nullable TableFile> known,
      Runnable adopting) {
    TableLoad load = TableLoad.fresh(catalog, identifier);
    TableSettings settings = load.requireSupported();
    TableId id = new TableId(name, load.uuid());
    Optional<TableFile> file = files.read(id);
    Watermarks.Reading reading =
        Watermarks.read(load.metadata().properties(), cluster, name, load.uuid());
    if (file.isPresent()) {
      return adopted(catalog, load, id, settings, file.get(), reading, known);
    }
    return switch (reading) {
      case Watermarks.Reading.Absent() -> commit(name, catalog, load, settings, Map.of(), adopting);
      case Watermarks.Reading.Copied(Watermarks copied) ->
          commit(name, catalog, load, settings, copied.toProperties(), adopting);
      case Watermarks.Reading.Foreign(Watermarks foreign) -> throw elsewhere(load, name, foreign);
      case Watermarks.Reading.Own(Watermarks own) -> {
        requireOnlyHere(load, id, own);
        complete(load, id, own, settings);
        yield Attempt.done(new AdoptedTable(identifier, id, own, settings, load.table()));
      }
    };
  }

  private Attempt<AdoptedTable> loadOnce(
      CatalogName name,
      Catalog catalog,
      TableIdentifier identifier,
      AtomicReference<@Nullable TableFile> known) {
    TableLoad load = TableLoad.fresh(catalog, identifier);
    TableSettings settings = load.requireSupported();
    TableId id = new TableId(name, load.uuid());
    TableFile file =
        files
            .read(id)
            .orElseThrow(
                () ->
                    WingsException.notFound(
                        "table-not-adopted", load.name() + " has not been adopted"));
    Watermarks.Reading reading =
        Watermarks.read(load.metadata().properties(), cluster, name, load.uuid());
    return adopted(catalog, load, id, settings, file, reading, known);
  }

  /** The table has a {@code table.json}: its watermarks must be there and agree with it. */
  private Attempt<AdoptedTable> adopted(
      Catalog catalog,
      TableLoad load,
      TableId id,
      TableSettings settings,
      TableFile file,
      Watermarks.Reading reading,
      AtomicReference<@Nullable TableFile> known) {
    if (reading instanceof Watermarks.Reading.Own(Watermarks own) && agrees(file, reading)) {
      if (!file.identifier().equals(load.identifier())) {
        followName(catalog, load, id, file, own, settings);
      }
      return Attempt.done(new AdoptedTable(load.identifier(), id, own, settings, load.table()));
    }
    // The file was read after the table and may rightly be ahead of it; one that was read before
    // may not.
    TableFile before = known.getAndSet(file);
    if (before != null && !agrees(before, reading)) {
      throw contradiction(load, id.catalog(), before, reading);
    }
    return Attempt.again("table and table.json differ");
  }

  private static boolean agrees(TableFile file, Watermarks.Reading reading) {
    return reading instanceof Watermarks.Reading.Own(Watermarks own)
        && file.isOf(own)
        && file.notAheadOf(own);
  }

  private WingsException contradiction(
      TableLoad load, CatalogName name, TableFile file, Watermarks.Reading reading) {
    return switch (reading) {
      case Watermarks.Reading.Absent(), Watermarks.Reading.Copied(_) ->
          WingsException.corrupt(
              "watermark-missing",
              "%s was adopted, but its watermarks are gone from the table's properties; expected incarnation %s at %s or higher; restore them"
                  .formatted(load.name(), file.incarnation(), file.watermarks()));
      case Watermarks.Reading.Foreign(Watermarks foreign) -> elsewhere(load, name, foreign);
      case Watermarks.Reading.Own(Watermarks own) when !file.isOf(own) ->
          WingsException.corrupt(
              "watermark-invalid",
              "%s has watermarks of incarnation %s with %d lanes, expected %s with %d"
                  .formatted(
                      load.name(),
                      own.incarnation(),
                      own.lanes(),
                      file.incarnation(),
                      file.lanes()));
      case Watermarks.Reading.Own(Watermarks own) ->
          WingsException.corrupt(
              "watermark-fell",
              "%s has watermarks %s, but had %s; someone put old properties or metadata back"
                  .formatted(load.name(), own.numbers(), file.watermarks()));
    };
  }

  /** A second name is refused while the recorded one still loads the table; else it was renamed. */
  private void followName(
      Catalog catalog,
      TableLoad load,
      TableId id,
      TableFile file,
      Watermarks own,
      TableSettings settings) {
    boolean recordedLoads =
        TableLoad.find(catalog, file.identifier())
            .filter(other -> other.uuid().equals(load.uuid()))
            .isPresent();
    if (recordedLoads) {
      throw WingsException.invalid(
          "table-name-ambiguous",
          "%s is the same table as %s, under which it was adopted; use that name"
              .formatted(load.name(), file.identifier()));
    }
    LOG.info("table {} is now named {}", id, load.name());
    files.note(id, load.identifier(), own, settings);
  }

  private Attempt<AdoptedTable> commit(
      CatalogName name,
      Catalog catalog,
      TableLoad load,
      TableSettings settings,
      Map<String, String> before,
      Runnable adopting) {
    adopting.run();
    Watermarks initial =
        Watermarks.initial(cluster, name, load.uuid(), ids.hex(), settings.lanes());
    commits.commit(
        CommitRequest.unnoted(
            catalog,
            load.identifier(),
            load.uuid(),
            new CommitRequest.Marks(Watermarks.PREFIX, before, initial.toProperties()),
            TableChange.none()));
    // Whether this commit landed or another adopter's did: the next look completes what is there.
    return Attempt.again("the adopting commit is decided");
  }

  private void complete(TableLoad load, TableId id, Watermarks own, TableSettings settings) {
    List<LaneId> opened =
        IntStream.range(0, own.lanes())
            .mapToObj(lane -> new LaneId(id, own.incarnation(), lane))
            .toList();
    List<Boundary> found = lanes.map(opened, boundaries::createIfAbsent);
    for (int lane = 0; lane < own.lanes(); lane++) {
      if (found.get(lane).closed()) {
        throw WingsException.invalid(
            "table-moved",
            "%s: lane %s was closed, by a move or by `wings table forget`; bring the table back with `wings table adopt`"
                .formatted(load.name(), opened.get(lane)));
      }
    }
    TableFile file = files.createIfAbsent(id, TableFiles.initial(load.identifier(), own, settings));
    if (!file.isOf(own)) {
      throw WingsException.corrupt(
          "watermark-invalid",
          "%s is of incarnation %s, the table's watermarks of %s"
              .formatted(Keys.tableJson(id), file.incarnation(), own.incarnation()));
    }
    LOG.info("adopted table {} ({}), incarnation {}", load.name(), id, own.incarnation());
  }

  /** Watermarks of an older version don't say under which catalog; what is noted there does. */
  private void requireOnlyHere(TableLoad load, TableId id, Watermarks own) {
    if (own.catalog() == null) {
      files
          .adopter(id, own)
          .ifPresent(
              other -> {
                throw underAnother(load, id.catalog(), other);
              });
    }
  }

  private static WingsException underAnother(TableLoad load, CatalogName here, CatalogName other) {
    return WingsException.invalid(
        "table-adopted-elsewhere",
        "%s was adopted under catalog %s of this cluster, expected %s; use that name, or move the table with `wings table adopt --from-catalog %s`"
            .formatted(load.name(), other, here, other));
  }

  private WingsException elsewhere(TableLoad load, CatalogName here, Watermarks foreign) {
    if (foreign.cluster().equals(cluster) && foreign.catalog() != null) {
      return underAnother(load, here, foreign.catalog());
    }
    return WingsException.invalid(
        "table-adopted-elsewhere",
        "%s is under Wings cluster %s, this is %s; use that cluster, or move the table with `wings table adopt`"
            .formatted(load.name(), foreign.cluster(), cluster));
  }
}
