package io.wings.simulation;

import io.wings.catalog.own.OwnCatalog;
import io.wings.catalog.table.AdoptedTable;
import io.wings.catalog.table.Adoption;
import io.wings.catalog.table.Watermarks;
import io.wings.common.cluster.Keys;
import io.wings.common.cluster.LaneId;
import io.wings.common.objectstore.ObjectStore;
import io.wings.common.objectstore.PutCondition;
import io.wings.common.wal.LaneState;
import io.wings.common.wal.RulesRecord;
import io.wings.common.wal.SegmentFooter;
import io.wings.common.wal.SegmentWriter;
import io.wings.simulation.kernel.Scheduler;
import io.wings.simulation.kernel.SimulatedProcess;
import io.wings.simulation.kernel.Tally;
import io.wings.simulation.kernel.Trace;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.apache.arrow.memory.RootAllocator;
import org.apache.iceberg.AppendFiles;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableIdentifier;

/** One seed, played from start to verdict. */
final class Run {
  /** Within this, once faults have stopped, every client is done and every row visible. */
  private static final Duration RECOVERY = Duration.ofMinutes(20);

  /**
   * The same where a task kills its workers: until it is parked, what is leased beside it may die
   * with it again and again.
   */
  private static final Duration RECOVERY_BESIDE_DEADLY = Duration.ofMinutes(40);

  /** Sweeps, and both grace times of a ledger, with time to spare. */
  private static final Duration TIDY = Duration.ofMinutes(10);

  private static final Duration LOOK = Duration.ofMillis(250);
  private static final long MAX_STEPS = 3_000_000;

  /** What a run came to. */
  record Outcome(
      long seed,
      long hash,
      List<String> violations,
      List<String> lastLines,
      Tally faults,
      Tally guards,
      long acks,
      long rows,
      long commits,
      long segments,
      long steps,
      Duration virtual) {}

  private final World world;
  private final Chaos chaos;
  private final List<Producer.Progress> clients = new ArrayList<>();

  private Run(Scenario scenario, Wiring wiring, Trace trace) {
    this.world = new World(scenario, wiring, trace);
    this.chaos = new Chaos(world);
  }

  static Outcome of(Scenario scenario, Wiring wiring, Trace trace) {
    return new Run(scenario, wiring, trace).play();
  }

