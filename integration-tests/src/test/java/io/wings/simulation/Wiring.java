package io.wings.simulation;

import io.wings.catalog.own.OwnCatalog;
import io.wings.common.id.Ids;
import io.wings.common.objectstore.ObjectStore;
import io.wings.common.queue.TaskQueue;
import io.wings.common.time.Time;
import io.wings.simulation.kernel.SimulatedProcess;
import org.apache.iceberg.catalog.Catalog;

/** What production code is given. A mutant gives it something else in one place. */
interface Wiring {
  /** The cluster's store, as a process of a role sees it. */
  default ObjectStore store(World world, SimulatedProcess process) {
    return world.cluster().of(process);
  }

  /** The tenant's catalog. */
  default Catalog catalog(World world, SimulatedProcess process, OwnCatalog own) {
    if (world.scenario().table().served()) {
      return new ServedCatalog(world, process, own);
    }
    return world.scenario().unreliableCatalog()
        ? new UnreliableCatalog(world, process, own, UnreliableCatalog.Client.ONE_POST)
        : own;
  }

  default Ids ids(SimulatedProcess process) {
    return process.ids();
  }

  default Time time(SimulatedProcess process) {
    return process.time();
  }

  default TaskQueue queue(World world, SimulatedProcess process, ObjectStore store) {
    return new SimulatedQueue(world, process, store);
  }

  /** Production as it is. */
  Wiring PRODUCTION = new Wiring() {};
}
