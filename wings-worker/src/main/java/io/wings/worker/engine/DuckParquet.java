package io.wings.worker.engine;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.iceberg.PartitionData;
import org.apache.iceberg.parquet.ParquetUtil;
import org.apache.parquet.ParquetReadOptions;
import org.apache.parquet.conf.PlainParquetConfiguration;
import org.apache.parquet.hadoop.ParquetFileReader;
import org.apache.parquet.hadoop.metadata.ParquetMetadata;
import org.apache.parquet.io.LocalInputFile;

/** Parquet files by DuckDB's {@code COPY}. */
final class DuckParquet {
  /** Without Hadoop's configuration, which is parsed anew each time. */
  private static final ParquetReadOptions READING =
      ParquetReadOptions.builder(new PlainParquetConfiguration()).build();

  private final DuckSession session;
  private final WritePlan plan;
  private final Path directory;
  private final String fieldIds;
  private int copies;

  /**
   * @param directory for the files
   */
  DuckParquet(DuckSession session, WritePlan plan, Path directory) {
    this.session = session;
    this.plan = plan;
    this.directory = directory;
    this.fieldIds = Sql.fieldIds(plan.schema().columns());
  }

  /** Files of one partition that hold the rows of {@code select}, in its order. */
  List<LocalFile> copy(String select, PartitionData partition, ParquetOptions options)
      throws InterruptedException {
    String sql = Sql.copy(select, next(options), fieldIds, options);
    return session.query(sql, results -> files(results, partition));
  }

  /** The same, of rows that are streamed in. */
  List<LocalFile> copyRows(
      RunReader rows, BufferAllocator allocator, PartitionData partition, ParquetOptions options)
      throws InterruptedException {
    String select = Sql.select(plan.columnNames(), Sql.ROWS);
    String sql = Sql.copy(select, next(options), fieldIds, options);
    return session.queryRows(sql, rows, allocator, results -> files(results, partition));
  }

  private Path next(ParquetOptions options) {
    copies++;
    return directory.resolve(
        options.splitBytes().isPresent() ? "copy-" + copies : "copy-" + copies + ".parquet");
  }

  private List<LocalFile> files(ResultSet results, PartitionData partition)
      throws SQLException, IOException {
    List<LocalFile> files = new ArrayList<>();
    while (results.next()) {
      if (results.getLong("count") > 0) {
        files.add(
            file(
                Path.of(results.getString("filename")),
                statistics(results.getObject("column_statistics")),
                partition));
      }
    }
    return files;
  }

  @SuppressWarnings("unchecked")
  private static Map<String, Map<String, String>> statistics(Object value) {
    if (value instanceof Map<?, ?> map) {
      return (Map<String, Map<String, String>>) map;
    }
    throw new IllegalStateException("RETURN_STATS gave no map of columns: " + value);
  }

  private LocalFile file(
      Path path, Map<String, Map<String, String>> statistics, PartitionData partition)
      throws IOException {
    if (UuidBounds.concern(plan.schema())) {
      UuidBounds.correctFooter(path);
    }
    ParquetMetadata footer;
    try (ParquetFileReader reader = ParquetFileReader.open(new LocalInputFile(path), READING)) {
      footer = reader.getFooter();
    }
    return new LocalFile(
        path,
        Files.size(path),
        partition,
        FileMetrics.of(footer, FloatStatistics.of(plan.schema(), statistics), plan),
        ParquetUtil.getSplitOffsets(footer));
  }
}
