package io.wings.simulation;

import io.wings.broker.core.QueueRules;
import io.wings.broker.loop.Broker;
import io.wings.broker.loop.BrokerEvents;
import io.wings.broker.loop.BrokerStatus;
import io.wings.broker.loop.BrokerTiming;
import io.wings.catalog.Catalogs;
import io.wings.catalog.table.MaterializeTask;
import io.wings.catalog.table.TableFiles;
import io.wings.common.concurrent.Threads;
import io.wings.common.id.Ids;
import io.wings.common.objectstore.ObjectStore;
import io.wings.common.queue.Task;
import io.wings.common.queue.TaskQueue;
import io.wings.common.retry.Backoff;
import io.wings.common.time.Time;
import io.wings.simulation.kernel.SimulatedProcess;
import io.wings.worker.lease.LeaseLoop;
import io.wings.worker.lease.LeaseObserver;
import io.wings.worker.lease.LeaseSettings;
import io.wings.worker.ledger.Ledgers;
import io.wings.worker.materialize.MaterializeHandler;
import io.wings.worker.materialize.MaterializePass;
import io.wings.worker.materialize.MaterializeSettings;
import io.wings.worker.materialize.PassObserver;
import io.wings.worker.materialize.RowWriter;
import io.wings.worker.orphan.OrphanHandler;
import io.wings.worker.orphan.OrphanObserver;
import io.wings.worker.orphan.OrphanRemoval;
import io.wings.worker.orphan.OrphanSettings;
import io.wings.worker.prune.Prune;
import io.wings.worker.prune.PruneHandler;
import io.wings.worker.prune.PruneObserver;
import io.wings.worker.sweep.SweepHandler;
import io.wings.worker.table.TableLooks;
import java.time.Duration;
import java.util.Map;
import java.util.regex.Pattern;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;

/** Brokers, workers and ingestors, wired as their servers wire them, without transports. */
final class Servers {
  private static final Duration SWEEP_EVERY = Duration.ofSeconds(12);

  /** Failures that pass. */
  private static final Pattern HARMLESS =
      Pattern.compile(".*-unavailable|store-clock-unknown|retries-exhausted|ledger-closed");

  /** Of a pass under whose feet the table got another name; the next one follows it. */
  private static final Pattern RENAMED = Pattern.compile("table-not-found|table-replaced");

  /** What a broker's server lets it try to step down. */
  private static final Duration STEP_DOWN = Duration.ofSeconds(3);

  private Servers() {}

  static void ingestor(World world, SimulatedProcess process) {
    IngestorCore ingestor = new IngestorCore(world, process);
    world.ingestor(process.name(), ingestor);
    world.onDrain(process, ingestor::drain);
  }

  static void balancer(World world, SimulatedProcess process) {
    BalancerCore balancer = new BalancerCore(world, process);
    world.balancer(process.name(), balancer);
    world.onDrain(process, balancer::drain);
  }

  /** As they are, but with sweeps that are worth the time of a run. */
  private static QueueRules rules(Scenario scenario) {
    QueueRules usual = QueueRules.DEFAULT;
    if (!scenario.sweepsOften()) {
      return usual;
    }
    Duration grace = scenario.table().orphanGrace();
    Duration every = grace.compareTo(SWEEP_EVERY) < 0 ? grace : SWEEP_EVERY;
    return new QueueRules(
        usual.lease(),
        usual.firstBackoff(),
        usual.longestBackoff(),
        usual.expiriesPerFailure(),
        usual.failuresUntilParked(),
        usual.neverParked(),
        usual.maxSize(),
        usual.recurring().stream()
            .map(each -> new QueueRules.Recurring(each.task(), every))
            .toList());
  }

