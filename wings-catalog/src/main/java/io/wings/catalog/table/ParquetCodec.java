package io.wings.catalog.table;

import static org.apache.iceberg.TableProperties.PARQUET_COMPRESSION;
import static org.apache.iceberg.TableProperties.PARQUET_COMPRESSION_DEFAULT_SINCE_1_4_0;

import io.wings.common.cluster.Printable;
import io.wings.common.error.WingsException;
import java.util.Locale;
import java.util.Map;

/** Codecs of data files that both of the worker's encoders and common readers know. */
public enum ParquetCodec {
  UNCOMPRESSED,
  SNAPPY,
  GZIP,
  ZSTD,
  BROTLI,
  /** What tables call lz4; the framing that goes by that name alone is deprecated. */
  LZ4_RAW;

  /**
   * What a table asks for.
   *
   * @throws WingsException {@code table-unsupported} for any other
   */
  public static ParquetCodec of(Map<String, String> properties) {
    String name =
        properties.getOrDefault(PARQUET_COMPRESSION, PARQUET_COMPRESSION_DEFAULT_SINCE_1_4_0);
    String upper = name.toUpperCase(Locale.ROOT);
    for (ParquetCodec codec : values()) {
      if (codec.name().equals(upper)) {
        return codec;
      }
    }
    return switch (upper) {
      case "LZ4" -> LZ4_RAW;
      case "NONE" -> UNCOMPRESSED;
      default ->
          throw Writable.unsupported(
              "property %s: expected uncompressed, snappy, gzip, zstd, brotli or lz4, got \"%s\""
                  .formatted(PARQUET_COMPRESSION, Printable.of(name)));
    };
  }

  /** As a table's property spells it. */
  public String tableName() {
    return name().toLowerCase(Locale.ROOT);
  }
}
