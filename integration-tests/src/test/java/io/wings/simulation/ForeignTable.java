package io.wings.simulation;

import static java.util.Objects.requireNonNull;

import io.wings.simulation.Book.Sent;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.apache.iceberg.AppendFiles;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.ExpireSnapshots;
import org.apache.iceberg.ManifestFile;
import org.apache.iceberg.ManifestFiles;
import org.apache.iceberg.ManifestReader;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.RewriteFiles;
import org.apache.iceberg.RewriteManifests;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.SnapshotRef;
import org.apache.iceberg.SnapshotUpdate;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.Catalog;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.data.GenericRecord;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.util.SnapshotUtil;

/** One statement of another engine on the table, from load to commit. */
final class ForeignTable {
  /** Producer of the rows that another engine appends. */
  static final int PRODUCER = 1_000;

  /** Files that one compaction takes. */
  private static final int MAX_COMPACTED = 12;

  /** Branches and tags beside main. */
  private static final int MAX_REFS = 4;

  private final World world;
  private final Random random;
  private final Catalog catalog;
  private final Table table;
  private final int number;

  /**
   * @param number of this statement, another for each
   */
  ForeignTable(World world, Catalog catalog, Table table, int number) {
    this.catalog = catalog;
    this.world = world;
    this.random = world.scheduler().choices();
    this.table = table;
    this.number = number;
  }

  /** Does it; false when there is nothing to do. */
  boolean does(Foreign.Act act) {
    ForeignAlter alter = new ForeignAlter(table, random, number);
    return switch (act) {
      case APPEND -> append();
      case COMPACT -> compact();
      case EXPIRE -> expire();
      case ROLL_BACK -> rollBack();
      case REWRITE_MANIFESTS -> rewriteManifests();
      case REFER -> refer();
      case ADD_COLUMN -> alter.addColumn();
      case RENAME_COLUMN -> alter.renameColumn();
      case DROP_COLUMN -> alter.dropColumn();
      case MOVE_COLUMN -> alter.moveColumn();
      case WIDEN_COLUMN -> alter.widenColumn();
      case SET_PROPERTY -> alter.setProperty();
      case EVOLVE_SPEC -> alter.evolveSpec();
      case REPLACE -> alter.replace();
      case RENAME -> rename();
    };
  }

  private static <T extends SnapshotUpdate<T>> void commit(T update) {
    update.scanManifestsWith(Direct.EXECUTOR);
    update.writeManifestsWith(Direct.EXECUTOR, 1);
    update.commit();
  }

  private String fileName() {
    return "foreign-" + number + "-" + random.nextInt(1 << 30);
  }

