package io.wings.worker.orphan;

import io.wings.common.error.WingsException;
import java.io.IOException;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
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
 * to reach them. A file is known by its name, the last part of its location: one location can be
 * spelled in several ways, and a name that any snapshot reaches is kept wherever it is.
 */
final class Candidates {
  /** Of one run; with more it stops, and the ledgers stay. */
  static final int MAX_FILES = 1_000_000;

  private final TableMetadata metadata;
  private final FileIO io;

  private final Locations files = new Locations();
  private final Locations manifests = new Locations();
  private final Locations lists = new Locations();

  /** Manifests that were looked at for what is to be kept. */
  private final Set<String> seen = new HashSet<>();

  /** Locations by name. */
  private static final class Locations {
    private final Map<String, Set<String>> byName = new LinkedHashMap<>();
    private int size;

    boolean add(String location) {
      boolean added =
          byName.computeIfAbsent(name(location), _ -> new LinkedHashSet<>()).add(location);
      size += added ? 1 : 0;
      return added;
    }

    boolean remove(String location) {
      Set<String> removed = byName.remove(name(location));
      size -= removed == null ? 0 : removed.size();
      return removed != null;
    }

    private static String name(String location) {
      return location.substring(location.lastIndexOf('/') + 1);
    }
  }

  /**
   * @param metadata freshly loaded
   */
  Candidates(TableMetadata metadata, FileIO io) {
    this.metadata = metadata;
    this.io = io;
  }

  /** A data file, by the name that a ledger's pass gave it. */
  void add(String file) {
    boolean _ = files.add(file);
    requireRoom();
  }

  /** What a post wrote: its list and the manifests in it, not what those name. */
  void addPosted(String list) throws InterruptedException {
    for (ManifestFile manifest : manifests(list)) {
      boolean _ = manifests.add(manifest.path());
    }
    boolean _ = lists.add(list);
    requireRoom();
  }

  /** All that a snapshot reached which isn't in the metadata any more. */
  void addExpired(String list) throws InterruptedException {
    for (ManifestFile manifest : manifests(list)) {
      if (manifests.add(manifest.path())) {
        read(manifest, true, files::add);
        requireRoom();
      }
    }
    boolean _ = lists.add(list);
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

  /** Takes out what a snapshot reached which isn't in the metadata any more, but was of late. */
  void keepExpired(String list) throws InterruptedException {
    boolean _ = lists.remove(list);
    if (files.size == 0 && manifests.size == 0) {
      return;
    }
    for (ManifestFile manifest : manifests(list)) {
      if (seen.add(manifest.path())) {
        boolean _ = manifests.remove(manifest.path());
        if (files.size > 0) {
          read(manifest, true, files::remove);
        }
      }
    }
  }

  /** Takes out what any snapshot reaches. */
  void keepReachable() throws InterruptedException {
    for (Snapshot snapshot : metadata.snapshots()) {
      String list = snapshot.manifestListLocation();
      if (list != null) {
        boolean _ = lists.remove(list);
      }
      for (ManifestFile manifest : snapshot.allManifests(io)) {
        if (seen.add(manifest.path())) {
          boolean _ = manifests.remove(manifest.path());
          if (files.size > 0) {
            read(manifest, false, files::remove);
          }
        }
      }
    }
  }

  /** What is to be done with a file's location. */
  private interface Visit {
    boolean at(String location);
  }

  /**
   * @param mayBeGone whether a manifest that isn't there is as good as an empty one
   */
  private void read(ManifestFile manifest, boolean mayBeGone, Visit visit)
      throws InterruptedException {
    if (Thread.interrupted()) {
      throw new InterruptedException("removal of orphans was told to stop");
    }
    try (ManifestReader<? extends ContentFile<?>> reader = open(manifest)) {
      for (ContentFile<?> file : reader) {
        boolean _ = visit.at(file.location());
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

  private void requireRoom() {
    if (files.size + manifests.size > MAX_FILES) {
      throw WingsException.unavailable(
          "too-many-orphans",
          "more than " + MAX_FILES + " files may be orphans; see the log",
          null);
    }
  }

  /** In stages: what tells of others goes when they are gone. */
  List<List<String>> inOrder() {
    return Stream.of(files, manifests, lists)
        .map(locations -> locations.byName.values().stream().flatMap(Set::stream).toList())
        .toList();
  }
}
