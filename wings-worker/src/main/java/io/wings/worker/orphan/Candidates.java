package io.wings.worker.orphan;

import io.wings.common.concurrent.Concurrently;
import io.wings.common.error.WingsException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.iceberg.ContentFile;
import org.apache.iceberg.ManifestContent;
import org.apache.iceberg.ManifestFile;
import org.apache.iceberg.ManifestFiles;
import org.apache.iceberg.ManifestReader;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.SnapshotParser;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.exceptions.NotFoundException;
import org.apache.iceberg.io.FileIO;

/**
 * Files that may be orphans: added from what ledgers tell, and taken out again as snapshots prove
 * to reach them. What expired snapshots name outside of the table's own locations is none of them:
 * whoever commits to a table can have it name another table's files. A file is known by its name,
 * the last part of its location: one location can be spelled in several ways, and a name that any
 * snapshot reaches is kept wherever it is.
 */
final class Candidates {
  /** Files elsewhere that are remembered. */
  private static final int MAX_OUTSIDE = 10_000;

  /** How Iceberg ends the names of manifests. */
  private static final Pattern MANIFEST = Pattern.compile("-m[0-9]+\\.avro$");

  private final TableMetadata metadata;
  private final FileIO io;
  private final Concurrently atOnce;
  private final Predicate<String> own;
  private final int most;

  private final Locations files = new Locations();
  private final Locations manifests = new Locations();
  private final Locations lists = new Locations();

  /** Manifests that were looked at for what is to be kept. */
  private final Set<String> seen = new HashSet<>();

  /** What expired snapshots name elsewhere; no more than {@link #MAX_OUTSIDE}. */
  private final Set<String> outside = new LinkedHashSet<>();

  /** Locations by name. */
  private static final class Locations {
    private final Map<String, List<Told>> byName = new LinkedHashMap<>();
    private int size;

    boolean add(Told told) {
      String name = name(told.location());
      List<Told> known = byName.getOrDefault(name, List.of());
      if (known.stream().anyMatch(each -> each.location().equals(told.location()))) {
        return false;
      }
      // One name is one file, or kept as one: what becomes of it is the first teller's.
      Told kept = known.isEmpty() ? told : new Told(told.location(), known.getFirst().ledger());
      byName.put(name, Stream.concat(known.stream(), Stream.of(kept)).toList());
      size++;
      return true;
    }

    boolean has(String location) {
      return byName.containsKey(name(location));
    }

    void remove(String location) {
      List<Told> removed = byName.remove(name(location));
      size -= removed == null ? 0 : removed.size();
    }

    private static String name(String location) {
      return location.substring(location.lastIndexOf('/') + 1);
    }
  }

  /**
   * @param metadata freshly loaded
   * @param own whether a location is one of the table's own
   * @param most files; with more it is full
   */
  Candidates(
      TableMetadata metadata, FileIO io, Concurrently atOnce, Predicate<String> own, int most) {
    this.metadata = metadata;
    this.io = io;
    this.atOnce = atOnce;
    this.own = own;
    this.most = most;
  }

  /** Whether more may be orphans than can be kept in mind; nothing is known then. */
  boolean isFull() {
    return files.size + manifests.size + lists.size > most;
  }

  /**
   * A file that a ledger's pass wrote, by the name that it gave it. After all that is {@linkplain
   * #addExpired expired}: a manifest that is both tells of its files. What isn't surely a manifest
   * or a list counts as a data file, since these are looked for in all manifests.
   */
  void addWritten(Told written) {
    String name = Locations.name(written.location());
    Locations kind = files;
    if (name.startsWith(written.ledger() + "-snap-")) {
      kind = lists;
    } else if (MANIFEST.matcher(name).find()) {
      kind = manifests;
    }
    boolean _ = kind.add(written);
  }

  /** All of the table's own that snapshots reached which aren't in the metadata any more. */
  void addExpired(List<Told> told) throws InterruptedException {
    List<Told> expired = told.stream().filter(list -> isOwn(list.location())).toList();
    List<List<ManifestFile>> found = atOnce.map(expired, list -> manifests(list.location()));
    for (int i = 0; i < expired.size(); i++) {
      String ledger = expired.get(i).ledger();
      for (ManifestFile manifest : found.get(i)) {
        if (!isFull()
            && isOwn(manifest.path())
            && manifests.add(new Told(manifest.path(), ledger))) {
          OrphanRemoval.requireGoingOn();
          read(manifest, true, location -> addFile(new Told(location, ledger)));
        }
      }
      boolean _ = lists.add(expired.get(i));
    }
  }

