package io.wings.simulation;

import io.wings.common.error.WingsException;
import io.wings.common.objectstore.Body;
import io.wings.common.objectstore.ObjectStore;
import io.wings.common.objectstore.PutCondition;
import io.wings.common.queue.TaskQueue;
import io.wings.common.queue.TaskSpec;
import io.wings.simulation.kernel.SimulatedProcess;
import io.wings.worker.lease.TaskHandler;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Tasks that are not as they should be, and a table that isn't either. */
final class OddTasks {
  /** Of a version that is still to come: no worker asks for it. */
  static final String LATER = "later";

  /** Fails always. */
  static final String FAILING = "failing";

  /** Kills the worker that runs it. */
  private static final String DEADLY = "deadly";

  private static final Duration AGAIN = Duration.ofSeconds(7);
  private static final Duration DEATH = Duration.ofSeconds(3);

  /** Below its prefix comes a {@code table.json} that can't be read. */
  private static final String BROKEN_TABLE =
      "catalogs/main/tables/00000000-0000-4000-8000-000000000000/table.json";

  private OddTasks() {}

  static boolean isOdd(String kind) {
    return kind.equals(LATER) || kind.equals(FAILING) || kind.equals(DEADLY);
  }

  /** A worker's handlers, and those of what is odd. */
  static Map<String, TaskHandler> beside(
      Map<String, TaskHandler> handlers, World world, SimulatedProcess process) {
    Map<String, TaskHandler> all = new HashMap<>(handlers);
    if (world.scenario().odd().tasks()) {
      all.put(
          FAILING,
          _ -> {
            throw WingsException.corrupt("odd", "as always");
          });
      all.put(DEADLY, _ -> die(world, process));
    }
    return all;
  }

  private static void die(World world, SimulatedProcess process) throws InterruptedException {
    world
        .scheduler()
        .after(
            Duration.ZERO,
            () -> {
              world.faults().count("worker killed by its task");
              process.kill();
              world
                  .scheduler()
                  .after(
                      DEATH,
                      () -> {
                        if (world.process(process.name()).dead()) {
                          world.start(process.name());
                        }
                      });
            });
    process.time().sleep(Duration.ofHours(1));
  }

  /** Goes on scheduling them as long as there is trouble. */
  static void schedule(World world, SimulatedProcess process) {
    ObjectStore store = world.cluster().of(process);
    if (world.scenario().odd().tasks()) {
      var _ =
          store.put(
              BROKEN_TABLE,
              Body.of("not JSON".getBytes(StandardCharsets.UTF_8)),
              PutCondition.any());
    }
    TaskQueue queue = new SimulatedQueue(world, process, store);
    List<TaskSpec> tasks =
        world.scenario().odd().tasks()
            ? List.of(spec(LATER), spec(FAILING), spec(DEADLY))
            : List.of(spec(LATER));
    Thread _ =
        process.start(
            "odd-tasks",
            () -> {
              try {
                while (world.troubled()) {
                  schedule(queue, tasks);
                  process.time().sleep(AGAIN);
                }
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            });
  }

  private static void schedule(TaskQueue queue, List<TaskSpec> tasks) {
    try {
      queue.schedule(tasks);
    } catch (WingsException _) {
      // No broker now; again later.
    }
  }

  private static TaskSpec spec(String kind) {
    return new TaskSpec(kind, kind + "/1", null, Map.of(), Duration.ZERO);
  }
}