  private List<DataFile> write(List<Record> rows) {
    try {
      return RowFiles.write(table, fileName(), rows, world.scenario().files());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private boolean append() {
    Sent batch = new Sent(PRODUCER, 0, number);
    List<Record> rows = new ArrayList<>();
    for (int row = 0; row < Batches.rows(batch.producer(), batch.sequence()); row++) {
      Record record = GenericRecord.create(table.schema());
      record.setField("producer", batch.producer());
      record.setField("attempt", batch.attempt());
      record.setField("sequence", batch.sequence());
      record.setField("row", row);
      rows.add(record);
    }
    world.book().sent(batch);
    AppendFiles append = table.newAppend();
    write(rows).forEach(append::appendFile);
    commit(append);
    world.book().acked(batch, 0);
    return true;
  }

  private boolean compact() {
    if (table.currentSnapshot() == null) {
      return false;
    }
    List<DataFile> small = small();
    if (small.size() < 2) {
      return false;
    }
    List<Record> rows = new ArrayList<>();
    small.forEach(file -> rows.addAll(RowFiles.read(table.io(), file, table.schema())));
    RewriteFiles rewrite =
        table.newRewrite().validateFromSnapshot(table.currentSnapshot().snapshotId());
    small.forEach(rewrite::deleteFile);
    write(rows).forEach(rewrite::addFile);
    commit(rewrite);
    return true;
  }

  /**
   * Some of the files. The library's own scan sleeps on the true clock where a manifest is gone.
   */
  private List<DataFile> small() {
    List<DataFile> small = new ArrayList<>();
    for (ManifestFile manifest : table.currentSnapshot().dataManifests(table.io())) {
      try (ManifestReader<DataFile> reader =
          ManifestFiles.read(manifest, table.io(), table.specs())) {
        for (DataFile file : reader) {
          if (small.size() < MAX_COMPACTED && random.nextInt(4) > 0) {
            small.add(file.copy());
          }
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    return small;
  }

  private boolean expire() {
    if (table.currentSnapshot() == null) {
      return false;
    }
    Set<String> gone = reached();
    table
        .expireSnapshots()
        .expireOlderThan(Long.MAX_VALUE)
        .retainLast(1)
        .cleanupLevel(ExpireSnapshots.CleanupLevel.NONE)
        .commit();
    table.refresh();
    gone.removeAll(reached());
    gone.forEach(table.io()::deleteFile);
    return true;
  }

  /**
   * All files of all snapshots. As Spark's action does it: what was reached before and isn't after
   * is deleted. The library's own way goes through sets whose order is that of the true time.
   */
  private Set<String> reached() {
    Set<String> all = new TreeSet<>();
    for (Snapshot snapshot : table.snapshots()) {
      all.add(snapshot.manifestListLocation());
      for (ManifestFile manifest : snapshot.allManifests(table.io())) {
        if (all.add(manifest.path())) {
          try (ManifestReader<DataFile> reader =
              ManifestFiles.read(manifest, table.io(), table.specs())) {
            reader.forEach(file -> all.add(file.location()));
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        }
      }
    }
    return all;
  }

  private boolean rollBack() {
    List<Long> ancestors = SnapshotUtil.currentAncestorIds(table);
    if (ancestors.size() < 2) {
      return false;
    }
    long to = ancestors.get(1 + random.nextInt(Math.min(ancestors.size() - 1, 5)));
    table.manageSnapshots().rollbackTo(to).commit();
    return true;
  }

  private boolean rewriteManifests() {
    if (table.currentSnapshot() == null) {
      return false;
    }
    RewriteManifests rewrite = table.rewriteManifests().clusterBy(_ -> "");
    commit(rewrite);
    return true;
  }

  private boolean rename() {
    TableIdentifier from = world.table().name();
    catalog.renameTable(from, TableIdentifier.of(from.namespace(), "renamed_" + number));
    if (random.nextBoolean()) {
      catalog.createTable(
          from,
          new Schema(Types.NestedField.optional(1, "other", Types.DoubleType.get())),
          PartitionSpec.unpartitioned(),
          Map.of("format-version", "3"));
      world.guards().count("namesake created");
    }
    return true;
  }

  private boolean refer() {
    Set<String> refs = new HashSet<>(table.refs().keySet());
    refs.remove(SnapshotRef.MAIN_BRANCH);
    List<String> known = refs.stream().sorted().toList();
    if (known.size() >= MAX_REFS || (!known.isEmpty() && random.nextInt(3) == 0)) {
      String gone = known.get(random.nextInt(known.size()));
      if (requireNonNull(table.refs().get(gone)).isTag()) {
        table.manageSnapshots().removeTag(gone).commit();
      } else {
        table.manageSnapshots().removeBranch(gone).commit();
      }
      return true;
    }
    List<Long> snapshots = new ArrayList<>();
    for (Snapshot snapshot : table.snapshots()) {
      snapshots.add(snapshot.snapshotId());
    }
    if (snapshots.isEmpty()) {
      return false;
    }
    long on = snapshots.get(random.nextInt(snapshots.size()));
    if (random.nextBoolean()) {
      table.manageSnapshots().createTag("tag-" + number, on).commit();
    } else {
      table.manageSnapshots().createBranch("branch-" + number, on).commit();
    }
    return true;
  }
}