  private Outcome play() {
    Scheduler scheduler = world.scheduler();
    SimulatedProcess judge = new SimulatedProcess(scheduler, "judge", 0, Duration.ZERO);
    Thread _ =
        judge.start(
            "main",
            () -> {
              try {
                direct(judge);
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
              scheduler.stop();
            });
    scheduler.run(MAX_STEPS);
    Throwable failure = scheduler.failure();
    if (failure != null) {
      world.violated("the run failed: " + describe(failure));
    }
    for (String foreign : Set.copyOf(scheduler.foreign())) {
      world.violated("not deterministic: " + foreign);
    }
    long rows = 0;
    if (world.violations().isEmpty()) {
      Map<Book.Row, Integer> found = world.table().rows();
      rows = found.size();
      world.book().violations(found).forEach(world::violated);
      world.visible().check();
    }
    return new Outcome(
        world.scenario().seed(),
        scheduler.trace().hash(),
        List.copyOf(world.violations()),
        scheduler.trace().last(),
        world.faults(),
        world.guards(),
        world.book().acks(),
        rows,
        world.table().commits(),
        world.log().segments(),
        scheduler.steps(),
        Duration.ofNanos(scheduler.now()));
  }

  private static String describe(Throwable failure) {
    StringBuilder text = new StringBuilder(failure.toString());
    for (Throwable cause = failure.getCause(); cause != null; cause = cause.getCause()) {
      text.append("\n  caused by ").append(cause);
      StackTraceElement[] frames = cause.getStackTrace();
      for (int i = 0; i < Math.min(12, frames.length); i++) {
        text.append("\n    at ").append(frames[i]);
      }
    }
    return text.toString();
  }

  private void direct(SimulatedProcess judge) throws InterruptedException {
    createTable(judge);
    launch();
    world.trouble(true);
    OddTasks.schedule(world, judge);
    chaos.begin();
    boolean _ = await(judge, world.scenario().trouble());
    world.trouble(false);
    chaos.end();
    world.queueChecker().calm();
    Duration recovery = world.scenario().odd().tasks() ? RECOVERY_BESIDE_DEADLY : RECOVERY;
    if (!await(judge, recovery)) {
      world.violated(
          "%s after the last fault: clients done %s, watermark/head %s, task outstanding %s"
              .formatted(
                  recovery,
                  clients.stream().map(Producer.Progress::done).toList(),
                  world.table().lag(),
                  world.wakeUps().outstanding()));
    } else if (world.scenario().table().leftovers()) {
      tidy(judge);
    }
  }

  private boolean await(SimulatedProcess judge, Duration patience) throws InterruptedException {
    long end = world.scheduler().now() + patience.toNanos();
    while (world.scheduler().now() < end) {
      if (settled()) {
        return true;
      }
      world.ingestors().forEach(IngestorCore::check);
      world.balancers().forEach(BalancerCore::check);
      judge.time().sleep(LOOK);
    }
    return settled();
  }

  /** What a pass left behind goes once main has moved on and the grace times are over. */
  private void tidy(SimulatedProcess judge) throws InterruptedException {
    OwnCatalog catalog =
        SimulatedCatalogs.openOwn(world, judge, SimulatedCatalogs.io(world, judge));
    AppendFiles next = catalog.loadTable(world.table().name()).newFastAppend();
    next.scanManifestsWith(Direct.EXECUTOR);
    next.commit();
    long end = world.scheduler().now() + TIDY.toNanos();
    while (world.scheduler().now() < end && !world.leftovers().found().isEmpty()) {
      judge.time().sleep(LOOK.multipliedBy(8));
    }
    List<String> left = world.leftovers().found();
    if (!left.isEmpty()) {
      world.violated(TIDY + " after everything was visible there is still " + left);
    }
  }

  private boolean settled() {
    return clients.stream().allMatch(Producer.Progress::done)
        && world.foreign().stream().allMatch(Foreign.Progress::idle)
        && world.table().visible()
        && world.wakeUps().outstanding().isEmpty();
  }

  private void createTable(SimulatedProcess judge) {
    OwnCatalog catalog =
        SimulatedCatalogs.openOwn(world, judge, SimulatedCatalogs.io(world, judge));
    catalog.createNamespace(Namespace.of("db"), Map.of());
    var _ =
        catalog
            .buildTable(TableIdentifier.of("db", "t"), Batches.TABLE)
            .withProperty("format-version", "3")
            .withProperty(
                "wings.commit-interval", world.scenario().commitInterval().toMillis() + "ms")
            .withProperty("wings.wal.lanes", String.valueOf(world.scenario().lanes()))
            .withProperty("wings.wal.retention", world.scenario().retention().toSeconds() + "s")
            .withProperty(
                "wings.max-snapshots", String.valueOf(world.scenario().table().maxSnapshots()))
            .withProperties(copied())
            .withProperty(
                "wings.schema.evolution",
                world.scenario().table().addsColumns() ? "add-columns" : "strict")
            // The other engine's library tries again without sleeping on a clock that isn't ours.
            .withProperty("commit.retry.min-wait-ms", "0")
            .withProperty("commit.retry.max-wait-ms", "0")
            .create();
    if (world.scenario().prefilled() > 0) {
      prefill(judge, catalog);
    }
  }

  /** Every third table was made by copying another's properties, watermarks and all. */
  private Map<String, String> copied() {
    return world.scenario().seed() % 3 == 1
        ? new Watermarks(
                World.CLUSTER_ID,
                SimulatedCatalogs.MAIN,
                new UUID(1, 1),
                "0".repeat(32),
                List.of(7L))
            .toProperties()
        : Map.of();
  }

  /**
   * A log that is long already: segments with nothing in them, so that a checkpoint comes soon, or
   * is there.
   */
  private void prefill(SimulatedProcess judge, OwnCatalog catalog) {
    ObjectStore store = world.cluster().of(judge);
    AdoptedTable table =
        new Adoption(World.CLUSTER_ID, store, judge.time(), judge.ids(), judge.threadFactory())
            .adopt(SimulatedCatalogs.MAIN, catalog, TableIdentifier.of("db", "t"));
    for (int lane = 0; lane < table.lanes(); lane++) {
      LaneId id = table.lane(lane);
      LaneState state = new LaneState(id);
      for (long number = 1; number <= world.scenario().prefilled(); number++) {
        SegmentWriter empty =
            new SegmentWriter(id, number, judge.ids().hex(), "judge", judge.time().now());
        if (number % SegmentFooter.CHECKPOINT_EVERY == 0) {
          empty.checkpoint(state.checkpoint());
        }
        if (number == 1 && world.scenario().odd().remembered() > 0) {
          empty.entry(new RulesRecord(world.scenario().odd().rules()));
        }
        SegmentWriter.Segment segment = empty.finish();
        state.apply(segment.footer());
        var _ = store.put(Keys.segment(id, number), segment.body(), PutCondition.ifAbsent());
      }
    }
  }

  private void launch() {
    Scenario scenario = world.scenario();
    if (scenario.table().served()) {
      world.launch(
          CatalogServer.NAME, process -> world.catalogServer(new CatalogServer(world, process)));
    }
    for (int i = 1; i <= scenario.table().engines(); i++) {
      Foreign.Progress progress = new Foreign.Progress(i);
      world.foreign().add(progress);
      world.launch(progress.name(), process -> new Foreign(world, process, progress).start());
    }
    for (int i = 1; i <= scenario.brokers(); i++) {
      world.launch("broker-" + i, process -> Servers.broker(world, process));
    }
    for (int i = 1; i <= scenario.ingestors(); i++) {
      world.launch("ingestor-" + i, process -> Servers.ingestor(world, process));
    }
    for (int i = 1; i <= scenario.clients().balancers(); i++) {
      world.launch("balancer-" + i, process -> Servers.balancer(world, process));
    }
    for (int i = 1; i <= scenario.workers(); i++) {
      world.launch("worker-" + i, process -> Servers.worker(world, process));
    }
    Batches batches = new Batches(new RootAllocator());
    for (int i = 1; i <= scenario.producers(); i++) {
      int number = i;
      Producer.Progress progress = new Producer.Progress();
      clients.add(progress);
      world.launch(
          "client-" + i,
          process ->
              new Producer(world, process, batches, number, number <= scenario.named(), progress)
                  .start());
    }
    for (int i = 1; i <= scenario.clients().poison(); i++) {
      int number = scenario.producers() + i;
      Producer.Progress progress = Producer.Progress.ofPoison(world.scheduler().choices());
      clients.add(progress);
      world.launch(
          "client-poison-" + i,
          process -> new Producer(world, process, batches, number, false, progress).start());
    }
  }
}
