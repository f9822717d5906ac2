package io.wings.ingestor;

import io.grpc.Server;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.protobuf.services.HealthStatusManager;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.wings.catalog.Catalogs;
import io.wings.catalog.DiscreetCatalogs;
import io.wings.catalog.table.Adoption;
import io.wings.catalog.table.ColumnAdditions;
import io.wings.common.cluster.CatalogName;
import io.wings.common.concurrent.Deadline;
import io.wings.common.concurrent.Threads;
import io.wings.common.error.WingsException;
import io.wings.common.flight.ServingProcess;
import io.wings.common.id.Ids;
import io.wings.common.lifecycle.Lifecycle;
import io.wings.common.metrics.Readiness;
import io.wings.common.objectstore.ObjectStore;
import io.wings.common.queue.Task;
import io.wings.common.queue.TaskQueue;
import io.wings.common.queue.TaskScheduler;
import io.wings.common.time.Time;
import io.wings.common.wal.BatchEncoder;
import io.wings.ingestor.action.Actions;
import io.wings.ingestor.action.Lookups;
import io.wings.ingestor.lane.Lanes;
import io.wings.ingestor.service.FlightService;
import io.wings.ingestor.stream.StreamMeters;
import io.wings.ingestor.stream.StreamServices;
import io.wings.ingestor.table.CatalogTables;
import io.wings.ingestor.table.MaterializeFailures;
import io.wings.ingestor.table.Materializing;
import io.wings.ingestor.table.TableAdmin;
import io.wings.ingestor.table.TableLists;
import io.wings.ingestor.table.TableWatches;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The ingestor role, wired. */
public final class IngestorServer implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(IngestorServer.class);

  /** The part's name in readiness, logs and errors. */
  public static final String PART = "ingestor";

  /** So much larger frames are still read, to be refused with a reason. */
  private static final int OVERSIZE_BYTES = 16 << 20;

  private static final int MAX_METADATA_BYTES = 16 << 10;

  /** For messages on their way to a client that has been told its end. */
  private static final Duration TRANSPORT_GRACE = Duration.ofSeconds(2);

  private final Lifecycle lifecycle = new Lifecycle(PART);
  private final HealthStatusManager health = new HealthStatusManager();
  private final IngestorSettings settings;
  private final Time time;
  private final Threads threads;
  private final Readiness readiness;
  private final FlightService service;
  private final Server server;

  /**
   * What an ingestor works on.
   *
   * @param id the cluster's
   * @param store the cluster's, probed; not closed by this
   * @param catalogs not closed by this
   * @param catalogNames those there are, for listings
   * @param queue where materialising is announced
   * @param tasks of the queue, as they are now
   */
  public record Cluster(
      String id,
      ObjectStore store,
      Catalogs catalogs,
      Supplier<List<CatalogName>> catalogNames,
      TaskScheduler queue,
      Supplier<List<Task>> tasks) {
    public Cluster(
        String id,
        ObjectStore store,
        Catalogs catalogs,
        Supplier<List<CatalogName>> catalogNames,
        TaskQueue queue) {
      this(id, store, catalogs, catalogNames, queue, queue::list);
    }
  }

  private IngestorServer(
      IngestorSettings settings,
      Cluster cluster,
      Time time,
      Ids ids,
      Threads threads,
      MeterRegistry registry,
      Readiness readiness) {
    this.settings = settings;
    this.time = time;
    this.threads = threads;
    this.readiness = readiness;
    readiness.notReady(PART, "starting");
    try {
      service = service(cluster, ids, registry);
      server = server(new ServingProcess(ids.hex()));
      lifecycle.start("flight server", this::listen, this::stopServing);
    } catch (Throwable e) {
      throw lifecycle.abandon(e);
    }
    health.setStatus(HealthStatusManager.SERVICE_NAME_ALL_SERVICES, ServingStatus.SERVING);
    readiness.ready(PART);
  }

  private FlightService service(Cluster cluster, Ids ids, MeterRegistry registry) throws Exception {
    BufferAllocator memory = lifecycle.add("memory", new RootAllocator(memoryBytes(settings)));
    BufferAllocator dictionaries =
        lifecycle.add(
            "dictionaries",
            memory.newChildAllocator("dictionaries", 0, settings.dictionaries().bytes()));
    BufferAllocator scratch =
        lifecycle.add("scratch", memory.newChildAllocator("scratch", 0, scratchBytes(settings)));
    Adoption adoption = new Adoption(cluster.id, cluster.store, time, ids, threads);
    Catalogs catalogs = new DiscreetCatalogs(cluster.catalogs, time);
    CatalogTables tables =
        new CatalogTables(
            catalogs,
            adoption,
            new ColumnAdditions(adoption, time, ids),
            settings.tableRefresh(),
            time,
            threads);
    TableAdmin admin = new TableAdmin(tables, cluster.id);
    Lanes lanes =
        new Lanes(
            cluster.store,
            settings.lanes(),
            new Materializing(cluster.queue, tables),
            new LaneMeters(registry),
            time,
            ids,
            threads);
    lifecycle.start("streams", () -> {}, this::awaitStreams);
    lifecycle.start("lanes", () -> {}, () -> lanes.close(settings.stopGrace()));
    TableWatches watches =
        new TableWatches(admin, MaterializeFailures.of(cluster.tasks, time), time, threads);
    gauge(registry, "tables.watched", "tables that streams wait for", watches::size);
    StreamServices streams =
        new StreamServices(
            tables,
            watches,
            lanes::open,
            new BatchEncoder(),
            settings.streams(),
            dictionaries,
            scratch,
            new Semaphore(settings.decoding()),
            new StreamMeters(registry),
            time);
    Actions actions = new Actions(tables, admin, lanes::open, settings.streams(), time);
    FlightService flight =
        new FlightService(
            settings.identity(),
            streams,
            actions,
            new Lookups(
                admin,
                new TableLists(
                    catalogs,
                    cluster.catalogNames,
                    threads,
                    new Deadline(time, threads, "the catalog", TableLists.PATIENCE))),
            new FlightService.Limits(settings.calls(), settings.inbound()),
            time,
            threads);
    bind(registry, lanes, flight, scratch, dictionaries);
    return flight;
  }

  private void bind(
      MeterRegistry registry,
      Lanes lanes,
      FlightService flight,
      BufferAllocator scratch,
      BufferAllocator dictionaries) {
    gauge(registry, "lanes.open", "lanes that this process writes", lanes::size);
    gauge(registry, "calls.open", "calls that are being served", flight::openCalls);
    gauge(
        registry,
        "buffered.bytes",
        "bytes of checked batches that aren't durable yet",
        lanes::bufferedBytes);
    gauge(
        registry,
        "inbound.bytes",
        "bytes of frames that have arrived and wait",
        flight::inboundBytes);
    gauge(
        registry, "decoding.bytes", "bytes of batches being decoded", scratch::getAllocatedMemory);
    gauge(
        registry,
        "dictionaries.bytes",
        "bytes of the dictionaries of streams",
        dictionaries::getAllocatedMemory);
  }

  private static void gauge(
      MeterRegistry registry, String name, String description, Supplier<Number> value) {
    Gauge.builder("wings.ingestor." + name, value).description(description).register(registry);
  }

  /**
   * Starts one; it serves when this returns.
   *
   * @throws WingsException {@code cannot-listen}, or what is wrong with the settings
   */
  public static IngestorServer start(
      IngestorSettings settings,
      Cluster cluster,
      Time time,
      Ids ids,
      Threads threads,
      MeterRegistry registry,
      Readiness readiness) {
    return new IngestorServer(settings, cluster, time, ids, threads, registry, readiness);
  }

  /** Body, decoded and aligned copies, and slack for rounding, of each batch being decoded. */
  private static long scratchBytes(IngestorSettings settings) {
    return 2L
        * settings.decoding()
        * (settings.streams().bodyBytes() + settings.streams().batchBytes());
  }

  private static long memoryBytes(IngestorSettings settings) {
    return scratchBytes(settings) + settings.dictionaries().bytes();
  }

  private Server server(ServingProcess process) {
    return settings
        .transport()
        .server(NettyServerBuilder.forAddress(settings.listen().socketAddress()))
        .executor(threads.executor("ingestor-rpc"))
        .maxInboundMessageSize(settings.streams().bodyBytes() + OVERSIZE_BYTES)
        .maxInboundMetadataSize(MAX_METADATA_BYTES)
        .addStreamTracerFactory(service.tracerFactory())
        .addService(service.definition())
        .addService(health.getHealthService())
        .intercept(process.telling())
        .build();
  }

  private void listen() {
    try {
      Server _ = server.start();
    } catch (IOException e) {
      throw WingsException.unavailable(
          "cannot-listen",
          "ingestor on " + settings.listen() + " (--listen): " + e.getMessage(),
          e);
    }
    log.info("ingestor listens on port {}", server.getPort());
  }

  private void stopServing() throws InterruptedException {
    readiness.notReady(PART, "stopping");
    health.enterTerminalState();
    service.drain(settings.stopGrace());
    Server _ = server.shutdown();
    if (!server.awaitTermination(TRANSPORT_GRACE.toMillis(), TimeUnit.MILLISECONDS)) {
      Server _ = server.shutdownNow();
      boolean _ = server.awaitTermination(TRANSPORT_GRACE.toMillis(), TimeUnit.MILLISECONDS);
    }
  }

  /** Once the lanes have decided everything, streams end at once, and their memory is free. */
  private void awaitStreams() throws InterruptedException {
    if (!service.awaitNone(TRANSPORT_GRACE)) {
      log.warn("{} calls didn't end", service.openCalls());
    }
  }

  /** The port that it listens on. */
  public int port() {
    return server.getPort();
  }

  /** Ends all streams once what they sent is decided, writes what waits, and stops. */
  @Override
  public void close() {
    lifecycle.close();
  }
}