  static void broker(World world, SimulatedProcess process) {
    Broker broker =
        new Broker(
            world.wiring().store(world, process),
            rules(world.scenario()),
            BrokerTiming.DEFAULT,
            new Counting(world, process),
            world.wiring().time(process),
            world.wiring().ids(process));
    // Its successor has the same address: one that was taken for dead and comes back isn't reached.
    world.broker(process.name(), broker);
    Thread loop =
        process.start(
            "broker-loop",
            () -> {
              try {
                broker.run(process.name() + ":7000");
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            });
    world.onDrain(process, () -> stop(broker, loop, process.time()));
  }

  private static void stop(Broker broker, Thread loop, Time time) throws InterruptedException {
    broker.leave();
    long began = time.nanos();
    while (loop.isAlive() && time.since(began).compareTo(STEP_DOWN) < 0) {
      time.sleep(Duration.ofMillis(50));
    }
    loop.interrupt();
  }

  static void worker(World world, SimulatedProcess process) {
    ObjectStore store = world.wiring().store(world, process);
    Time time = world.wiring().time(process);
    Ids ids = world.wiring().ids(process);
    Threads threads = process.threadFactory();
    TaskQueue queue = world.wiring().queue(world, process, store);
    Catalogs catalogs = new SimulatedCatalogs(world, process);
    Ledgers ledgers = new Ledgers(store, process.name(), time, ids);
    TableLooks looks = new TableLooks(World.CLUSTER_ID, store, time, ids, Backoff.STORE, threads);
    MaterializeSettings settings =
        new MaterializeSettings(1 << 20, world.scenario().passSegments(), 2, 1 << 20, 2, 8 << 20);
    Duration grace = world.scenario().table().orphanGrace();
    BufferAllocator memory = new RootAllocator();
    MaterializePass pass =
        new MaterializePass(
            World.CLUSTER_ID,
            store,
            ledgers,
            settings,
            memory,
            PassObserver.none(),
            time,
            ids,
            threads);
    RowWriter writer =
        world.scenario().files() == Scenario.Files.DUCKDB
            ? new DuckFiles(process, memory)
            : new SmallFiles(world.scenario().files());
    Prune prune = new Prune(store, looks, PruneObserver.none(), time, ids);
    OrphanRemoval orphans =
        new OrphanRemoval(
            store,
            ledgers,
            looks,
            new OrphanSettings(grace, false),
            OrphanObserver.none(),
            ids,
            threads);
    LeaseLoop loop =
        new LeaseLoop(
            queue,
            OddTasks.beside(
                Map.of(
                    MaterializeTask.KIND,
                    new MaterializeHandler(
                        catalogs, work -> work.with(writer), pass, settings, queue),
                    SweepHandler.KIND,
                    new SweepHandler(
                        store, new TableFiles(store, time, ids), queue, grace, time, ids),
                    PruneHandler.KIND,
                    new PruneHandler(catalogs, prune, queue),
                    OrphanHandler.KIND,
                    new OrphanHandler(catalogs, orphans)),
                world,
                process),
            LeaseSettings.of(process.name(), world.scenario().slots()),
            new Observing(world),
            time,
            threads);
    loop.start();
    world.onDrain(process, loop::stop);
  }

  private record Counting(World world, SimulatedProcess process) implements BrokerEvents {
    @Override
    public void status(BrokerStatus status) {}

    @Override
    public void tookOver() {
      world.guards().count("broker took over");
    }

    @Override
    public void deposed() {
      world.guards().count("broker deposed");
      world.queueChecker().deposed(process);
    }

    @Override
    public void wrote(Duration took, int calls) {}

    @Override
    public void confirmed(Duration took, int calls) {
      world.guards().count("broker confirmed");
    }

    @Override
    public void storeFailed() {}

    @Override
    public void blind(String reason) {}

    @Override
    public void watching() {}
  }

  private record Observing(World world) implements LeaseObserver {
    @Override
    public void reached() {}

    @Override
    public void unreachable(String reason) {}

    @Override
    public void began(Task task) {
      world.wakeUps().begun(task.key(), world.scheduler().now());
    }

    @Override
    public void succeeded(Task task, Duration took) {
      world.guards().count("task succeeded");
    }

    @Override
    public void failed(Task task, String code, Duration took) {
      world.guards().count("task failed " + code);
      world.tasks().failed(task.key());
      boolean renamed = world.table().renames() > 0 && RENAMED.matcher(code).matches();
      if (!OddTasks.isOdd(task.kind()) && !renamed && !HARMLESS.matcher(code).matches()) {
        world.violated("task " + task.key() + " failed although nothing is wrong: " + code);
      }
    }

    @Override
    public void abandoned(Task task, Duration took) {
      world.guards().count("task abandoned");
    }
  }
}
