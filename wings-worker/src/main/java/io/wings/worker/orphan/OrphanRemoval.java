package io.wings.worker.orphan;

import io.wings.catalog.TenantCatalog;
import io.wings.catalog.io.Locations;
import io.wings.common.cluster.Keys;
import io.wings.common.cluster.Printable;
import io.wings.common.cluster.TableId;
import io.wings.common.concurrent.Concurrently;
import io.wings.common.concurrent.Threads;
import io.wings.common.error.WingsException;
import io.wings.common.id.Ids;
import io.wings.common.objectstore.ObjectStore;
import io.wings.common.objectstore.StoreClock;
import io.wings.common.objectstore.StoreException;
import io.wings.worker.ledger.FileLocations;
import io.wings.worker.ledger.LedgerFile;
import io.wings.worker.ledger.Ledgers;
import io.wings.worker.table.TableLooks;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Gatherers;
import org.apache.iceberg.HasTableOperations;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableProperties;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.io.FileInfo;
import org.apache.iceberg.io.SupportsPrefixOperations;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Removes the orphans of one table. Safe for several threads. */
public final class OrphanRemoval {
  /** Files that a line of the log names. */
  private static final int MAX_NAMED = 20;

  /**
   * How a location ends whose file a pass wrote: the ledger's id, behind a part of a hash where the
   * table's layout is that of object storage without partitions.
   */
  private static final Pattern NAME = Pattern.compile("/(?:[01]{8}-)?([0-9a-f]{32})-[^/]*$");

  private static final Logger LOG = LoggerFactory.getLogger(OrphanRemoval.class);

  private final Ledgers ledgers;
  private final TableLooks looks;
  private final OrphanSettings settings;
  private final OrphanLimits limits;
  private final Concurrently atOnce;
  private final StoreClock clock;
  private final OrphanObserver observer;

  /**
   * @param store the cluster's
   */
  public OrphanRemoval(
      ObjectStore store,
      Ledgers ledgers,
      TableLooks looks,
      OrphanSettings settings,
      OrphanObserver observer,
      Ids ids,
      Threads threads) {
    this(store, ledgers, looks, settings, OrphanLimits.DEFAULT, observer, ids, threads);
  }

  OrphanRemoval(
      ObjectStore store,
      Ledgers ledgers,
      TableLooks looks,
      OrphanSettings settings,
      OrphanLimits limits,
      OrphanObserver observer,
      Ids ids,
      Threads threads) {
    this.ledgers = ledgers;
    this.looks = looks;
    this.settings = settings;
    this.limits = limits;
    this.atOnce = new Concurrently(threads, "orphan-removal", OrphanLimits.AT_ONCE);
    this.clock = new StoreClock(store, Keys.CLOCK, ids);
    this.observer = observer;
  }

  /**
   * What a run did, or would do.
   *
   * @param closed ledgers that no post follows any more
   * @param waiting ledgers whose last base main hasn't passed yet
   * @param done ledgers that were worked through
   * @param files that are orphans
   */
  public record Report(int closed, int waiting, int done, List<String> files) {
    static final Report NOTHING = new Report(0, 0, 0, List.of());

    public Report {
      files = List.copyOf(files);
    }
  }

  /**
   * Looks at the table's ledgers, and removes what may go.
   *
   * @param catalog the table's
   * @throws WingsException what {@link TableLooks#look} throws; UNAVAILABLE {@code
   *     orphans-unavailable}: not all was deleted, and ledgers that tell of what is left come back
   *     after another grace time; of other codes: nothing was
   */
  public Report run(TableId id, TenantCatalog catalog) throws InterruptedException {
    try {
      Instant due = clock.now().minus(settings.grace());
      List<String> names = ledgers.unchangedSince(id, due, limits.ledgers());
      if (names.isEmpty()) {
        return Report.NOTHING;
      }
      Table table = looks.look(id, catalog, view -> view.table().table());
      TableMetadata metadata = ((HasTableOperations) table).operations().current();
      if (!metadata.propertyAsBoolean(
          TableProperties.GC_ENABLED, TableProperties.GC_ENABLED_DEFAULT)) {
        LOG.info("table {}: {}=false, nothing is removed", id, TableProperties.GC_ENABLED);
        return Report.NOTHING;
      }
      return new Run(id, table, metadata, catalog, due).through(names);
    } catch (StoreException e) {
      throw WingsException.unavailable("store-unavailable", "orphans of " + id + ": " + e, e);
    }
  }

  static void requireGoingOn() throws InterruptedException {
    if (Thread.interrupted()) {
      throw new InterruptedException("removal of orphans was told to stop");
    }
  }

  private static <T> List<List<T>> batches(Collection<T> all) {
    return all.stream().gather(Gatherers.windowFixed(OrphanLimits.BATCH)).toList();
  }

