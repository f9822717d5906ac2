package io.wings.cli.demo;

import io.wings.cli.orders.Orders;
import io.wings.cli.source.FileBatches;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.pojo.Schema;
import org.apache.arrow.vector.util.TransferPair;
import org.jspecify.annotations.Nullable;

/** Batches for several clients at once; each batch goes to one of them. */
interface BatchSource extends AutoCloseable {
  Schema schema();

  /** The next batch, which the caller closes, or null when there is none left. */
  @Nullable VectorSchemaRoot next();

  @Override
  void close() throws IOException;

  /** The first {@code rows} generated orders. */
  static BatchSource orders(long rows, int batchRows, BufferAllocator allocator) {
    return new OrderSource(rows, batchRows, allocator);
  }

  /** A file's rows. */
  static BatchSource file(Path file, int batchRows, BufferAllocator allocator) throws IOException {
    return new FileSource(FileBatches.open(file, batchRows, allocator), allocator);
  }

  /** Generated orders. */
  final class OrderSource implements BatchSource {
    private final AtomicLong next = new AtomicLong();
    private final long rows;
    private final int batchRows;
    private final BufferAllocator allocator;

    private OrderSource(long rows, int batchRows, BufferAllocator allocator) {
      this.rows = rows;
      this.batchRows = batchRows;
      this.allocator = allocator;
    }

    @Override
    public Schema schema() {
      return Orders.schema();
    }

    @Override
    public @Nullable VectorSchemaRoot next() {
      long first = next.getAndAdd(batchRows);
      return first >= rows
          ? null
          : Orders.batch(first, (int) Math.min(batchRows, rows - first), allocator);
    }

    @Override
    public void close() {
      // holds nothing
    }
  }

  /** A file, read by one client at a time. */
  final class FileSource implements BatchSource {
    private final ReentrantLock lock = new ReentrantLock();
    private final FileBatches file;
    private final BufferAllocator allocator;

    private FileSource(FileBatches file, BufferAllocator allocator) {
      this.file = file;
      this.allocator = allocator;
    }

    @Override
    public Schema schema() {
      return file.schema();
    }

    @Override
    public @Nullable VectorSchemaRoot next() {
      lock.lock();
      try {
        return file.next() ? moved() : null;
      } finally {
        lock.unlock();
      }
    }

    /** Moves the file's batch out of it. */
    private VectorSchemaRoot moved() {
      List<FieldVector> columns = new ArrayList<>();
      for (FieldVector column : file.root().getFieldVectors()) {
        TransferPair transfer = column.getTransferPair(column.getField(), allocator);
        transfer.transfer();
        columns.add((FieldVector) transfer.getTo());
      }
      VectorSchemaRoot batch = new VectorSchemaRoot(columns);
      batch.setRowCount(file.root().getRowCount());
      return batch;
    }

    @Override
    public void close() throws IOException {
      file.close();
    }
  }
}
