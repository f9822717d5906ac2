package io.wings.worker.engine;

import static org.apache.iceberg.TableProperties.PARQUET_BLOOM_FILTER_COLUMN_ENABLED_PREFIX;
import static org.apache.iceberg.TableProperties.PARQUET_BLOOM_FILTER_COLUMN_FPP_PREFIX;
import static org.apache.iceberg.TableProperties.PARQUET_BLOOM_FILTER_COLUMN_NDV_PREFIX;
import static org.apache.iceberg.TableProperties.PARQUET_COMPRESSION;
import static org.apache.iceberg.TableProperties.PARQUET_COMPRESSION_LEVEL;
import static org.apache.iceberg.TableProperties.PARQUET_ROW_GROUP_SIZE_BYTES;

import io.wings.catalog.table.ParquetCodec;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.Files;
import org.apache.iceberg.PartitionData;
import org.apache.iceberg.StructLike;
import org.apache.iceberg.data.parquet.InternalWriter;
import org.apache.iceberg.io.FileAppender;
import org.apache.iceberg.parquet.Parquet;
import org.jspecify.annotations.Nullable;

/**
 * Parquet files by Iceberg's own writer, row by row: one file at a time, closed when it has the
 * target size or the partition changes.
 */
final class IcebergParquet implements AutoCloseable {
  /** How often the size of the open file is looked at. */
  private static final int ROWS_BETWEEN_LOOKS = 1_000;

  private final WritePlan plan;
  private final Map<String, String> properties;
  private final Path directory;
  private final FileSink sink;
  private @Nullable OpenFile open;
  private int files;

  /** Takes finished files over. */
  @FunctionalInterface
  interface FileSink {
    void accept(LocalFile file) throws InterruptedException;
  }

  private record OpenFile(
      Path path, int group, PartitionData partition, FileAppender<StructLike> appender) {}

  /**
   * @param properties of the table
   * @param directory for the files
   */
  IcebergParquet(WritePlan plan, Map<String, String> properties, Path directory, FileSink sink) {
    this.plan = plan;
    this.properties = forFiles(properties, plan);
    this.directory = directory;
    this.sink = sink;
  }

  private static Map<String, String> forFiles(Map<String, String> ofTable, WritePlan plan) {
    ParquetOptions options = plan.parquet();
    Map<String, String> all = new HashMap<>();
    ofTable.forEach(
        (key, value) -> {
          if (key.startsWith("write.parquet.") && !key.contains(".column.")) {
            all.put(key, value);
          }
        });
    for (String prefix :
        List.of(
            PARQUET_BLOOM_FILTER_COLUMN_ENABLED_PREFIX,
            PARQUET_BLOOM_FILTER_COLUMN_FPP_PREFIX,
            PARQUET_BLOOM_FILTER_COLUMN_NDV_PREFIX)) {
      all.putAll(plan.schema().properties(ofTable, prefix));
    }
    // Of other codecs the level has other forms, and DuckDB has none.
    options
        .level()
        .ifPresentOrElse(
            level -> all.put(PARQUET_COMPRESSION_LEVEL, Integer.toString(level)),
            () -> all.remove(PARQUET_COMPRESSION_LEVEL));
    // That writer has no brotli here; readers look at each file's own codec.
    ParquetCodec codec =
        options.codec() == ParquetCodec.BROTLI ? ParquetCodec.ZSTD : options.codec();
    all.put(PARQUET_COMPRESSION, codec.tableName());
    all.put(PARQUET_ROW_GROUP_SIZE_BYTES, Long.toString(options.rowGroupBytes()));
    return all;
  }

  /**
   * Adds a row, which is read at once.
   *
   * @param group the number of the row's partition
   * @param rowNumber counts the rows of the run
   */
  void add(StructLike row, int group, PartitionData partition, long rowNumber)
      throws IOException, InterruptedException {
    OpenFile file = open;
    if (file != null && (file.group != group || isFull(file, rowNumber))) {
      finish();
      file = null;
    }
    if (file == null) {
      file = create(group, partition);
      open = file;
    }
    file.appender.add(row);
  }

  private boolean isFull(OpenFile file, long rowNumber) {
    return rowNumber % ROWS_BETWEEN_LOOKS == 0
        && file.appender.length() >= plan.parquet().targetFileBytes();
  }

  private OpenFile create(int group, PartitionData partition) throws IOException {
    files++;
    Path path = directory.resolve("file-" + files + ".parquet");
    FileAppender<StructLike> appender =
        Parquet.write(Files.localOutput(path.toFile()))
            .schema(plan.schema().schema())
            .setAll(properties)
            .metricsConfig(plan.metrics())
            .createWriterFunc(InternalWriter::createWriter)
            .overwrite()
            .build();
    return new OpenFile(path, group, partition, appender);
  }

  /** Hands the open file over, if there is one. */
  void finish() throws IOException, InterruptedException {
    OpenFile file = open;
    if (file == null) {
      return;
    }
    open = null;
    file.appender.close();
    if (UuidBounds.concern(plan.schema())) {
      UuidBounds.correctFooter(file.path);
    }
    sink.accept(
        new LocalFile(
            file.path,
            java.nio.file.Files.size(file.path),
            file.partition,
            FileMetrics.withUuidBounds(file.appender.metrics(), plan.schema()),
            file.appender.splitOffsets()));
  }

  /** Drops the open file. */
  @Override
  public void close() throws IOException {
    OpenFile file = open;
    if (file != null) {
      open = null;
      file.appender.close();
    }
  }
}