  /** One table's, with metadata that was loaded after its closed ledgers had been closed. */
  private final class Run {
    private final TableId id;
    private final Table table;
    private final TableMetadata metadata;
    private final TenantCatalog catalog;
    private final Instant due;
    private final Map<String, LedgerFile> passed = new LinkedHashMap<>();

    /** Ledgers of which not all files could be looked for, by why. */
    private final Map<String, RuntimeException> aside = new LinkedHashMap<>();

    private int closed;
    private int waiting;

    Run(TableId id, Table table, TableMetadata metadata, TenantCatalog catalog, Instant due) {
      this.id = id;
      this.table = table;
      this.metadata = metadata;
      this.catalog = catalog;
      this.due = due;
    }

    /**
     * @param names of ledgers that nothing has changed for the grace time
     */
    Report through(List<String> names) throws InterruptedException {
      for (List<String> batch : batches(names)) {
        requireGoingOn();
        sort(batch);
      }
      if (passed.isEmpty()) {
        return new Report(closed, waiting, 0, List.of());
      }
      Optional<Candidates> found = orphans();
      while (found.isEmpty()) {
        takeFewer();
        found = orphans();
      }
      List<List<Told>> stages = found.get().inOrder();
      List<String> orphans = stages.stream().flatMap(List::stream).map(Told::location).toList();
      named("table {}: {} {} orphans of {} ledgers: {}", orphans);
      saidOutside(found.get().outside());
      if (!settings.dryRun()) {
        delete(stages, orphans.size());
      }
      return new Report(closed, waiting, passed.size(), orphans);
    }

    /** All but what won't go, and what leads to that. */
    private void delete(List<List<Told>> stages, int all) throws InterruptedException {
      FileIO io = catalog.deletingIo(table);
      Deletions deletions = new Deletions(atOnce, io::deleteFile, limits.failuresInARow());
      for (List<Told> stage : stages) {
        deletions.of(stage);
      }
      int gone = 0;
      for (List<Map.Entry<String, LedgerFile>> batch : batches(passed.entrySet())) {
        requireGoingOn();
        gone +=
            (int)
                atOnce
                    .map(
                        batch.stream().filter(e -> isDone(e.getKey(), deletions)).toList(),
                        e -> ledgers.removeUnchanged(id, e.getKey(), e.getValue()))
                    .stream()
                    .filter(removed -> removed)
                    .count();
      }
      putOff(deletions.failing());
      putOff(aside.keySet());
      if (gone > 0 || deletions.deleted() > 0) {
        observer.removed(id, gone, deletions.deleted());
      }
      requireAllGone(deletions, all);
    }

    private boolean isDone(String name, Deletions deletions) {
      return deletions.leavesNothing(name) && !aside.containsKey(name);
    }

    private void requireAllGone(Deletions deletions, int all) {
      if (deletions.first().isPresent()) {
        WingsException first = deletions.first().get();
        throw WingsException.unavailable(
            "orphans-unavailable",
            "table %s: %d of %d can't be deleted; their %d ledgers come back after the grace time: %s"
                .formatted(id, deletions.failed(), all, deletions.failing().size(), first.detail()),
            first);
      }
      if (!aside.isEmpty()) {
        RuntimeException first = aside.values().iterator().next();
        throw WingsException.unavailable(
            "orphans-unavailable",
            "table %s: locations of %d ledgers can't be listed; they come back after the grace time: %s"
                .formatted(id, aside.size(), first.getMessage()),
            first);
      }
    }

    /** They come back after another grace time, and others have their turn. */
    private void putOff(Collection<String> names) throws InterruptedException {
      for (List<String> batch : batches(names)) {
        requireGoingOn();
        var _ = atOnce.map(batch, name -> ledgers.close(id, name));
      }
    }

    /**
     * Every other ledger, however many are due: what any of them expired may still be read. Listed
     * after the table was loaded: who expired what of it had noted that before.
     */
    private List<String> kept() throws InterruptedException {
      List<Ledgers.Listed> kept =
          ledgers.all(id).stream().filter(listed -> !passed.containsKey(listed.id())).toList();
      long waits = kept.stream().filter(listed -> listed.modified().isAfter(due)).count();
      if (waits > limits.kept()) {
        throw WingsException.unavailable(
            "too-many-ledgers",
            "table %s has %d ledgers within their grace time, more than %d: nothing is removed"
                .formatted(id, waits, limits.kept()),
            null);
      }
      return kept.stream().map(Ledgers.Listed::id).toList();
    }

    private void named(String format, List<String> orphans) {
      LOG.info(
          format,
          id,
          settings.dryRun() ? "would remove" : "removes",
          orphans.size(),
          passed.size(),
          orphans.subList(0, Math.min(MAX_NAMED, orphans.size())));
    }

