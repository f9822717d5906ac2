package io.wings.catalog.io;

import com.fasterxml.jackson.core.JsonGenerator;
import io.wings.common.cluster.Printable;
import io.wings.common.error.WingsException;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableMetadataParser;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.util.JsonUtil;
import org.jspecify.annotations.Nullable;

/** Keeps commits from growing a table's metadata beyond what every process can hold. */
public final class MetadataSize {
  private MetadataSize() {}

  /**
   * Refuses what is over the limit, unless it is smaller than before: a table that has grown
   * elsewhere can be shrunk step by step.
   *
   * @throws WingsException {@code metadata-too-large}
   */
  public static void check(
      TableIdentifier table, @Nullable TableMetadata before, TableMetadata changed) {
    long limit = MetadataFile.MAX_WRITTEN_BYTES;
    long bytes = bytes(changed);
    if (bytes <= limit || (before != null && bytes < bytes(before))) {
      return;
    }
    throw WingsException.invalid(
        "metadata-too-large",
        ("the metadata of %s would have %d bytes, expected at most %d MiB; expire snapshots"
                + " (history.expire.*), remove statistics of old ones, or set fewer and smaller"
                + " properties")
            .formatted(Printable.of(table.toString()), bytes, limit / (1024 * 1024)));
  }

  /** As it is written, uncompressed. */
  private static long bytes(TableMetadata metadata) {
    Counter counter = new Counter();
    try (JsonGenerator generator = JsonUtil.factory().createGenerator(counter)) {
      TableMetadataParser.toJson(metadata, generator);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return counter.bytes;
  }

  private static final class Counter extends OutputStream {
    private long bytes;

    @Override
    public void write(int one) {
      bytes++;
    }

    @Override
    public void write(byte[] some, int from, int length) {
      bytes += length;
    }
  }
}
