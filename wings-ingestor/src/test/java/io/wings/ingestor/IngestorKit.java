package io.wings.ingestor;

import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.wings.catalog.Catalogs;
import io.wings.catalog.OneCatalog;
import io.wings.catalog.TenantCatalog;
import io.wings.catalog.table.Watermarks;
import io.wings.common.cluster.CatalogName;
import io.wings.common.cluster.LaneId;
import io.wings.common.cluster.TableId;
import io.wings.common.concurrent.Threads;
import io.wings.common.config.HostPort;
import io.wings.common.error.WingsException;
import io.wings.common.flight.Ack;
import io.wings.common.flight.AwaitedRange;
import io.wings.common.flight.ClusterIdentity;
import io.wings.common.flight.Create;
import io.wings.common.flight.OnReject;
import io.wings.common.flight.StreamRequest;
import io.wings.common.id.Ids;
import io.wings.common.metrics.Readiness;
import io.wings.common.objectstore.ObjectStore;
import io.wings.common.objectstore.memory.MemoryStore;
import io.wings.common.queue.Task;
import io.wings.common.queue.TaskSpec;
import io.wings.common.time.Time;
import io.wings.common.wal.BatchCursor;
import io.wings.common.wal.BatchEntry;
import io.wings.common.wal.Operation;
import io.wings.common.wal.SegmentFooter;
import io.wings.common.wal.SegmentReader;
import io.wings.ingestor.lane.LaneSettings;
import io.wings.ingestor.stream.VectorValues;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.iceberg.HasTableOperations;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.inmemory.InMemoryCatalog;
import org.apache.iceberg.types.Types;
import org.jspecify.annotations.Nullable;

/** An ingestor in this process, over stores and a catalog in memory. */
final class IngestorKit implements AutoCloseable {
  static final ClusterIdentity IDENTITY = new ClusterIdentity("a-shared-secret");
  static final CatalogName MAIN = new CatalogName("main");
  static final String CLUSTER = "c1";
  static final String PRINCIPAL = "anna";

  final InMemoryCatalog catalog;
  final List<TaskSpec> scheduled = new CopyOnWriteArrayList<>();

  /** What the queue has. */
  volatile List<Task> tasks = List.of();

  final SimpleMeterRegistry registry = new SimpleMeterRegistry();
  final Readiness readiness = new Readiness();
  final ObjectStore store;
  final IngestorServer server;
  final ManagedChannel channel;

  /** Look-ups in the catalog so far. */
  final AtomicLong catalogOpens = new AtomicLong();

  /** Runs at every look-up in the catalog. */
  volatile Runnable onCatalogOpen = () -> {};

  /** Set, lets every look-up in the catalog fail with it. */
  volatile @Nullable WingsException catalogFailure;

  /** The same, as a fault of this process. */
  volatile @Nullable Error catalogError;

  IngestorKit() {
    this(new MemoryStore(), settings());
  }

  IngestorKit(ObjectStore store, IngestorSettings settings) {
    this(store, settings, new InMemoryCatalog());
    catalog.initialize("main", Map.of());
    catalog.createNamespace(Namespace.of("db"));
  }

  /** A second ingestor beside one that made the catalog. */
  IngestorKit(ObjectStore store, IngestorSettings settings, InMemoryCatalog catalog) {
    this.store = store;
    this.catalog = catalog;
    server =
        IngestorServer.start(
            settings,
            new IngestorServer.Cluster(
                CLUSTER, store, new Opened(), () -> List.of(MAIN), scheduled::addAll, () -> tasks),
            Time.system(),
            Ids.secure(),
            Threads.virtual(),
            registry,
            readiness);
    channel =
        NettyChannelBuilder.forAddress("127.0.0.1", server.port())
            .usePlaintext()
            .maxInboundMessageSize(16 << 20)
            .build();
  }

  static IngestorSettings settings() {
    return IngestorSettings.of(
        new HostPort("127.0.0.1", 0),
        IDENTITY,
        LaneSettings.of("test").withFlushInterval(Duration.ofMillis(20)));
  }

  /** A table {@code db.t} of a required id and an optional name. */
  Table createTable() {
    return createTable(Map.of());
  }

  Table createTable(Map<String, String> properties) {
    return createTable(
        new org.apache.iceberg.Schema(
            Types.NestedField.required(1, "id", Types.LongType.get()),
            Types.NestedField.optional(2, "name", Types.StringType.get())),
        properties);
  }

  Table createTable(org.apache.iceberg.Schema schema) {
    return createTable(schema, Map.of());
  }

  Table createTable(org.apache.iceberg.Schema schema, Map<String, String> properties) {
    return catalog
        .buildTable(TableIdentifier.of("db", "t"), schema)
        .withProperty("format-version", "3")
        .withProperties(properties)
        .create();
  }

  static Request request() {
    return new Request();
  }

