package io.wings.catalog.table;

import io.wings.common.cluster.LaneId;
import io.wings.common.wal.Boundaries;
import io.wings.common.wal.Boundary;
import java.util.Optional;

/** Closes a lane for good: whoever reads its boundary from then on concludes nothing from it. */
final class LaneClosing {
  private LaneClosing() {}

  /** By CAS, idempotent; a lane without a boundary gets a closed one. */
  static void close(Boundaries boundaries, LaneId lane) {
    Optional<Boundary> _ =
        boundaries
            .object(lane)
            .update(
                current ->
                    current.filter(Boundary::closed).isPresent()
                        ? Optional.empty()
                        : Optional.of(
                            new Boundary(current.map(Boundary::number).orElse(0L), true)));
  }
}
