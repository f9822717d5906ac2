package io.wings.worker.engine;

import static org.apache.iceberg.TableProperties.PARQUET_COMPRESSION;
import static org.apache.iceberg.TableProperties.PARQUET_COMPRESSION_DEFAULT_SINCE_1_4_0;
import static org.apache.iceberg.TableProperties.PARQUET_COMPRESSION_LEVEL;
import static org.apache.iceberg.TableProperties.PARQUET_PAGE_VERSION;
import static org.apache.iceberg.TableProperties.PARQUET_ROW_GROUP_SIZE_BYTES;
import static org.apache.iceberg.TableProperties.PARQUET_ROW_GROUP_SIZE_BYTES_DEFAULT;
import static org.apache.iceberg.TableProperties.WRITE_TARGET_FILE_SIZE_BYTES;
import static org.apache.iceberg.TableProperties.WRITE_TARGET_FILE_SIZE_BYTES_DEFAULT;

import io.wings.common.cluster.Printable;
import java.util.Locale;
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
    Codec codec,
    OptionalInt level,
    boolean oldPages,
    long rowGroupBytes,
    long targetFileBytes,
    OptionalLong splitBytes) {
  /** What DuckDB needs to encode a row group is several times what the rows take. */
  private static final int ROW_GROUPS_IN_MEMORY = 8;

  /** However small a table wants them: DuckDB would make one of each row. */
  private static final long MIN_ROW_GROUP_BYTES = 64 << 10;

  /** Codecs that both encoders and common readers know. */
  enum Codec {
    UNCOMPRESSED,
    SNAPPY,
    GZIP,
    ZSTD,
    BROTLI,
    /** What tables call lz4; the framing that goes by that name alone is deprecated. */
    LZ4_RAW;

    String tableName() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /**
   * @param memoryBytes what DuckDB may use; row groups stay well below it
   */
  static ParquetOptions of(Map<String, String> properties, long memoryBytes) {
    Codec codec =
        codec(
            properties.getOrDefault(PARQUET_COMPRESSION, PARQUET_COMPRESSION_DEFAULT_SINCE_1_4_0));
    String level = properties.get(PARQUET_COMPRESSION_LEVEL);
    long target =
        number(properties, WRITE_TARGET_FILE_SIZE_BYTES, WRITE_TARGET_FILE_SIZE_BYTES_DEFAULT);
    long rowGroup =
        number(properties, PARQUET_ROW_GROUP_SIZE_BYTES, PARQUET_ROW_GROUP_SIZE_BYTES_DEFAULT);
    return new ParquetOptions(
        codec,
        codec == Codec.ZSTD && level != null
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

  private static Codec codec(String name) {
    String upper = name.toUpperCase(Locale.ROOT);
    for (Codec codec : Codec.values()) {
      if (codec.name().equals(upper)) {
        return codec;
      }
    }
    return switch (upper) {
      case "LZ4" -> Codec.LZ4_RAW;
      case "NONE" -> Codec.UNCOMPRESSED;
      default ->
          throw Encoder.unsupported(PARQUET_COMPRESSION + " = \"" + Printable.of(name) + "\"");
    };
  }

  private static long number(Map<String, String> properties, String key, long byDefault) {
    String value = properties.get(key);
    try {
      return value == null ? byDefault : Long.parseLong(value.strip());
    } catch (NumberFormatException e) {
      throw Encoder.unsupported(key + " = \"" + Printable.of(value) + "\" is no number");
    }
  }
}