  /** A stream request to {@code main.db.t}, made piece by piece. */
  static final class Request {
    private String table = "t";
    private String producer = "drawn-1";
    private @Nullable Long epoch;
    private long firstSequence = 1;
    private Operation operation = Operation.INSERT;
    private Create create = Create.NEVER;
    private OnReject onReject = OnReject.FAIL;
    private int lane;
    private @Nullable String partition;
    private Ack ack = Ack.DURABLE;
    private StreamRequest.@Nullable Awaiting awaiting;

    Request table(String name) {
      table = name;
      return this;
    }

    Request unnamed(String name, long first) {
      producer = name;
      firstSequence = first;
      return this;
    }

    Request named(String name, long given) {
      producer = name;
      epoch = given;
      return this;
    }

    Request operation(Operation given) {
      operation = given;
      return this;
    }

    Request createIfMissing() {
      create = Create.IF_MISSING;
      return this;
    }

    Request reportRejects() {
      onReject = OnReject.REPORT;
      return this;
    }

    Request lane(int number) {
      lane = number;
      return this;
    }

    Request ackVisible() {
      ack = Ack.VISIBLE;
      return this;
    }

    Request awaiting(String incarnation, AwaitedRange... ranges) {
      awaiting = new StreamRequest.Awaiting(incarnation, List.of(ranges));
      return ackVisible();
    }

    Request partition(String given) {
      partition = given;
      return this;
    }

    /** Sends it where it belongs in a table of so many lanes. */
    Request routed(int lanes) {
      lane = build().laneOf(lanes);
      return this;
    }

    StreamRequest build() {
      return new StreamRequest(
          PRINCIPAL,
          MAIN,
          List.of("db"),
          table,
          producer,
          epoch != null,
          epoch,
          firstSequence,
          lane,
          partition,
          operation,
          create,
          onReject,
          ack,
          awaiting,
          null);
    }
  }

  PutClient put(StreamRequest request) {
    return new PutClient(channel, request);
  }

  PutClient put(Request request) {
    return new PutClient(channel, request.build());
  }

  boolean isAdopted(String name) {
    TableIdentifier table = TableIdentifier.of("db", name);
    return catalog.tableExists(table)
        && catalog.loadTable(table).properties().containsKey(Watermarks.PREFIX + "0");
  }

  boolean tableExists(String name) {
    return catalog.tableExists(TableIdentifier.of("db", name));
  }

  LaneId lane(String table) {
    return lane(table, 0);
  }

  LaneId lane(String table, int number) {
    TableMetadata metadata =
        ((HasTableOperations) catalog.loadTable(TableIdentifier.of("db", table)))
            .operations()
            .current();
    UUID uuid = UUID.fromString(metadata.uuid());
    Watermarks.Reading.Own own =
        (Watermarks.Reading.Own) Watermarks.read(metadata.properties(), CLUSTER, MAIN, uuid);
    return new LaneId(new TableId(MAIN, uuid), own.watermarks().incarnation(), number);
  }

  /** The batches in the log of a table, in order. */
  List<BatchEntry> entries(String table) {
    List<BatchEntry> entries = new ArrayList<>();
    footers(lane(table)).forEach(footer -> entries.addAll(footer.batches()));
    return entries;
  }

  /** Rows in each lane of a table. */
  List<Long> rows(String table, int lanes) {
    return IntStream.range(0, lanes)
        .mapToObj(lane -> footers(lane(table, lane)).stream().mapToLong(SegmentFooter::rows).sum())
        .toList();
  }

  private List<SegmentFooter> footers(LaneId lane) {
    SegmentReader reader = new SegmentReader(store);
    List<SegmentFooter> footers = new ArrayList<>();
    for (long number = 1; ; number++) {
      Optional<SegmentFooter> footer = reader.footer(lane, number);
      if (footer.isEmpty()) {
        return footers;
      }
      footers.add(footer.get());
    }
  }

  /** The values of one column in the log of a table, in order. */
  List<@Nullable Object> stored(String table, String column) {
    LaneId lane = lane(table);
    List<@Nullable Object> values = new ArrayList<>();
    try (BufferAllocator allocator = new RootAllocator(1 << 28)) {
      for (SegmentFooter footer : footers(lane)) {
        try (BatchCursor batches = new SegmentReader(store).batches(lane, footer, allocator)) {
          while (batches.next()) {
            values.addAll(VectorValues.of(batches.root().getVector(column)));
          }
        }
      }
    }
    return values;
  }

  @Override
  public void close() {
    channel.shutdownNow();
    server.close();
  }

  private final class Opened implements Catalogs {
    @Override
    public TenantCatalog open(CatalogName name) {
      catalogOpens.incrementAndGet();
      onCatalogOpen.run();
      WingsException failure = catalogFailure;
      if (failure != null) {
        throw failure;
      }
      Error error = catalogError;
      if (error != null) {
        throw error;
      }
      if (!name.equals(MAIN)) {
        throw WingsException.notFound("catalog-unknown", "no catalog \"" + name + "\"");
      }
      return new OneCatalog(MAIN, catalog);
    }

    @Override
    public void close() {}
  }
}