    private void saidOutside(Set<String> outside) {
      if (!outside.isEmpty()) {
        LOG.warn(
            "table {}: {} files that its expired snapshots named stay, because they are not where its files are; one of them: {}",
            id,
            outside.size(),
            Printable.of(outside.iterator().next()));
      }
    }

    /** Where a file may be that an expired snapshot names, to be the table's. */
    private Predicate<String> own() {
      Set<String> directories = new TreeSet<>(FileLocations.all(table));
      passed.values().forEach(file -> directories.addAll(file.locations()));
      return file -> directories.stream().anyMatch(each -> Locations.isBelow(file, each));
    }

    /** Closes ledgers, or tells whether those that were closed before can be worked through. */
    private void sort(List<String> names) {
      List<Optional<LedgerFile>> read = atOnce.map(names, name -> ledgers.read(id, name));
      List<String> waits = new ArrayList<>();
      for (int i = 0; i < names.size(); i++) {
        if (read.get(i).isPresent() && !passes(names.get(i), read.get(i).get())) {
          waits.add(names.get(i));
        }
      }
      if (!settings.dryRun()) {
        // Also what is closed already: the sweep comes back after another grace time.
        var _ = atOnce.map(waits, name -> ledgers.close(id, name));
      }
    }

    private boolean passes(String name, LedgerFile file) {
      if (file.closed() && mainHasPassed(file)) {
        passed.put(name, file);
        return true;
      }
      if (file.closed()) {
        waiting++;
        LOG.info(
            "table {}: ledger {} waits until main passes sequence number {}",
            id,
            name,
            file.baseSequence());
      } else {
        closed++;
        LOG.info("table {}: ledger {} of {} is closed", id, name, file.worker());
      }
      return false;
    }

    /**
     * Whether no post of a closed ledger can land any more. A commit to another branch raises the
     * table's sequence number too, and leaves main where the post expects it.
     */
    private boolean mainHasPassed(LedgerFile file) {
      Snapshot main = metadata.currentSnapshot();
      return file.baseSequence() < 0
          || (main != null && main.sequenceNumber() > file.baseSequence());
    }

    /** Half of them; one that alone tells of too much lets others have their turn. */
    private void takeFewer() {
      List<String> all = List.copyOf(passed.keySet());
      if (all.size() > 1) {
        all.subList(all.size() / 2, all.size()).forEach(passed::remove);
        return;
      }
      if (!settings.dryRun()) {
        all.forEach(name -> ledgers.close(id, name));
      }
      throw WingsException.unavailable(
          "too-many-orphans",
          "table %s: more than %d files of ledger %s may be orphans; it comes back after the grace time"
              .formatted(id, limits.files(), all),
          null);
    }

    /** What may go; empty when the ledgers tell of too much at once. */
    private Optional<Candidates> orphans() throws InterruptedException {
      Candidates candidates = new Candidates(metadata, table.io(), atOnce, own(), limits.files());
      List<Told> expired = new ArrayList<>();
      passed.forEach(
          (name, file) ->
              file.expired().stream()
                  .filter(each -> metadata.snapshot(each.snapshot()) == null)
                  .forEach(each -> expired.add(new Told(each.manifestList(), name))));
      for (List<Told> batch : batches(expired)) {
        requireGoingOn();
        candidates.addExpired(batch);
      }
      addWritten(candidates);
      if (candidates.isFull()) {
        return Optional.empty();
      }
      candidates.keepReachable();
      for (List<String> batch : batches(kept())) {
        if (candidates.isEmpty()) {
          break;
        }
        requireGoingOn();
        candidates.keepExpired(
            atOnce.map(batch, name -> ledgers.read(id, name)).stream()
                .flatMap(Optional::stream)
                .flatMap(file -> file.expired().stream())
                .map(LedgerFile.Expired::manifestList)
                .distinct()
                .toList());
      }
      return Optional.of(candidates);
    }

    /** By the names, which begin with a ledger's id. */
    private void addWritten(Candidates candidates) throws InterruptedException {
      Set<String> locations = new TreeSet<>();
      passed.values().forEach(file -> locations.addAll(file.locations()));
      SupportsPrefixOperations io = (SupportsPrefixOperations) catalog.deletingIo(table);
      for (String location : locations) {
        try {
          for (FileInfo found : io.listPrefix(location + "/")) {
            requireGoingOn();
            Matcher name = NAME.matcher(found.location());
            if (name.find() && passed.containsKey(name.group(1))) {
              candidates.addWritten(new Told(found.location(), name.group(1)));
            }
            if (candidates.isFull()) {
              return;
            }
          }
        } catch (RuntimeException e) {
          // Of any kind, as with deletions. What was found in it is an orphan all the same.
          requireGoingOn();
          putAside(location, e);
        }
      }
    }

    private void putAside(String location, RuntimeException e) {
      passed.forEach(
          (name, file) -> {
            if (file.locations().contains(location)) {
              aside.put(name, e);
            }
          });
    }
  }
}
