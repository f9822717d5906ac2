package io.wings.simulation;

import io.wings.common.objectstore.ObjectHead;
import io.wings.simulation.kernel.SimulatedProcess;
import io.wings.simulation.kernel.SimulatedS3;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * Once nothing happens any more and the grace times have passed, no file is left that no snapshot
 * reaches, nor a ledger that could still tell of one.
 */
final class Leftovers implements SimulatedS3.Observer {
  private final World world;
  private final Set<String> byWorkers = new TreeSet<>();

  /** A put of these that lands now was overtaken: the grace time of a run is shorter than that. */
  private final Set<String> deleted = new HashSet<>();

  Leftovers(World world) {
    this.world = world;
  }

  @Override
  public void written(SimulatedProcess by, String key, byte[] bytes) {
    boolean landedLate = deleted.contains(key);
    if (by.name().startsWith("worker") && !key.endsWith(".json") && !landedLate) {
      byWorkers.add(SimulatedFileIO.ROOT + key);
    }
  }

  /** Another engine expired what reached these. */
  void leaveToOthers(Set<String> locations) {
    byWorkers.removeAll(locations);
  }

  @Override
  public void deleted(SimulatedProcess by, String key) {
    byWorkers.remove(SimulatedFileIO.ROOT + key);
    deleted.add(key);
  }

  /** Ledgers, and files that workers wrote and no snapshot reaches. */
  List<String> found() {
    List<String> found = new ArrayList<>();
    Iterator<ObjectHead> keys = world.cluster().truth().list("", "");
    while (keys.hasNext()) {
      String key = keys.next().key();
      if (key.contains("/passes/")) {
        found.add(key);
      }
    }
    for (String file : byWorkers) {
      if (world.table().owns(file) && !world.live().areNeeded(file)) {
        found.add(file);
      }
    }
    return found;
  }
}
