package io.wings.worker.engine;

import io.wings.common.concurrent.Threads;
import io.wings.common.error.ErrorKind;
import io.wings.common.error.WingsException;
import java.io.IOException;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.ipc.ArrowReader;
import org.apache.iceberg.PartitionData;
import org.duckdb.DuckDBResultSet;

/**
 * One append, start to end: runs of rows, each bounded in bytes and in partitions, become local
 * files, which are uploaded and removed.
 */
final class AppendCall {
  /**
   * The share of scratch space that a run's rows may have: they may lie there staged, sorted, as
   * runs of the sort and as files at once.
   */
  private static final int STAGED_SHARE_OF_DISK = 8;

  /** The same for rows that lie there as files alone. */
  private static final int STREAMED_SHARE_OF_DISK = 2;

  /**
   * Up to so many partitions, rows are picked from the stage; beyond, the stage is sorted first.
   */
  private static final int PICKED_GROUPS = 32;

  /** How much DuckDB gives back at once of rows that Iceberg's writer writes. */
  private static final long EXPORT_BYTES = 8 << 20;

  private static final long MAX_EXPORT_ROWS = 4_096;

  private final AppendTarget target;
  private final WritePlan plan;
  private final EngineSettings settings;
  private final BufferAllocator allocator;
  private final DuckSession session;
  private final Scratch scratch;
  private final BatchPuller puller;
  private final KeyHash hash;
  private long rows;

  AppendCall(
      AppendTarget target,
      WritePlan plan,
      EngineSettings settings,
      BufferAllocator allocator,
      DuckSession session,
      Scratch scratch,
      BatchSource batches) {
    this.target = target;
    this.plan = plan;
    this.settings = settings;
    this.allocator = allocator;
    this.session = session;
    this.scratch = scratch;
    this.puller = new BatchPuller(batches);
    this.hash = KeyHash.of(target.filePrefix());
  }

  AppendResult run(Threads threads) throws IOException, InterruptedException {
    try (Uploads uploads = new Uploads(target, plan.sortOrderId(), threads, settings.uploads())) {
      while (puller.peek() != null) {
        CountingSink sink = new CountingSink(uploads);
        try (RunReader run = new RunReader(allocator, plan, puller, hash, maxBytesOfRun())) {
          if (plan.staged()) {
            staged(run, sink);
          } else {
            streamed(run, sink);
          }
          if (sink.rows != run.rows()) {
            throw new WingsException(
                ErrorKind.INTERNAL,
                "engine-failed",
                "rows were lost or doubled: " + run.rows() + " in, " + sink.rows + " out");
          }
          rows += run.rows();
        }
      }
      return new AppendResult(uploads.finish(), rows);
    }
  }

  private long maxBytesOfRun() {
    return settings.diskBytes() / (plan.staged() ? STAGED_SHARE_OF_DISK : STREAMED_SHARE_OF_DISK);
  }

  private static final class CountingSink implements IcebergParquet.FileSink {
    private final Uploads uploads;
    private long rows;

    CountingSink(Uploads uploads) {
      this.uploads = uploads;
    }

    @Override
    public void accept(LocalFile file) throws InterruptedException {
      rows += file.rows();
      uploads.send(file);
    }

    void accept(List<LocalFile> files) throws InterruptedException {
      for (LocalFile file : files) {
        accept(file);
      }
    }
  }

  /** Rows that need no order go straight from the source to the encoder. */
  private void streamed(RunReader run, CountingSink sink) throws IOException, InterruptedException {
    PartitionData partition = new PartitionData(plan.spec().partitionType());
    switch (plan.encoder()) {
      case DUCKDB -> {
        ParquetOptions options = plan.parquet().forBytes(maxBytesOfRun());
        sink.accept(parquet().copyRows(run, allocator, partition, options));
      }
      case ICEBERG -> {
        try (IcebergParquet files = icebergParquet(sink)) {
          List<FieldVector> vectors = run.getVectorSchemaRoot().getFieldVectors();
          List<ArrowValues.Reader> readers = ArrowValues.readers(plan.schema().columns(), vectors);
          long number = 0;
          while (loadNext(run)) {
            for (int row = 0; row < run.getVectorSchemaRoot().getRowCount(); row++) {
              files.add(new ArrowValues.Row(readers, row), 0, partition, number++);
            }
          }
          files.finish();
        }
      }
    }
  }

