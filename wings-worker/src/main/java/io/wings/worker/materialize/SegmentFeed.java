package io.wings.worker.materialize;

import io.wings.common.cluster.Keys;
import io.wings.common.error.WingsException;
import io.wings.common.objectstore.StoredObject;
import io.wings.common.wal.BatchCursor;
import io.wings.common.wal.BatchEntry;
import io.wings.common.wal.Operation;
import io.wings.common.wal.SegmentFooter;
import io.wings.common.wal.SegmentReader;
import io.wings.worker.engine.BatchSource;
import java.util.List;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.jspecify.annotations.Nullable;

/** The batches of a pass's segments, one at a time, in log order of the segments. */
final class SegmentFeed implements BatchSource, AutoCloseable {
  private final List<Prefetch.Source> sources;
  private final Prefetch prefetch;
  private final BufferAllocator allocator;
  private int segment;
  private @Nullable BatchCursor cursor;
  private long rows;
  private boolean ended;

  /**
   * @param prefetch of the same sources, started; closed with this
   * @param allocator of decoded batches, with a limit; closed with this
   */
  SegmentFeed(List<Prefetch.Source> sources, Prefetch prefetch, BufferAllocator allocator) {
    this.sources = List.copyOf(sources);
    this.prefetch = prefetch;
    this.allocator = allocator;
  }

  @Override
  public @Nullable VectorSchemaRoot next() throws InterruptedException {
    while (true) {
      if (cursor != null) {
        if (cursor.next()) {
          requireInsert(cursor.entry());
          rows += cursor.entry().rows();
          return cursor.root();
        }
        cursor.close();
        cursor = null;
      }
      StoredObject object = prefetch.next();
      if (object == null) {
        ended = true;
        return null;
      }
      cursor = open(sources.get(segment++), object);
    }
  }

  private BatchCursor open(Prefetch.Source source, StoredObject object) {
    SegmentReader reader = new SegmentReader(new FetchedSegment(object));
    SegmentFooter footer =
        reader
            .footer(source.lane(), source.segment().number())
            .orElseThrow(() -> new IllegalStateException("the segment that was read is another"));
    return reader.batches(source.lane(), footer, allocator);
  }

  private void requireInsert(BatchEntry entry) {
    if (entry.operation() != Operation.INSERT) {
      Prefetch.Source source = sources.get(segment - 1);
      throw WingsException.corrupt(
          "operation-unsupported",
          "%s holds a batch to %s, but the table is an append table"
              .formatted(
                  Keys.segment(source.lane(), source.segment().number()), entry.operation()));
    }
  }

  /**
   * Rows given out.
   *
   * @throws IllegalStateException unless all were
   */
  long rows() {
    if (!ended) {
      throw new IllegalStateException("not all segments were read");
    }
    return rows;
  }

  @Override
  public void close() {
    if (cursor != null) {
      cursor.close();
      cursor = null;
    }
    prefetch.close();
    allocator.close();
  }
}
