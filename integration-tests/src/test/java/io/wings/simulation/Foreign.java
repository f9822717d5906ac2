package io.wings.simulation;

import io.wings.catalog.own.OwnCatalog;
import io.wings.common.objectstore.StoreException;
import io.wings.simulation.kernel.SimulatedProcess;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.Catalog;
import org.apache.iceberg.exceptions.CommitFailedException;
import org.apache.iceberg.exceptions.CommitStateUnknownException;
import org.apache.iceberg.exceptions.ServiceUnavailableException;
import org.apache.iceberg.exceptions.ValidationException;
import org.jspecify.annotations.Nullable;

/**
 * Another engine on the table, as Spark or Trino are: Iceberg's own library on a client of the
 * catalog of its own, with a FileIO that deletes.
 */
final class Foreign {
  /** Name of the process. */
  static final String NAME = "foreign";

  private static final int MAX_LOOKS = 5;

  /** What it does. */
  enum Act {
    /** Rows that no client of Wings sent. */
    APPEND,
    /** Small files become one, the small ones are gone with the snapshots that hold them. */
    COMPACT,
    /** Down to one snapshot, files included. */
    EXPIRE,
    /** Main goes back to one of its ancestors. */
    ROLL_BACK,
    /** One manifest instead of many. */
    REWRITE_MANIFESTS,
    /** A tag or a branch comes or goes. */
    REFER,
    ADD_COLUMN,
    RENAME_COLUMN,
    DROP_COLUMN,
    MOVE_COLUMN,
    WIDEN_COLUMN,
    SET_PROPERTY,
    EVOLVE_SPEC,
    /** CREATE OR REPLACE TABLE. */
    REPLACE,
    /** Another name; a table of another kind gets the old one, now and then. */
    RENAME;

    /** The kind of fault as it is counted. */
    @Override
    public String toString() {
      return "foreign " + name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }
  }

  /** Whether it is in the midst of something; outlives its process. */
  static final class Progress {
    private boolean busy;
    private int statements;

    boolean idle() {
      return !busy;
    }
  }

  private final World world;
  private final SimulatedProcess process;
  private final Progress progress;
  private final List<Act> acts;
  private @Nullable Catalog catalog;

  Foreign(World world, SimulatedProcess process, Progress progress) {
    this.world = world;
    this.process = process;
    this.progress = progress;
    this.acts = world.scenario().table().acts().stream().sorted().toList();
  }

  void start() {
    progress.busy = false;
    if (acts.isEmpty()) {
      return;
    }
    Thread _ =
        process.start(
            "engine",
            () -> {
              try {
                run();
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            });
  }

  private void run() throws InterruptedException {
    Random random = world.scheduler().choices();
    while (true) {
      long pause = world.scenario().table().pause().toMillis() * 2;
      process.time().sleep(Duration.ofMillis((long) (random.nextDouble() * pause)));
      if (!world.troubled()) {
        return;
      }
      Act act = acts.get(random.nextInt(acts.size()));
      progress.busy = true;
      String ended = attempt(act);
      progress.busy = false;
      world.scheduler().trace().line(world.scheduler().now(), NAME, act + " " + ended);
    }
  }

  /** What a person would be told who asked for it. */
  private String attempt(Act act) throws InterruptedException {
    try {
      if (!new ForeignTable(world, catalog(), loaded(), progress.statements++).does(act)) {
        return "had nothing to do";
      }
      world.faults().count(act.toString());
      return "done";
    } catch (CommitStateUnknownException _) {
      world.faults().count(act.toString());
      world.guards().count("foreign commit unknown");
      return "unknown";
    } catch (CommitFailedException | ValidationException e) {
      world.guards().count("foreign commit refused");
      return "refused: " + e.getClass().getSimpleName();
    } catch (RuntimeException e) {
      world.guards().count("foreign act failed");
      return "failed: " + e.getClass().getSimpleName();
    }
  }

  /** The table, by as many looks as its client's own retries take. */
  private Table loaded() throws InterruptedException {
    for (int look = 1; ; look++) {
      try {
        return catalog().loadTable(world.table().name());
      } catch (StoreException | ServiceUnavailableException e) {
        if (look == MAX_LOOKS) {
          throw e;
        }
        process.time().sleep(Duration.ofMillis(200));
      }
    }
  }

  private Catalog catalog() {
    Catalog known = catalog;
    if (known == null) {
      OwnCatalog own =
          SimulatedCatalogs.openOwn(world, process, SimulatedCatalogs.io(world, process));
      known = Wiring.PRODUCTION.catalog(world, process, own);
      catalog = known;
    }
    return known;
  }
}
