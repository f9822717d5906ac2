package io.wings.cli.source;

import java.util.ArrayDeque;
import java.util.Deque;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.dictionary.DictionaryProvider;

/**
 * Halves batches until each part is small enough to be sent. Where a batch is cut depends on its
 * rows alone, so that a run which resumes counts the same parts.
 */
final class BatchCuts implements AutoCloseable {
  /**
   * Of a part with more than one row. A segment's cap (64 MiB) is judged by the table's types,
   * which may be eight times as wide as the file's: an int8 for a long column.
   */
  static final long MAX_PART_BYTES = 8L << 20;

  private record Rows(int first, int count) {}

  private final VectorSchemaRoot source;
  private final DictionaryProvider dictionaries;
  private final BufferAllocator allocator;
  private final VectorSchemaRoot part;
  private final Deque<Rows> left = new ArrayDeque<>();

  /**
   * @param source holds a batch of the file, each time that {@link #begin} is called
   */
  BatchCuts(VectorSchemaRoot source, DictionaryProvider dictionaries, BufferAllocator allocator) {
    this.source = source;
    this.dictionaries = dictionaries;
    this.allocator = allocator;
    this.part =
        VectorSchemaRoot.create(FlatBatch.schema(source.getSchema(), dictionaries), allocator);
  }

  /** Holds each part after {@link #next}. */
  VectorSchemaRoot part() {
    return part;
  }

  /** The source holds another batch. */
  void begin() {
    if (source.getRowCount() > 0) {
      left.push(new Rows(0, source.getRowCount()));
    }
  }

  /** Puts the next part of the batch into {@link #part()}; false when there is none left. */
  boolean next() {
    while (!left.isEmpty()) {
      Rows rows = left.pop();
      if (taken(rows)) {
        return true;
      }
      int half = rows.count / 2;
      left.push(new Rows(rows.first + half, rows.count - half));
      left.push(new Rows(rows.first, half));
    }
    return false;
  }

  private boolean taken(Rows rows) {
    if (rows.count == source.getRowCount()) {
      return taken(source);
    }
    try (VectorSchemaRoot slice = source.slice(rows.first, rows.count)) {
      return taken(slice);
    }
  }

  private boolean taken(VectorSchemaRoot rows) {
    try (FlatBatch flat = new FlatBatch(rows, dictionaries, allocator)) {
      if (flat.bytes() > MAX_PART_BYTES && rows.getRowCount() > 1) {
        return false;
      }
      flat.into(part);
      return true;
    }
  }

  @Override
  public void close() {
    part.close();
  }
}
