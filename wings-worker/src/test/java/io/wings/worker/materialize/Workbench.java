package io.wings.worker.materialize;

import io.wings.catalog.OneCatalog;
import io.wings.catalog.commit.FaultyCatalog;
import io.wings.catalog.commit.SeededIds;
import io.wings.catalog.commit.UnhurriedTime;
import io.wings.catalog.table.AdoptedTable;
import io.wings.catalog.table.Adoption;
import io.wings.catalog.table.TableFile;
import io.wings.catalog.table.TableFiles;
import io.wings.common.cluster.CatalogName;
import io.wings.common.cluster.Keys;
import io.wings.common.cluster.LaneId;
import io.wings.common.cluster.TableId;
import io.wings.common.concurrent.Threads;
import io.wings.common.objectstore.ObjectStore;
import io.wings.common.objectstore.PutCondition;
import io.wings.common.objectstore.memory.MemoryStore;
import io.wings.common.wal.BatchEncoder;
import io.wings.common.wal.EncodedBatch;
import io.wings.common.wal.LaneState;
import io.wings.common.wal.Operation;
import io.wings.common.wal.ProducerKey;
import io.wings.common.wal.ProducerState;
import io.wings.common.wal.SegmentFooter;
import io.wings.common.wal.SegmentWriter;
import io.wings.worker.ledger.Ledgers;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.types.Types;

/** A cluster in memory with one table, and what is needed to run passes over it. */
public final class Workbench implements AutoCloseable {
  public static final CatalogName MAIN = new CatalogName("main");
  public static final TableIdentifier TABLE = TableIdentifier.of("db", "t");
  public static final String CLUSTER = "c1";
  public static final Schema SCHEMA =
      new Schema(
          Types.NestedField.required(1, "id", Types.LongType.get()),
          Types.NestedField.optional(2, "note", Types.StringType.get()));

  public final UnhurriedTime time = new UnhurriedTime();
  public final SeededIds ids;
  public final ObjectStore store;
  public final FaultyCatalog catalog;
  public final OneCatalog tenant;
  public final RecordingWriter writer = new RecordingWriter();
  public final BufferAllocator allocator = new RootAllocator();
  private final BatchEncoder encoder = new BatchEncoder();
  private final Map<LaneId, LaneState> logs = new HashMap<>();
  private long nextId = 1;

  public Workbench() {
    this(1, false);
  }

  public Workbench(long seed, boolean rest) {
    ids = new SeededIds(seed);
    store = new MemoryStore("cluster", time);
    catalog = new FaultyCatalog(rest);
    tenant = new OneCatalog(MAIN, catalog);
  }

  /** Creates and adopts the table. */
  public AdoptedTable create(Map<String, String> properties) {
    return create(TABLE, properties);
  }

  public AdoptedTable create(TableIdentifier name, Map<String, String> properties) {
    catalog
        .buildTable(name, SCHEMA)
        .withProperty("format-version", "3")
        .withProperties(properties)
        .create();
    return adopt(name);
  }

  public AdoptedTable adopt(TableIdentifier name) {
    return new Adoption(CLUSTER, store, time, ids, Threads.virtual()).adopt(MAIN, catalog, name);
  }

  public MaterializePass pass() {
    return pass(store, MaterializeSettings.DEFAULT);
  }

  /** A pass that sees the cluster through {@code seen}. */
  public MaterializePass pass(ObjectStore seen, MaterializeSettings settings) {
    return new MaterializePass(
        CLUSTER,
        seen,
        new Ledgers(seen, "w", time, ids),
        settings,
        allocator,
        PassObserver.none(),
        time,
        ids,
        Threads.virtual());
  }

  public MaterializePass.Result run(AdoptedTable table) throws InterruptedException {
    return pass().run(table.id(), tenant, writer);
  }

  /** Appends the segment {@code number} with {@code rows} fresh ids. */
  public void segment(AdoptedTable table, long number, int rows) {
    segment(table, 0, number, rows);
  }

  public void segment(AdoptedTable table, int lane, long number, int rows) {
    ProducerKey producer = ProducerKey.unnamed("anonymous", "p");
    LaneState log = logs.computeIfAbsent(table.lane(lane), LaneState::new);
    SegmentWriter segment =
        new SegmentWriter(table.lane(lane), number, ids.hex(), "test", time.now());
    if (rows > 0) {
      long sequence = log.producer(producer).map(ProducerState::lastSequence).orElse(0L) + 1;
      segment.batch(producer, 0, sequence, null, Operation.INSERT, batch(table, rows));
    }
    boolean follows = number == log.head() + 1;
    if (follows && number % SegmentFooter.CHECKPOINT_EVERY == 0) {
      segment.checkpoint(log.checkpoint());
    }
    SegmentWriter.Segment finished = segment.finish();
    if (follows) {
      log.apply(finished.footer());
    }
    store.put(Keys.segment(table.lane(lane), number), finished.body(), PutCondition.ifAbsent());
  }

  public void segments(AdoptedTable table, long from, long to) {
    for (long number = from; number <= to; number++) {
      segment(table, number, 10);
    }
  }

  private EncodedBatch batch(AdoptedTable table, int rows) {
    var arrow = io.wings.catalog.table.ArrowSchemas.expected(table.table().schema());
    try (VectorSchemaRoot root = VectorSchemaRoot.create(arrow, allocator)) {
      BigIntVector id = (BigIntVector) root.getVector("id");
      id.allocateNew(rows);
      for (int row = 0; row < rows; row++) {
        id.set(row, nextId++);
      }
      if (root.getVector("note") instanceof VarCharVector note) {
        note.allocateNew(rows);
        note.setSafe(0, "first".getBytes(StandardCharsets.UTF_8));
      }
      root.setRowCount(rows);
      return encoder.encode(encoder.encode(arrow), root);
    }
  }

  /** How many ids have been handed out. */
  public long rows() {
    return nextId - 1;
  }

  public Table table() {
    return catalog.loadTable(TABLE);
  }

  /** Ids in the table's current snapshot, ascending, repeated ones included. */
  public List<Long> visible() {
    return paths().stream().flatMap(path -> writer.ids(path).stream()).sorted().toList();
  }

  public List<String> paths() {
    List<String> paths = new ArrayList<>();
    try (CloseableIterable<FileScanTask> tasks = table().newScan().planFiles()) {
      tasks.forEach(task -> paths.add(task.file().location()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return paths;
  }

  public String watermark() {
    return watermark(0);
  }

  public String watermark(int lane) {
    String value = table().properties().getOrDefault("wings.watermark." + lane, "");
    return value.substring(value.lastIndexOf('/') + 1);
  }

  public TableFile file(TableId id) {
    return new TableFiles(store, time, ids).read(id).orElseThrow();
  }

  /** Ledgers that are there. */
  public List<String> ledgers(TableId id) {
    List<String> keys = new ArrayList<>();
    store.list(Keys.table(id) + "passes/", "").forEachRemaining(head -> keys.add(head.key()));
    return keys;
  }

  public List<String> keys() {
    List<String> keys = new ArrayList<>();
    Iterator<io.wings.common.objectstore.ObjectHead> all = store.list("", "");
    all.forEachRemaining(head -> keys.add(head.key()));
    return keys;
  }

  @Override
  public void close() {
    allocator.close();
  }
}