  private static boolean loadNext(ArrowReader reader) throws IOException, InterruptedException {
    try {
      return reader.loadNextBatch();
    } catch (IOException e) {
      if (e.getCause() instanceof InterruptedException) {
        throw new InterruptedException();
      }
      throw e;
    }
  }

  private DuckParquet parquet() {
    return new DuckParquet(session, plan, scratch.files());
  }

  private IcebergParquet icebergParquet(CountingSink sink) {
    return new IcebergParquet(plan, target.table().properties(), scratch.files(), sink);
  }

  private void staged(RunReader run, CountingSink sink) throws InterruptedException {
    session.queryRows(Sql.stage(), run, allocator, _ -> true);
    switch (plan.encoder()) {
      case DUCKDB -> copyStage(run, sink);
      case ICEBERG -> exportStage(run, sink);
    }
    session.run(Sql.drop(Sql.STAGE));
    session.run(Sql.drop(Sql.SORTED));
  }

  private void copyStage(RunReader run, CountingSink sink) throws InterruptedException {
    PartitionGroups groups = run.groups();
    long rowBytes = Math.max(1, run.bytesRead() / run.rows());
    ParquetOptions options = plan.parquet();
    DuckParquet parquet = parquet();
    boolean sorted = groups.size() > PICKED_GROUPS;
    if (sorted) {
      session.run(Sql.sortStage(plan.orderByGroupFirst()));
      session.run(Sql.drop(Sql.STAGE));
    }
    String select = Sql.select(plan.columnNames(), sorted ? Sql.SORTED : Sql.STAGE);
    long first = 0;
    for (int group = 0; group < groups.size(); group++) {
      long end = first + groups.rows(group);
      String rowsOfGroup =
          sorted
              ? Sql.where(select, Sql.rowRange(first, end))
              : Sql.orderBy(
                  groups.size() == 1
                      ? select
                      : Sql.where(select, Sql.equal(plan.groupColumn(), group)),
                  plan.orderBy());
      sink.accept(
          parquet.copy(
              rowsOfGroup,
              groups.partition(group),
              options.forBytes(groups.rows(group) * rowBytes)));
      first = end;
    }
  }

  private void exportStage(RunReader run, CountingSink sink) throws InterruptedException {
    List<String> columns = new ArrayList<>(plan.columnNames());
    columns.add(plan.groupColumn());
    String select = Sql.orderBy(Sql.select(columns, Sql.STAGE), plan.orderByGroupFirst());
    session.query(
        select,
        results -> {
          export(results, run, sink);
          return true;
        });
  }

  private void export(ResultSet results, RunReader run, CountingSink sink)
      throws SQLException, IOException, InterruptedException {
    PartitionGroups groups = run.groups();
    long rowBytes = Math.max(1, run.bytesRead() / run.rows());
    long rowsAtOnce = Math.clamp(EXPORT_BYTES / rowBytes, 1, MAX_EXPORT_ROWS);
    Object stream = results.unwrap(DuckDBResultSet.class).arrowExportStream(allocator, rowsAtOnce);
    try (ArrowReader reader = (ArrowReader) stream;
        IcebergParquet files = icebergParquet(sink)) {
      List<FieldVector> vectors = reader.getVectorSchemaRoot().getFieldVectors();
      List<ArrowValues.Reader> readers = ArrowValues.readers(plan.schema().columns(), vectors);
      IntVector groupOfRow = (IntVector) vectors.getLast();
      int group = 0;
      PartitionData partition = groups.partition(group);
      long number = 0;
      while (loadNext(reader)) {
        for (int row = 0; row < reader.getVectorSchemaRoot().getRowCount(); row++) {
          if (groupOfRow.get(row) != group) {
            group = groupOfRow.get(row);
            partition = groups.partition(group);
          }
          files.add(new ArrowValues.Row(readers, row), group, partition, number++);
        }
      }
      files.finish();
    }
  }
}
