package io.wings.simulation;

import io.grpc.ServerInterceptor;
import io.grpc.ServerInterceptors;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.protobuf.services.HealthStatusManager;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import io.wings.catalog.Catalogs;
import io.wings.catalog.table.Adoption;
import io.wings.catalog.table.ColumnAdditions;
import io.wings.common.cluster.LaneId;
import io.wings.common.config.ByteSize;
import io.wings.common.flight.ClusterIdentity;
import io.wings.common.flight.ServingProcess;
import io.wings.common.id.Ids;
import io.wings.common.objectstore.ObjectStore;
import io.wings.common.queue.TaskQueue;
import io.wings.common.time.Time;
import io.wings.common.wal.BatchEncoder;
import io.wings.ingestor.action.Actions;
import io.wings.ingestor.action.Lookups;
import io.wings.ingestor.lane.LaneObserver;
import io.wings.ingestor.lane.LaneSettings;
import io.wings.ingestor.lane.Lanes;
import io.wings.ingestor.service.FlightService;
import io.wings.ingestor.stream.StreamLimits;
import io.wings.ingestor.stream.StreamMeters;
import io.wings.ingestor.stream.StreamServices;
import io.wings.ingestor.table.CatalogTables;
import io.wings.ingestor.table.MaterializeFailures;
import io.wings.ingestor.table.Materializing;
import io.wings.ingestor.table.TableAdmin;
import io.wings.ingestor.table.TableLists;
import io.wings.ingestor.table.TableWatches;
import io.wings.simulation.kernel.SimulatedProcess;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Semaphore;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;

/** An ingestor on a simulated transport: wired as {@code IngestorServer} wires it. */
final class IngestorCore {
  static final String PRINCIPAL = ClusterIdentity.ANONYMOUS;
  static final ClusterIdentity IDENTITY = new ClusterIdentity(World.CLUSTER_ID);

  private static final long PROCESS_BUFFER_BYTES = 64 << 10;
  private static final long SESSION_BUFFER_BYTES = 16 << 10;
  private static final int SEGMENT_CAP_BYTES = 64 << 10;
  private static final int INBOUND_BYTES = 32 << 10;
  private static final int MAX_CALLS = 10_000;
  private static final Duration STOP_GRACE = Duration.ofSeconds(10);
  private static final Duration TRANSPORT_GRACE = Duration.ofSeconds(2);
  private static final Duration TABLE_REFRESH = Duration.ofSeconds(3);

  private final World world;
  private final SimulatedProcess process;
  private final Lanes lanes;
  private final FlightService service;
  private final HealthStatusManager health = new HealthStatusManager();

  IngestorCore(World world, SimulatedProcess process) {
    this.world = world;
    this.process = process;
    Time time = world.wiring().time(process);
    Ids ids = world.wiring().ids(process);
    ObjectStore store = world.wiring().store(world, process);
    TaskQueue queue = world.wiring().queue(world, process, store);
    Catalogs catalogs = new SimulatedCatalogs(world, process);
    BufferAllocator memory = new RootAllocator();
    MeterRegistry registry = new CompositeMeterRegistry();
    Adoption adoption = new Adoption(World.CLUSTER_ID, store, time, ids, process.threadFactory());
    CatalogTables tables =
        new CatalogTables(
            catalogs,
            adoption,
            new ColumnAdditions(adoption, time, ids),
            TABLE_REFRESH,
            time,
            process.threadFactory());
    TableAdmin admin = new TableAdmin(tables, World.CLUSTER_ID);
    TableLists lists =
        new TableLists(catalogs, () -> List.of(SimulatedCatalogs.MAIN), process.threadFactory());
    this.lanes =
        new Lanes(
            store,
            settings(),
            new Materializing(queue, tables),
            new Counting(),
            time,
            ids,
            process.threadFactory());
    StreamLimits limits = StreamLimits.forSegment(SEGMENT_CAP_BYTES);
    StreamServices streams =
        new StreamServices(
            tables,
            new TableWatches(
                admin, MaterializeFailures.of(queue::list, time), time, process.threadFactory()),
            lanes::open,
            new BatchEncoder(),
            limits,
            memory,
            memory,
            new Semaphore(2),
            new StreamMeters(registry),
            time);
    this.service =
        new FlightService(
            IDENTITY,
            streams,
            new Actions(tables, admin, lanes::open, limits, time),
            new Lookups(admin, lists),
            new FlightService.Limits(MAX_CALLS, new ByteSize(INBOUND_BYTES)),
            time,
            process.threadFactory());
    ServerInterceptor telling = new ServingProcess(ids.hex()).telling();
    world
        .transport()
        .serve(
            process,
            service.tracerFactory(),
            List.of(
                ServerInterceptors.intercept(
                    service.definition(), new Poison(world, process), telling),
                ServerInterceptors.intercept(health.getHealthService(), telling)));
    health.setStatus(HealthStatusManager.SERVICE_NAME_ALL_SERVICES, ServingStatus.SERVING);
  }

  private LaneSettings settings() {
    return new LaneSettings(
        process.name(),
        world.scenario().flushInterval(),
        SEGMENT_CAP_BYTES,
        PROCESS_BUFFER_BYTES,
        PROCESS_BUFFER_BYTES,
        SESSION_BUFFER_BYTES,
        10,
        Duration.ofMinutes(1));
  }

  /** How often each guard of a lane was needed. */
  private final class Counting implements LaneObserver {
    @Override
    public void lost(LaneId lane, long number) {
      world.guards().count("lane number lost");
    }

    @Override
    public void unknown(LaneId lane, long number) {
      world.guards().count("lane put unknown");
    }

    @Override
    public void reopened(LaneId lane) {
      world.guards().count("lane reopened");
    }

    @Override
    public void storeFailed(LaneId lane, String reason) {
      world.guards().count("lane store failed");
    }

    @Override
    public void stopped(LaneId lane, String reason) {
      world.violated("lane stopped: " + reason);
    }
  }

  /** What it does on SIGTERM. */
  void drain() throws InterruptedException {
    health.enterTerminalState();
    service.drain(STOP_GRACE);
    world.transport().stopServing(process);
    lanes.close(STOP_GRACE);
    boolean _ = service.awaitNone(TRANSPORT_GRACE);
  }

  /** The buffers of all lanes against their cap. */
  void check() {
    long held = lanes.bufferedBytes();
    if (!process.dead() && held > PROCESS_BUFFER_BYTES + SEGMENT_CAP_BYTES) {
      world.violated(process.name() + " buffers " + held + " bytes");
    }
  }
}
