package io.wings.simulation;

import io.wings.common.flight.BatchResult;
import io.wings.simulation.Book.Row;
import io.wings.simulation.Book.Sent;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** What was answered visible is in the snapshot that the answer names. */
final class VisibleChecker {
  /** Snapshots whose rows are read in a run. */
  private static final int MAX_READ = 12;

  private final World world;
  private final Map<Long, Set<Sent>> told = new LinkedHashMap<>();

  VisibleChecker(World world) {
    this.world = world;
  }

  /** A client was told so now. */
  void told(Sent batch, BatchResult result) {
    Long snapshot = result.snapshotId();
    if (snapshot == null) {
      world.guards().count("visible in no known snapshot");
      return;
    }
    if (!world.table().hasCommitted(snapshot)) {
      world.violated(batch + " was told visible in a snapshot that was never committed: " + result);
    }
    boolean _ = told.computeIfAbsent(snapshot, _ -> new HashSet<>()).add(batch);
  }

  /** Reads the snapshots, as far as they are still there. */
  void check() {
    told.entrySet().stream().limit(MAX_READ).forEach(one -> check(one.getKey(), one.getValue()));
  }

  private void check(long snapshot, Set<Sent> batches) {
    Optional<Set<Row>> rows = world.table().rowsAt(snapshot);
    if (rows.isEmpty()) {
      world.guards().count("visible snapshot expired");
      return;
    }
    for (Sent batch : batches) {
      for (int row = 0; row < Batches.rows(batch.producer(), batch.sequence()); row++) {
        Row expected = new Row(batch.producer(), batch.attempt(), batch.sequence(), row);
        if (!rows.get().contains(expected)) {
          world.violated(
              "told visible in snapshot %d, not there: %s".formatted(snapshot, expected));
          return;
        }
      }
    }
  }
}
