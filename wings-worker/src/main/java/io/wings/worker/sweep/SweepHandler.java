package io.wings.worker.sweep;

import io.wings.catalog.table.MaterializeTask;
import io.wings.catalog.table.TableFile;
import io.wings.catalog.table.TableFiles;
import io.wings.common.cluster.Keys;
import io.wings.common.cluster.TableId;
import io.wings.common.error.WingsException;
import io.wings.common.objectstore.ObjectHead;
import io.wings.common.objectstore.ObjectStore;
import io.wings.common.objectstore.StoreException;
import io.wings.common.queue.Task;
import io.wings.common.queue.TaskQueue;
import io.wings.common.queue.TaskSpec;
import io.wings.worker.lease.TaskHandler;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs a sweep. */
public final class SweepHandler implements TaskHandler {
  public static final String KIND = "sweep";

  /** Tasks that are scheduled in one call. */
  private static final int BATCH = 500;

  private static final Logger LOG = LoggerFactory.getLogger(SweepHandler.class);

  private final ObjectStore store;
  private final TableFiles files;
  private final TaskQueue queue;

  /**
   * @param store the cluster's
   */
  public SweepHandler(ObjectStore store, TableFiles files, TaskQueue queue) {
    this.store = store;
    this.files = files;
    this.queue = queue;
  }

  @Override
  public void run(Task task) throws InterruptedException {
    Set<String> named = queue.list().stream().map(Task::key).collect(Collectors.toSet());
    Sweep sweep = new Sweep(named);
    try {
      Iterator<ObjectHead> listing = store.list(Keys.CATALOGS, "");
      while (listing.hasNext()) {
        if (Thread.interrupted()) {
          throw new InterruptedException("the sweep was told to stop");
        }
        TableKey.parse(listing.next().key()).ifPresent(sweep::saw);
      }
      sweep.end();
    } catch (StoreException e) {
      throw WingsException.unavailable("store-unavailable", "sweep: " + e.getMessage(), e);
    }
    LOG.info("sweep: {} tables, {} of them behind without a task", sweep.tables, sweep.behind);
  }

  /**
   * One run. Keys come in order, and a table's segments come before its {@code table.json}, so one
   * table is known at a time.
   */
  private final class Sweep {
    private final Set<String> named;
    private final List<TaskSpec> found = new ArrayList<>();
    private @Nullable TableHeads current;
    private long tables;
    private long behind;

    Sweep(Set<String> named) {
      this.named = named;
    }

    void saw(TableKey key) {
      TableHeads heads = current;
      if (heads == null || !heads.table().equals(key.table())) {
        heads = new TableHeads(key.table());
        current = heads;
      }
      switch (key) {
        case TableKey.Segment(_, String incarnation, int lane, long number) ->
            heads.saw(incarnation, lane, number);
        case TableKey.File(TableId table) -> {
          tables++;
          compare(table, heads);
        }
        case TableKey.Other(_) -> {}
      }
    }

    private void compare(TableId table, TableHeads heads) {
      MaterializeTask task = new MaterializeTask(table);
      if (named.contains(task.key())) {
        return;
      }
      Optional<TableFile> file = read(table);
      if (file.isPresent() && isBehind(file.get(), heads)) {
        behind++;
        found.add(task.spec(Duration.ZERO));
        if (found.size() == BATCH) {
          end();
        }
      }
    }

    /** One table's unreadable file must not keep the others from being seen. */
    private Optional<TableFile> read(TableId table) {
      try {
        return files.read(table);
      } catch (WingsException e) {
        LOG.error("sweep: table {} is left out: {}", table, e.getMessage());
        return Optional.empty();
      }
    }

    private static boolean isBehind(TableFile file, TableHeads heads) {
      for (int lane = 0; lane < file.lanes(); lane++) {
        if (heads.head(file.incarnation(), lane) > file.watermarks().get(lane)) {
          return true;
        }
      }
      return false;
    }

    void end() {
      if (!found.isEmpty()) {
        queue.schedule(List.copyOf(found));
        found.clear();
      }
    }
  }
}
