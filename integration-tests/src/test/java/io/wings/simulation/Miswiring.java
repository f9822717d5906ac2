package io.wings.simulation;

import io.wings.catalog.own.OwnCatalog;
import io.wings.common.objectstore.ObjectStore;
import io.wings.simulation.kernel.SimulatedProcess;
import org.apache.iceberg.catalog.Catalog;

/** Mutants that are production as it is, given something that breaks one of its assumptions. */
enum Miswiring {
  /** P6: a segment's put whose outcome is unknown is taken for a success. */
  UNKNOWN_IS_WRITTEN(stores(store -> new MutantStore(store, MutantStore.Fault.UNKNOWN_IS_WRITTEN))),
  /** Trap 14: a store that ignores if-absent. */
  IGNORES_IF_ABSENT(stores(store -> new MutantStore(store, MutantStore.Fault.IGNORES_IF_ABSENT))),
  /** Trap 14: a store that ignores if-version. */
  IGNORES_IF_VERSION(stores(store -> new MutantStore(store, MutantStore.Fault.IGNORES_IF_VERSION))),
  /** Traps 6 and 7: the catalog's client posts a commit again whose answer was lost. */
  CATALOG_POSTS_AGAIN(
      new Wiring() {
        @Override
        public Catalog catalog(World world, SimulatedProcess process, OwnCatalog own) {
          return new UnreliableCatalog(world, process, own, UnreliableCatalog.Client.POSTS_AGAIN);
        }
      });

  // Wirings hold nothing.
  @SuppressWarnings("ImmutableEnumChecker")
  private final Wiring wiring;

  Miswiring(Wiring wiring) {
    this.wiring = wiring;
  }

  Wiring wiring() {
    return wiring;
  }

  /** Another view of the cluster's store. */
  @FunctionalInterface
  private interface View {
    ObjectStore of(ObjectStore store);
  }

  private static Wiring stores(View view) {
    return new Wiring() {
      @Override
      public ObjectStore store(World world, SimulatedProcess process) {
        return view.of(world.cluster().of(process));
      }
    };
  }
}