  private void addFile(Told file) {
    if (isOwn(file.location())) {
      boolean _ = files.add(file);
    }
  }

  private boolean isOwn(String location) {
    boolean is = own.test(location);
    if (!is && outside.size() < MAX_OUTSIDE) {
      outside.add(location);
    }
    return is;
  }

  /** What expired snapshots name outside of the table's own locations; it stays. */
  Set<String> outside() {
    return outside;
  }

  /** Empty when the list is gone: an earlier run, or another engine, was here. */
  private List<ManifestFile> manifests(String list) {
    try {
      return SnapshotParser.fromJson(
              "{\"snapshot-id\":1,\"timestamp-ms\":0,\"manifest-list\":%s}".formatted(quoted(list)))
          .allManifests(io);
    } catch (NotFoundException _) {
      return List.of();
    }
  }

  private static String quoted(String text) {
    return "\"" + text.replace("\\", "\\\\").replace("\"", "\\\"") + "\"";
  }

  /** Whether nothing is left. */
  boolean isEmpty() {
    return files.size == 0 && manifests.size == 0 && lists.size == 0;
  }

  /** Whatever kind it was taken for. */
  private void keep(String location) {
    files.remove(location);
    manifests.remove(location);
    lists.remove(location);
  }

  /** Takes out what snapshots reached which aren't in the metadata any more, but were of late. */
  void keepExpired(List<String> expired) {
    expired.forEach(this::keep);
    if (files.size == 0 && manifests.size == 0) {
      return;
    }
    List<ManifestFile> reached =
        atOnce.map(expired, this::unseen).stream()
            .flatMap(List::stream)
            .filter(manifest -> seen.add(manifest.path()))
            .toList();
    reached.forEach(manifest -> keep(manifest.path()));
    if (files.size > 0) {
      atOnce.map(reached, this::known).forEach(known -> known.forEach(this::keep));
    }
  }

  private List<ManifestFile> unseen(String list) {
    return manifests(list).stream().filter(manifest -> !seen.contains(manifest.path())).toList();
  }

  /** Files of a manifest that may be orphans as yet. */
  private List<String> known(ManifestFile manifest) {
    List<String> known = new ArrayList<>();
    read(
        manifest,
        true,
        location -> {
          if (files.has(location)) {
            known.add(location);
          }
        });
    return known;
  }

  /**
   * Takes out what any snapshot reaches.
   *
   * @throws WingsException UNAVAILABLE {@code snapshot-unavailable}: another engine expired one
   *     since the metadata was loaded
   */
  void keepReachable() throws InterruptedException {
    try {
      for (Snapshot snapshot : metadata.snapshots()) {
        keepReachable(snapshot);
      }
    } catch (NotFoundException e) {
      throw WingsException.unavailable(
          "snapshot-unavailable", "files of a snapshot went while they were read; look again", e);
    }
  }

  private void keepReachable(Snapshot snapshot) throws InterruptedException {
    String list = snapshot.manifestListLocation();
    if (list != null) {
      keep(list);
    }
    for (ManifestFile manifest : snapshot.allManifests(io)) {
      if (seen.add(manifest.path())) {
        keep(manifest.path());
        if (files.size > 0) {
          OrphanRemoval.requireGoingOn();
          read(manifest, false, this::keep);
        }
      }
    }
  }

  /**
   * @param mayBeGone whether a manifest that isn't there is as good as an empty one
   * @param visit is told each file's location
   */
  private void read(ManifestFile manifest, boolean mayBeGone, Consumer<String> visit) {
    try (ManifestReader<? extends ContentFile<?>> reader = open(manifest)) {
      for (ContentFile<?> file : reader) {
        visit.accept(file.location());
      }
    } catch (NotFoundException e) {
      if (!mayBeGone) {
        throw e;
      }
    } catch (IOException e) {
      throw WingsException.unavailable(
          "catalog-storage-unavailable", "a manifest can't be read: " + e.getMessage(), e);
    }
  }

  private ManifestReader<? extends ContentFile<?>> open(ManifestFile manifest) {
    return manifest.content() == ManifestContent.DATA
        ? ManifestFiles.read(manifest, io, metadata.specsById())
        : ManifestFiles.readDeleteManifest(manifest, io, metadata.specsById());
  }

  /** In stages: what tells of others goes when they are gone. */
  List<List<Told>> inOrder() {
    return Stream.of(files, manifests, lists)
        .map(locations -> locations.byName.values().stream().flatMap(List::stream).toList())
        .toList();
  }
}
