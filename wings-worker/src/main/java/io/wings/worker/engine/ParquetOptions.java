package io.wings.worker.engine;

import static org.apache.iceberg.TableProperties.PARQUET_COMPRESSION_LEVEL;
import static org.apache.iceberg.TableProperties.PARQUET_PAGE_VERSION;
import static org.apache.iceberg.TableProperties.PARQUET_ROW_GROUP_SIZE_BYTES;
import static org.apache.iceberg.TableProperties.PARQUET_ROW_GROUP_SIZE_BYTES_DEFAULT;
import static org.apache.iceberg.TableProperties.WRITE_TARGET_FILE_SIZE_BYTES;
import static org.apache.iceberg.TableProperties.WRITE_TARGET_FILE_SIZE_BYTES_DEFAULT;

import io.wings.catalog.table.ParquetCodec;
import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * How Parquet files are written.
 *
 * @param level of the codec; only zstd has one here
 * @param oldPages pages of version 1, where the table asks for them; version 2 is smaller and
 *     faster
 * @param rowGroupBytes of rows in memory after which a row group ends; rows are counted too, as
 *     DuckDB does by default
 * @param targetFileBytes from which size on a file is closed
 * @param splitBytes the same, where rows may need more than one file; empty otherwise
 */
record ParquetOptions(
    ParquetCodec codec,
    OptionalInt level,
    boolean oldPages,
    long rowGroupBytes,
    long targetFileBytes,
    OptionalLong splitBytes) {
  /** What DuckDB needs to encode a row group is several times what the rows take. */
  private static final int ROW_GROUPS_IN_MEMORY = 8;

  /** However small a table wants them: DuckDB would make one of each row. */
  private static final long MIN_ROW_GROUP_BYTES = 64 << 10;

  /**
   * @param memoryBytes what DuckDB may use; row groups stay well below it
   */
  static ParquetOptions of(Map<String, String> properties, long memoryBytes) {
    ParquetCodec codec = ParquetCodec.of(properties);
    String level = properties.get(PARQUET_COMPRESSION_LEVEL);
    long target =
        number(properties, WRITE_TARGET_FILE_SIZE_BYTES, WRITE_TARGET_FILE_SIZE_BYTES_DEFAULT);
    long rowGroup =
        number(properties, PARQUET_ROW_GROUP_SIZE_BYTES, PARQUET_ROW_GROUP_SIZE_BYTES_DEFAULT);
    return new ParquetOptions(
        codec,
        codec == ParquetCodec.ZSTD && level != null
            ? OptionalInt.of((int) number(properties, PARQUET_COMPRESSION_LEVEL, 0))
            : OptionalInt.empty(),
        "v1".equals(properties.get(PARQUET_PAGE_VERSION)),
        Math.max(
            MIN_ROW_GROUP_BYTES,
            Math.min(Math.min(rowGroup, target), memoryBytes / ROW_GROUPS_IN_MEMORY)),
        target,
        OptionalLong.empty());
  }

  /** For rows of about that size altogether, which one file may or may not hold. */
  ParquetOptions forBytes(long rawBytes) {
    return new ParquetOptions(
        codec,
        level,
        oldPages,
        rowGroupBytes,
        targetFileBytes,
        rawBytes > targetFileBytes ? OptionalLong.of(targetFileBytes) : OptionalLong.empty());
  }

  /** {@link io.wings.catalog.table.Writable} has seen to it that it is one. */
  private static long number(Map<String, String> properties, String key, long byDefault) {
    String value = properties.get(key);
    return value == null ? byDefault : Long.parseLong(value.strip());
  }
}
