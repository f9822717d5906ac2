package io.wings.simulation;

import static java.util.Objects.requireNonNull;

import io.wings.simulation.Book.Row;
import io.wings.simulation.kernel.SimulatedProcess;
import io.wings.simulation.kernel.SimulatedS3;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.ManifestFile;
import org.apache.iceberg.ManifestFiles;
import org.apache.iceberg.ManifestReader;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.io.FileIO;
import org.jspecify.annotations.Nullable;

/**
 * What the table is and its snapshots reach: it is there when a commit says so, nobody deletes it,
 * and Wings doesn't before it has been out of main for as long as a reader may take.
 */
final class LiveFiles implements SimulatedS3.Observer {
  private static final Schema ROW = Batches.TABLE.select("producer", "attempt", "sequence", "row");

  /** A snapshot's manifest list and manifests, and the data files that they name. */
  private record Reached(Set<String> metadata, Map<String, DataFile> data) {
    Set<String> all() {
      Set<String> all = new LinkedHashSet<>(metadata);
      all.addAll(data.keySet());
      return all;
    }
  }

  private final World world;
  private final FileIO io;
  private final Map<Long, Reached> snapshots = new HashMap<>();
  private final Map<String, Map<String, DataFile>> manifests = new HashMap<>();
  private final Map<String, Integer> needed = new HashMap<>();
  private final Map<String, Long> lastInMain = new HashMap<>();
  private final Map<String, List<Row>> rows = new HashMap<>();
  private @Nullable Long main;
  private String metadataFile = "";

  LiveFiles(World world) {
    this.world = world;
    this.io = SimulatedFileIO.of(world.warehouse().truth());
  }

  /** The table is this from now on. */
  void are(SimulatedProcess by, TableMetadata now) {
    markMain();
    metadataFile = now.metadataFileLocation();
    Set<Long> there = new HashSet<>();
    for (Snapshot snapshot : now.snapshots()) {
      there.add(snapshot.snapshotId());
      if (!snapshots.containsKey(snapshot.snapshotId())) {
        add(by, snapshot, now);
      }
    }
    for (Long known : List.copyOf(snapshots.keySet())) {
      if (!there.contains(known)) {
        Set<String> reached = requireNonNull(snapshots.remove(known)).all();
        reached.forEach(this::release);
        if (Foreign.is(by)) {
          // Whoever expires cleans up.
          world.leftovers().leaveToOthers(reached);
        }
      }
    }
    main = now.currentSnapshot() == null ? null : (Long) now.currentSnapshot().snapshotId();
  }

  private void markMain() {
    Reached reached = main == null ? null : snapshots.get(main);
    if (reached != null) {
      reached.all().forEach(location -> lastInMain.put(location, world.scheduler().now()));
    }
  }

  private void release(String location) {
    needed.computeIfPresent(location, (_, count) -> count == 1 ? null : (Integer) (count - 1));
  }

  private void add(SimulatedProcess by, Snapshot snapshot, TableMetadata metadata) {
    Set<String> lists = new LinkedHashSet<>(List.of(snapshot.manifestListLocation()));
    Map<String, DataFile> data = new HashMap<>();
    try {
      for (ManifestFile manifest : snapshot.allManifests(io)) {
        lists.add(manifest.path());
        Map<String, DataFile> named = manifests.get(manifest.path());
        if (named == null) {
          named = read(manifest, metadata);
          manifests.put(manifest.path(), named);
        }
        data.putAll(named);
      }
    } catch (RuntimeException e) {
      world.violated(by.name() + " added a snapshot that can't be read: " + e);
      return;
    }
    Reached reached = new Reached(lists, data);
    for (String location : reached.all()) {
      if (needed.merge(location, 1, Integer::sum) == 1
          && world.warehouse().truth().head(SimulatedFileIO.key(location)).isEmpty()) {
        world.violated(by.name() + " added a snapshot whose " + location + " isn't there");
      }
    }
    snapshots.put(snapshot.snapshotId(), reached);
  }

  private Map<String, DataFile> read(ManifestFile manifest, TableMetadata metadata) {
    Map<String, DataFile> named = new HashMap<>();
    try (ManifestReader<DataFile> reader = ManifestFiles.read(manifest, io, metadata.specsById())) {
      for (DataFile file : reader) {
        named.put(file.location(), file.copyWithoutStats());
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return named;
  }

  /** A snapshot's rows, as it was when it was made. */
  Set<Row> rows(@Nullable Snapshot snapshot) {
    Reached reached = snapshot == null ? null : snapshots.get(snapshot.snapshotId());
    if (reached == null) {
      return Set.of();
    }
    Set<Row> found = new LinkedHashSet<>();
    reached
        .data()
        .forEach((location, file) -> found.addAll(rows.computeIfAbsent(location, _ -> of(file))));
    return found;
  }

  private List<Row> of(DataFile file) {
    List<Row> of = new ArrayList<>();
    RowFiles.read(io, file, ROW).forEach(record -> of.add(TableChecker.row(record)));
    return of;
  }

  /** Whether a snapshot's data files are all in another. */
  boolean keeps(@Nullable Snapshot before, @Nullable Snapshot now) {
    Reached old = before == null ? null : snapshots.get(before.snapshotId());
    Reached all = now == null ? null : snapshots.get(now.snapshotId());
    return old == null || (all != null && all.data().keySet().containsAll(old.data().keySet()));
  }

  boolean areNeeded(String location) {
    return needed.containsKey(location);
  }

  @Override
  public void deleted(SimulatedProcess by, String key) {
    String location = SimulatedFileIO.ROOT + key;
    boolean foreign = Foreign.is(by);
    world.guards().count(foreign ? "file deleted by another engine" : "orphan removed");
    if (needed.containsKey(location)) {
      world.violated(by.name() + " deleted " + location + ", which a snapshot needs");
    }
    if (!foreign && location.equals(metadataFile)) {
      world.violated(by.name() + " deleted " + location + ", which the table is");
    }
    Long inMain = lastInMain.get(location);
    long grace = world.scenario().table().orphanGrace().toNanos();
    if (!foreign && inMain != null && world.scheduler().now() - inMain < grace) {
      world.violated(
          "%s deleted %s, which was in main %.3f s before"
              .formatted(by.name(), location, (world.scheduler().now() - inMain) / 1e9));
    }
  }
}
