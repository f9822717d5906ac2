package io.wings.cli.source;

import io.wings.common.error.WingsException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.compression.CommonsCompressionFactory;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.ipc.ArrowFileReader;
import org.apache.arrow.vector.ipc.ArrowReader;
import org.apache.arrow.vector.ipc.ArrowStreamReader;
import org.apache.arrow.vector.types.pojo.Schema;

/**
 * A file opened as Arrow batches without dictionaries, none of them larger than a few MiB unless
 * one row is. Arrow IPC is read as it is; Parquet, CSV and newline-delimited JSON go through
 * DuckDB, in file order.
 */
public final class FileBatches implements AutoCloseable {
  private final Path file;
  private final ArrowReader reader;
  private final List<AutoCloseable> owned;
  private final BatchCuts cuts;
  private long rows;

  private FileBatches(
      Path file, ArrowReader reader, List<AutoCloseable> owned, BufferAllocator allocator)
      throws IOException {
    this.file = file;
    this.reader = reader;
    this.owned = owned;
    this.cuts = new BatchCuts(reader.getVectorSchemaRoot(), reader, allocator);
  }

  /**
   * Opens {@code file}.
   *
   * @param batchRows rows of a batch, for the formats that have no batches of their own
   * @throws WingsException {@code file-not-found}, {@code file-empty}, {@code file-format-unknown},
   *     {@code file-unreadable}, {@code column-name-ambiguous}, {@code type-unsupported}
   */
  public static FileBatches open(Path file, int batchRows, BufferAllocator allocator)
      throws IOException {
    requireReadable(file);
    if (Files.size(file) == 0) {
      throw QueriedFile.empty(file);
    }
    List<AutoCloseable> owned = new ArrayList<>();
    try {
      ArrowReader reader = reader(file, batchRows, allocator, owned);
      owned.addFirst(reader);
      return new FileBatches(file, reader, owned, allocator);
    } catch (IOException | RuntimeException e) {
      closeAll(owned);
      throw e instanceof WingsException wings ? wings : QueriedFile.unreadable(file, e, "");
    }
  }

  private static ArrowReader reader(
      Path file, int batchRows, BufferAllocator allocator, List<AutoCloseable> owned)
      throws IOException {
    return switch (FileFormat.of(file)) {
      case ARROW_FILE -> {
        FileChannel channel = FileChannel.open(file);
        owned.add(channel);
        yield new ArrowFileReader(channel, allocator, CommonsCompressionFactory.INSTANCE);
      }
      case ARROW_STREAM -> {
        InputStream in = Files.newInputStream(file);
        owned.add(in);
        yield new ArrowStreamReader(in, allocator, CommonsCompressionFactory.INSTANCE);
      }
      case PARQUET -> queried(file, owned).parquet(batchRows, allocator);
      case CSV -> queried(file, owned).csv(batchRows, allocator);
      case NDJSON -> queried(file, owned).json(batchRows, allocator);
    };
  }

  private static QueriedFile queried(Path file, List<AutoCloseable> owned) {
    QueriedFile queried = QueriedFile.open(file);
    owned.add(queried);
    return queried;
  }

  /**
   * Refuses a file that isn't there.
   *
   * @throws WingsException {@code file-not-found}
   */
  public static void requireReadable(Path file) {
    if (Files.isDirectory(file)) {
      throw WingsException.invalid(
          "file-is-directory", file + " is a directory; name the files in it");
    }
    if (!Files.isRegularFile(file) || !Files.isReadable(file)) {
      throw WingsException.notFound("file-not-found", file + " is not there or can't be read");
    }
  }

  /** What the batches look like. */
  public Schema schema() {
    return cuts.part().getSchema();
  }

  /** Holds each batch after {@link #next}; valid until this is closed. */
  public VectorSchemaRoot root() {
    return cuts.part();
  }

  /**
   * Puts the next batch, which is not empty, into {@link #root()}; false when there is none left.
   *
   * @throws WingsException {@code file-unreadable}
   */
  public boolean next() {
    try {
      while (!cuts.next()) {
        if (!reader.loadNextBatch()) {
          return false;
        }
        cuts.begin();
      }
      rows += root().getRowCount();
      return true;
    } catch (IOException | RuntimeException e) {
      throw QueriedFile.unreadable(file, e, " (after " + rows + " rows)");
    }
  }

  @Override
  public void close() throws IOException {
    cuts.close();
    closeAll(owned);
  }

  private static void closeAll(List<AutoCloseable> resources) throws IOException {
    for (AutoCloseable resource : resources) {
      try {
        resource.close();
      } catch (IOException | RuntimeException e) {
        throw e;
      } catch (Exception e) {
        throw new IOException(e);
      }
    }
  }
}
