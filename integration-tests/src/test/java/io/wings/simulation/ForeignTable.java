package io.wings.simulation;

import io.wings.simulation.Book.Sent;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.apache.iceberg.AppendFiles;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.RewriteFiles;
import org.apache.iceberg.RewriteManifests;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.SnapshotRef;
import org.apache.iceberg.SnapshotUpdate;
import org.apache.iceberg.Table;
import org.apache.iceberg.data.GenericRecord;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.io.CloseableIterable;
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
  private final Table table;
  private final int number;

  /**
   * @param number of this statement, another for each
   */
  ForeignTable(World world, Table table, int number) {
    this.world = world;
    this.random = world.scheduler().choices();
    this.table = table;
    this.number = number;
  }

  /** Does it; false when there is nothing to do. */
  boolean does(Foreign.Act act) {
    return switch (act) {
      case APPEND -> append();
      case COMPACT -> compact();
      case EXPIRE -> expire();
      case ROLL_BACK -> rollBack();
      case REWRITE_MANIFESTS -> rewriteManifests();
      case REFER -> refer();
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
    List<DataFile> small = new ArrayList<>();
    try (CloseableIterable<FileScanTask> tasks =
        table.newScan().planWith(Direct.EXECUTOR).planFiles()) {
      for (FileScanTask task : tasks) {
        if (small.size() < MAX_COMPACTED && random.nextInt(4) > 0) {
          small.add(task.file());
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
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

  private boolean expire() {
    if (table.currentSnapshot() == null) {
      return false;
    }
    table
        .expireSnapshots()
        .expireOlderThan(Long.MAX_VALUE)
        .retainLast(1)
        .planWith(Direct.EXECUTOR)
        .executeDeleteWith(Direct.EXECUTOR)
        .commit();
    return true;
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

  private boolean refer() {
    Set<String> refs = new HashSet<>(table.refs().keySet());
    refs.remove(SnapshotRef.MAIN_BRANCH);
    List<String> known = refs.stream().sorted().toList();
    if (known.size() >= MAX_REFS || (!known.isEmpty() && random.nextInt(3) == 0)) {
      String gone = known.get(random.nextInt(known.size()));
      if (table.refs().get(gone).isTag()) {
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
