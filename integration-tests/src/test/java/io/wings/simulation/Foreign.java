package io.wings.simulation;

import io.wings.catalog.own.OwnCatalog;
import io.wings.common.objectstore.StoreException;
import io.wings.simulation.kernel.SimulatedProcess;
import java.time.Duration;
import java.util.Collections;
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
  private static final String PREFIX = "foreign-";

  /** At once on a table. */
  static final int MOST_ENGINES = 5;

  private static final String NOTHING = "had nothing to do";
  private static final int MAX_LOOKS = 5;

  /** What it does. */
  enum Act {
    /** Rows that no client of Wings sent. */
    APPEND(1),
    /** Small files become one, the small ones are gone with the snapshots that hold them. */
    COMPACT(6),
    /** Down to one snapshot, files included. */
    EXPIRE(3),
    /** Main goes back to one of its ancestors. */
    ROLL_BACK(6),
    /** One manifest instead of many. */
    REWRITE_MANIFESTS(5),
    /** A tag or a branch comes or goes. */
    REFER(6),
    ADD_COLUMN(1),
    RENAME_COLUMN(4),
    DROP_COLUMN(4),
    MOVE_COLUMN(4),
    WIDEN_COLUMN(6),
    SET_PROPERTY(4),
    EVOLVE_SPEC(4),
    /** CREATE OR REPLACE TABLE. */
    REPLACE(3),
    /** Another name; a table of another kind gets the old one, now and then. */
    RENAME(4);

    private final int times;

    /**
     * @param times as often as others it is tried; as some are done for others, or often in vain
     */
    Act(int times) {
      this.times = times;
    }

    /** What is done first where there is nothing yet that it could be done to. */
    @Nullable Act needs() {
      return switch (this) {
        case COMPACT, EXPIRE, ROLL_BACK, REWRITE_MANIFESTS, REFER -> APPEND;
        case RENAME_COLUMN, DROP_COLUMN, WIDEN_COLUMN -> ADD_COLUMN;
        case APPEND, ADD_COLUMN, MOVE_COLUMN, SET_PROPERTY, EVOLVE_SPEC, REPLACE, RENAME -> null;
      };
    }

    /** The kind of fault as it is counted. */
    @Override
    public String toString() {
      return "foreign " + name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }
  }

  /** Whether it is in the midst of something; outlives its process. */
  static final class Progress {
    private final int engine;
    private boolean busy;
    private int statements;

    /**
     * @param engine its number, from 1
     */
    Progress(int engine) {
      this.engine = engine;
    }

    String name() {
      return PREFIX + engine;
    }

    boolean idle() {
      return !busy;
    }

    /** A number for a statement, another for each of any engine. */
    private int next() {
      return MOST_ENGINES * statements++ + engine - 1;
    }
  }

  /** Whether it is another engine's. */
  static boolean is(SimulatedProcess process) {
    return process.name().startsWith(PREFIX);
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
    this.acts =
        world.scenario().table().acts().stream()
            .sorted()
            .flatMap(act -> Collections.nCopies(act.times, act).stream())
            .toList();
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
      Act needed = act.needs();
      if (!attempt(act) && needed != null) {
        boolean _ = attempt(needed) && attempt(act);
      }
      progress.busy = false;
    }
  }

  /** Says what a person would be told who asked for it; false when there is nothing to do. */
  private boolean attempt(Act act) throws InterruptedException {
    String ended = ended(act);
    world.scheduler().trace().line(world.scheduler().now(), progress.name(), act + " " + ended);
    return !ended.equals(NOTHING);
  }

  private String ended(Act act) throws InterruptedException {
    try {
      if (!new ForeignTable(world, catalog(), loaded(), progress.next()).does(act)) {
        return NOTHING;
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
