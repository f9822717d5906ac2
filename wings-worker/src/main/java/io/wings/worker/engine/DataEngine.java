package io.wings.worker.engine;

import io.wings.common.cluster.CatalogName;
import io.wings.common.concurrent.Threads;
import io.wings.common.error.WingsException;
import io.wings.common.time.Time;
import org.apache.arrow.memory.BufferAllocator;
import org.jspecify.annotations.Nullable;

/**
 * Writes rows as data files of an Iceberg table. One engine belongs to one worker thread; calls
 * must not overlap.
 */
public final class DataEngine implements AutoCloseable {
  private final EngineSettings settings;
  private final BufferAllocator allocator;
  private final Time time;
  private final Threads threads;
  private @Nullable Instance instance;

  private DataEngine(
      EngineSettings settings, BufferAllocator allocator, Time time, Threads threads) {
    this.settings = settings;
    this.allocator = allocator;
    this.time = time;
    this.threads = threads;
  }

  /**
   * DuckDB with scratch space of one catalog. Kept from call to call, not from catalog to catalog.
   */
  private record Instance(CatalogName catalog, Scratch scratch, DuckSession session) {
    void close() {
      try {
        session.close();
      } finally {
        scratch.remove();
      }
    }
  }

  /**
   * An engine with an empty scratch directory; DuckDB starts with the first call.
   *
   * @param allocator the parent of the engine's Arrow buffers
   * @param time paces the repeated cancelling of an interrupted call
   * @param threads where DuckDB's calls and uploads run; the calls are native and long, so platform
   *     threads serve better than virtual ones, whose carriers they would hold
   */
  public static DataEngine open(
      EngineSettings settings, BufferAllocator allocator, Time time, Threads threads) {
    Scratch.empty(settings.directory());
    return new DataEngine(
        settings, allocator.newChildAllocator("wings-engine", 0, Long.MAX_VALUE), time, threads);
  }

  /**
   * Writes all rows of {@code batches} as Parquet files, per partition and in the table's sort
   * order, and uploads them through the table's FileIO. Nothing is committed. After an error some
   * files may have been uploaded; their names begin with the target's prefix.
   *
   * <p>A column that a batch lacks takes its initial default, else null. Types may have been
   * widened since the batch was written as Iceberg allows.
   *
   * @throws WingsException {@code column-missing}, {@code column-type}, {@code column-null}, {@code
   *     column-value} (INVALID, naming the column) when a batch can't become rows of the table;
   *     {@code batch-invalid} when it is no such batch; {@code table-unsupported} when the table
   *     asks for what the engine can't write (encryption, a type); {@code engine-failed}
   *     (UNAVAILABLE) when scratch space, the store or the source fails, with the cause, or
   *     (INTERNAL) when the engine finds rows lost, doubled or null where none may be
   * @throws InterruptedException when the calling thread is interrupted; by then everything that
   *     the call started has stopped
   */
  public AppendResult append(AppendTarget target, BatchSource batches) throws InterruptedException {
    return append(target, batches, null);
  }

  /**
   * @param forced an encoder other than the table's own
   */
  AppendResult append(AppendTarget target, BatchSource batches, @Nullable Encoder forced)
      throws InterruptedException {
    WritePlan plan = WritePlan.of(target.table(), settings, forced);
    Instance duck = instanceFor(target.catalog());
    boolean done = false;
    try {
      AppendResult result =
          new InterruptibleCall(threads, time)
              .run(
                  "wings-engine",
                  () ->
                      new AppendCall(
                              target,
                              plan,
                              settings,
                              allocator,
                              duck.session,
                              duck.scratch,
                              batches)
                          .run(threads),
                  duck.session::cancel);
      done = true;
      return result;
    } finally {
      if (!done) {
        close(duck);
      }
    }
  }

  private Instance instanceFor(CatalogName catalog) throws InterruptedException {
    Instance current = instance;
    if (current != null && current.catalog.equals(catalog)) {
      return current;
    }
    if (current != null) {
      close(current);
    }
    Scratch scratch = Scratch.create(settings.directory(), catalog);
    Instance opened =
        new Instance(
            catalog, scratch, DuckSession.open(settings, scratch.directory(), scratch.spill()));
    instance = opened;
    return opened;
  }

  private void close(Instance closing) {
    instance = null;
    closing.close();
  }

  /** Stops DuckDB and removes the scratch directory's contents. */
  @Override
  public void close() {
    Instance current = instance;
    if (current != null) {
      close(current);
    }
    allocator.close();
  }
}
