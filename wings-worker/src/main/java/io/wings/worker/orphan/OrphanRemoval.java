package io.wings.worker.orphan;

import io.wings.catalog.TenantCatalog;
import io.wings.common.cluster.Keys;
import io.wings.common.cluster.TableId;
import io.wings.common.error.WingsException;
import io.wings.common.id.Ids;
import io.wings.common.objectstore.ObjectStore;
import io.wings.common.objectstore.StoreClock;
import io.wings.common.objectstore.StoreException;
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
import java.util.function.Consumer;
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
  /** Ledgers of one run; the next goes on. */
  private static final int MAX_LEDGERS = 1_000;

  /** Ledgers of a table; with more nothing is removed, because not all could be looked at. */
  static final int MAX_KEPT = 200_000;

  /** Deletions of one run that fail; with more the storage is taken to be away. */
  private static final int MAX_LEFT = 100;

  /** Files that a line of the log names. */
  private static final int MAX_NAMED = 20;

  private static final Logger LOG = LoggerFactory.getLogger(OrphanRemoval.class);

  private final Ledgers ledgers;
  private final TableLooks looks;
  private final OrphanSettings settings;
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
      Ids ids) {
    this.ledgers = ledgers;
    this.looks = looks;
    this.settings = settings;
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
   * @throws WingsException what {@link TableLooks#look} throws; UNAVAILABLE kinds: nothing, or not
   *     all, was deleted, and the ledgers are still there
   */
  public Report run(TableId id, TenantCatalog catalog) throws InterruptedException {
    try {
      Instant due = clock.now().minus(settings.grace());
      List<String> names = ledgers.unchangedSince(id, due, MAX_LEDGERS);
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
      return new Run(id, table, metadata, catalog).through(names);
    } catch (StoreException e) {
      throw WingsException.unavailable("store-unavailable", "orphans of " + id + ": " + e, e);
    }
  }

  private static void requireGoingOn() throws InterruptedException {
    if (Thread.interrupted()) {
      throw new InterruptedException("removal of orphans was told to stop");
    }
  }

  /** One table's, with metadata that was loaded after its closed ledgers had been closed. */
  private final class Run {
    private final TableId id;
    private final Table table;
    private final TableMetadata metadata;
    private final TenantCatalog catalog;
    private final Map<String, LedgerFile> passed = new LinkedHashMap<>();
    private int closed;
    private int waiting;

    Run(TableId id, Table table, TableMetadata metadata, TenantCatalog catalog) {
      this.id = id;
      this.table = table;
      this.metadata = metadata;
      this.catalog = catalog;
    }

    /**
     * @param names of ledgers that nothing has changed for the grace time
     */
    Report through(List<String> names) throws InterruptedException {
      for (String name : names) {
        requireGoingOn();
        sort(name);
      }
      if (passed.isEmpty()) {
        return new Report(closed, waiting, 0, List.of());
      }
      List<List<String>> stages = orphans(kept());
      List<String> orphans = stages.stream().flatMap(List::stream).toList();
      named("table {}: {} {} orphans of {} ledgers: {}", orphans);
      if (!settings.dryRun()) {
        FileIO io = catalog.deletingIo(table);
        for (List<String> stage : stages) {
          delete(stage, io::deleteFile);
        }
        delete(passed.keySet(), name -> ledgers.remove(id, name));
        observer.removed(id, passed.size(), orphans.size());
      }
      return new Report(closed, waiting, passed.size(), orphans);
    }

    /** All but those that won't go: one that can't be deleted keeps none of the others. */
    private void delete(Collection<String> all, Consumer<String> deletion)
        throws InterruptedException {
      List<String> left = new ArrayList<>();
      RuntimeException first = null;
      for (String each : all) {
        requireGoingOn();
        try {
          deletion.accept(each);
        } catch (RuntimeException e) {
          // Of any kind: what a catalog's FileIO throws is its storage's.
          first = first == null ? e : first;
          left.add(each);
          if (left.size() == MAX_LEFT) {
            break;
          }
        }
      }
      if (first != null) {
        throw WingsException.unavailable(
            "orphans-unavailable",
            "table %s: %d of %d can't be deleted and stay until the next run: %s: %s"
                .formatted(id, left.size(), all.size(), left.subList(0, 1), first.getMessage()),
            first);
      }
    }

    /**
     * Every other ledger, however many: what any of them expired may still be read. Listed after
     * the table was loaded: who expired what of it had noted that before.
     */
    private List<String> kept() throws InterruptedException {
      List<String> kept =
          ledgers.all(id).stream().filter(name -> !passed.containsKey(name)).toList();
      if (kept.size() > MAX_KEPT) {
        throw WingsException.unavailable(
            "too-many-ledgers",
            "table %s has %d ledgers, more than %d: nothing is removed"
                .formatted(id, kept.size(), MAX_KEPT),
            null);
      }
      return kept;
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

    /** Closes a ledger, or tells whether one that was closed before can be worked through. */
    private void sort(String name) {
      Optional<LedgerFile> read = ledgers.read(id, name);
      if (read.isEmpty()) {
        return;
      }
      LedgerFile file = read.get();
      if (file.closed() && mainHasPassed(file)) {
        passed.put(name, file);
        return;
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
      if (!settings.dryRun()) {
        // Also where it is closed already: the sweep comes back after another grace time.
        Optional<LedgerFile> _ = ledgers.close(id, name);
      }
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

    /**
     * @param kept ledgers whose grace time isn't over: what they expired is still read by some
     */
    private List<List<String>> orphans(List<String> kept) throws InterruptedException {
      Candidates candidates = new Candidates(metadata, table.io());
      for (LedgerFile file : passed.values()) {
        for (String list : file.manifestLists()) {
          candidates.addPosted(list);
        }
        for (LedgerFile.Expired expired : file.expired()) {
          if (metadata.snapshot(expired.snapshot()) == null) {
            candidates.addExpired(expired.manifestList());
          }
        }
      }
      addDataFiles(candidates);
      candidates.keepReachable();
      for (String name : kept) {
        if (candidates.isEmpty()) {
          break;
        }
        requireGoingOn();
        Optional<LedgerFile> file = ledgers.read(id, name);
        for (LedgerFile.Expired expired : file.map(LedgerFile::expired).orElse(List.of())) {
          candidates.keepExpired(expired.manifestList());
        }
      }
      return candidates.inOrder();
    }

    /** Data files by their names, which begin with a ledger's id. */
    private void addDataFiles(Candidates candidates) throws InterruptedException {
      Set<String> locations = new TreeSet<>();
      passed.values().forEach(file -> locations.add(file.location()));
      SupportsPrefixOperations io = (SupportsPrefixOperations) catalog.deletingIo(table);
      for (String location : locations) {
        for (FileInfo found : io.listPrefix(location + "/")) {
          requireGoingOn();
          String name = found.location().substring(found.location().lastIndexOf('/') + 1);
          int end = name.indexOf('-');
          if (end > 0 && passed.containsKey(name.substring(0, end))) {
            candidates.add(found.location());
          }
        }
      }
    }
  }
}
