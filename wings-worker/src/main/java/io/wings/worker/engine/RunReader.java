package io.wings.worker.engine;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.ipc.ArrowReader;
import org.apache.arrow.vector.types.pojo.Schema;
import org.jspecify.annotations.Nullable;

/**
 * The rows of one run: batches from the source, aligned, with their groups and computed sort keys,
 * until the source or the run's share of disk or of partitions ends.
 */
final class RunReader extends ArrowReader {
  /** More partitions than this are split over several runs. */
  static final int MAX_GROUPS = 20_000;

  private final WritePlan plan;
  private final BatchPuller puller;
  private final KeyHash hash;
  private final long maxBytes;
  private final List<SortKey.Column> sortKeys = new ArrayList<>();
  private @Nullable Schema batchSchema;
  private @Nullable BatchAligner aligner;
  private @Nullable PartitionGroups groups;
  private @Nullable Throwable failure;
  private long bytes;
  private long rows;

  /**
   * @param hash of values that clients chose
   * @param maxBytes of Arrow data after which no further batch is taken
   */
  RunReader(
      BufferAllocator allocator, WritePlan plan, BatchPuller puller, KeyHash hash, long maxBytes) {
    super(allocator);
    this.plan = plan;
    this.puller = puller;
    this.hash = hash;
    this.maxBytes = maxBytes;
  }

  @Override
  protected Schema readSchema() {
    return plan.arrowSchema();
  }

  @Override
  // Whatever goes wrong would be flattened to text on its way through DuckDB.
  @SuppressWarnings("CatchingUnchecked")
  public boolean loadNextBatch() throws IOException {
    try {
      return load();
    } catch (InterruptedException e) {
      failure = e;
      Thread.currentThread().interrupt();
      throw new IOException(e);
    } catch (IOException | RuntimeException | Error e) {
      failure = e;
      throw e;
    }
  }

  private boolean load() throws IOException, InterruptedException {
    if (bytes >= maxBytes || (groups != null && groups.size() >= MAX_GROUPS)) {
      return false;
    }
    VectorSchemaRoot batch = puller.peek();
    if (batch == null) {
      return false;
    }
    prepareLoadNextBatch();
    VectorSchemaRoot root = getVectorSchemaRoot();
    root.clear();
    int count = batch.getRowCount();
    alignerOf(batch.getSchema()).align(batch, root.getFieldVectors());
    if (plan.staged()) {
      PartitionGroups partitions = groupsOf(root.getFieldVectors());
      partitions.assign(count, (IntVector) root.getVector(plan.schema().columns().size()));
      sortKeys.forEach(key -> key.fill(count));
    }
    root.setRowCount(count);
    for (FieldVector vector : root.getFieldVectors()) {
      bytes += vector.getBufferSize();
    }
    rows += count;
    puller.take();
    return true;
  }

  private BatchAligner alignerOf(Schema schema) {
    BatchAligner current = aligner;
    if (current == null || !schema.equals(batchSchema)) {
      current = BatchAligner.of(schema, plan.schema(), hash);
      aligner = current;
      batchSchema = schema;
    }
    return current;
  }

  private PartitionGroups groupsOf(List<FieldVector> vectors) {
    PartitionGroups current = groups;
    if (current == null) {
      int columns = plan.schema().columns().size();
      current = new PartitionGroups(plan.spec(), plan.schema(), vectors.subList(0, columns));
      groups = current;
      int position = columns + 1;
      for (SortKey key : plan.sortKeys()) {
        if (key.computed()) {
          sortKeys.add(new SortKey.Column(key, plan.schema(), vectors, vectors.get(position)));
          position++;
        }
      }
    }
    return current;
  }

  /** What stopped the reading, as it was thrown. */
  @Nullable Throwable failure() {
    return failure;
  }

  /** The partitions of the rows so far; a staged run has at least one. */
  PartitionGroups groups() {
    PartitionGroups current = groups;
    if (current == null) {
      throw new IllegalStateException("no rows were staged");
    }
    return current;
  }

  long rows() {
    return rows;
  }

  /** Of Arrow data, for the rows so far. */
  @Override
  public long bytesRead() {
    return bytes;
  }

  @Override
  protected void closeReadSource() {}
}
