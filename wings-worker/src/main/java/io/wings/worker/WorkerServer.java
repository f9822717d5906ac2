package io.wings.worker;

import io.micrometer.core.instrument.MeterRegistry;
import io.wings.catalog.Catalogs;
import io.wings.catalog.table.MaterializeTask;
import io.wings.catalog.table.TableFiles;
import io.wings.common.concurrent.Threads;
import io.wings.common.id.Ids;
import io.wings.common.lifecycle.Lifecycle;
import io.wings.common.metrics.Readiness;
import io.wings.common.objectstore.ObjectStore;
import io.wings.common.queue.TaskQueue;
import io.wings.common.retry.Backoff;
import io.wings.common.time.Time;
import io.wings.worker.engine.DataEngine;
import io.wings.worker.engine.EngineSettings;
import io.wings.worker.lease.LeaseLoop;
import io.wings.worker.lease.TaskHandler;
import io.wings.worker.ledger.Ledgers;
import io.wings.worker.materialize.Engines;
import io.wings.worker.materialize.MaterializeHandler;
import io.wings.worker.materialize.MaterializePass;
import io.wings.worker.orphan.OrphanHandler;
import io.wings.worker.orphan.OrphanRemoval;
import io.wings.worker.prune.Prune;
import io.wings.worker.prune.PruneHandler;
import io.wings.worker.sweep.SweepHandler;
import io.wings.worker.table.TableLooks;
import java.util.Map;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The worker role, wired. */
public final class WorkerServer implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(WorkerServer.class);

  /** The part's name in readiness, logs and errors. */
  public static final String PART = "worker";

  /** Of DuckDB, for one pass: an engine per slot scales better than threads per engine. */
  private static final int ENGINE_THREADS = 1;

  private static final int UPLOADS = 4;

  private final Lifecycle lifecycle;

  private WorkerServer(Lifecycle lifecycle) {
    this.lifecycle = lifecycle;
  }

  /**
   * Asks for tasks and does them. Ready while the broker answers.
   *
   * @param cluster the cluster's id
   * @param store the cluster's, probed; not closed by this
   * @param catalogs of the cluster's tenants; not closed by this
   * @param queue the cluster's; not closed by this
   * @throws io.wings.common.error.WingsException {@code start-failed}
   */
  public static WorkerServer start(
      WorkerSettings settings,
      String cluster,
      ObjectStore store,
      Catalogs catalogs,
      TaskQueue queue,
      Time time,
      Ids ids,
      Threads threads,
      MeterRegistry registry,
      Readiness readiness) {
    readiness.notReady(PART, "starting");
    WorkerMetrics metrics = new WorkerMetrics(registry, readiness, time);
    Lifecycle lifecycle = new Lifecycle(PART);
    try {
      BufferAllocator allocator = lifecycle.add("memory", new RootAllocator());
      Engines engines =
          lifecycle.add(
              "engines",
              new Engines(settings.slots(), number -> engine(settings, number, allocator, time)));
      LeaseLoop loop =
          new LeaseLoop(
              queue,
              new Handlers(cluster, store, catalogs, queue, settings, metrics, time, ids, threads)
                  .byKind(engines, allocator, registry),
              settings.lease(),
              metrics,
              time,
              threads);
      lifecycle.start("leases", loop::start, loop::stop);
      LOG.info("worker {} takes {} tasks at once", settings.name(), settings.slots());
      return new WorkerServer(lifecycle);
    } catch (Exception e) {
      throw lifecycle.abandon(e);
    }
  }

  /** What the tasks of each kind are done with. */
  private record Handlers(
      String cluster,
      ObjectStore store,
      Catalogs catalogs,
      TaskQueue queue,
      WorkerSettings settings,
      WorkerMetrics metrics,
      Time time,
      Ids ids,
      Threads threads) {
    Map<String, TaskHandler> byKind(
        Engines engines, BufferAllocator allocator, MeterRegistry registry) {
      Ledgers ledgers = new Ledgers(store, settings.name(), time, ids);
      TableLooks looks = new TableLooks(cluster, store, time, ids, Backoff.STORE, threads);
      MaterializePass pass =
          new MaterializePass(
              cluster,
              store,
              ledgers,
              settings.materialize(),
              allocator,
              metrics,
              time,
              ids,
              threads);
      Prune prune = new Prune(store, looks, new PruneMetrics(registry), time, ids);
      OrphanRemoval orphans =
          new OrphanRemoval(store, ledgers, looks, settings.orphans(), metrics, ids, threads);
      return Map.of(
          MaterializeTask.KIND,
          new MaterializeHandler(catalogs, engines, pass, settings.materialize(), queue),
          SweepHandler.KIND,
          new SweepHandler(
              store,
              new TableFiles(store, time, ids),
              queue,
              settings.orphans().grace(),
              time,
              ids),
          PruneHandler.KIND,
          new PruneHandler(catalogs, prune, queue),
          OrphanHandler.KIND,
          new OrphanHandler(catalogs, orphans));
    }
  }

  private static DataEngine engine(
      WorkerSettings settings, int number, BufferAllocator allocator, Time time) {
    EngineSettings limits =
        new EngineSettings(
            settings.scratch().resolve("engine-" + number),
            settings.engineMemory().bytes(),
            settings.engineDisk().bytes(),
            ENGINE_THREADS,
            UPLOADS);
    return DataEngine.open(limits, allocator, time, WorkerServer::platformThread);
  }

  /** The engine's calls are native and long: on a virtual thread they would hold its carrier. */
  private static Thread platformThread(String name, Runnable task) {
    return Thread.ofPlatform().name(name).daemon().start(task);
  }

  /** Takes no more tasks, lets those that run end for a while, and stops. */
  @Override
  public void close() {
    lifecycle.close();
  }
}
