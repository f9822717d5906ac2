package io.wings.cli.source;

import io.wings.common.error.ErrorKind;
import io.wings.common.error.WingsException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Locale;
import org.apache.arrow.compression.CommonsCompressionFactory;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.ipc.ArrowFileReader;
import org.apache.arrow.vector.ipc.ArrowReader;
import org.apache.arrow.vector.ipc.ArrowStreamReader;
import org.duckdb.DuckDBResultSet;

/**
 * A file opened as Arrow batches. Arrow IPC is read as it is; Parquet, CSV and newline-delimited
 * JSON go through DuckDB, in file order.
 */
public final class FileBatches implements AutoCloseable {
  /**
   * The first line is the header and every line has as many fields; nothing is guessed but the
   * types, and those from the whole file: a guess that drops lines would lose rows.
   */
  private static final String CSV_OPTIONS =
      ", header = true, skip = 0, quote = '\"', escape = '\"', strict_mode = true,"
          + " null_padding = false, ignore_errors = false, sample_size = -1";

  private final ArrowReader reader;
  private final AutoCloseable[] owned;

  private FileBatches(ArrowReader reader, AutoCloseable... owned) {
    this.reader = reader;
    this.owned = owned;
  }

  /**
   * Opens {@code file}.
   *
   * @param batchRows rows of a batch, for the formats that have no batches of their own
   */
  public static FileBatches open(Path file, int batchRows, BufferAllocator allocator)
      throws IOException {
    requireReadable(file);
    return switch (FileFormat.of(file)) {
      case ARROW_FILE ->
          new FileBatches(
              new ArrowFileReader(
                  FileChannel.open(file), allocator, CommonsCompressionFactory.INSTANCE));
      case ARROW_STREAM ->
          new FileBatches(
              new ArrowStreamReader(
                  Files.newInputStream(file), allocator, CommonsCompressionFactory.INSTANCE));
      case PARQUET -> query("read_parquet", file, "", batchRows, allocator);
      case CSV -> query("read_csv", file, CSV_OPTIONS + delimiter(file), batchRows, allocator);
      case NDJSON ->
          query("read_json", file, ", format = 'newline_delimited'", batchRows, allocator);
    };
  }

  /**
   * Refuses a file that isn't there.
   *
   * @throws WingsException {@code file-not-found}
   */
  public static void requireReadable(Path file) {
    if (!Files.isRegularFile(file) || !Files.isReadable(file)) {
      throw WingsException.notFound("file-not-found", file + " is not there or can't be read");
    }
  }

  private static String delimiter(Path file) {
    String name = file.getFileName().toString().toLowerCase(Locale.ROOT);
    return ", delim = '" + (name.contains(".tsv") ? "\\t" : ",") + "'";
  }

  private static FileBatches query(
      String function, Path file, String options, int batchRows, BufferAllocator allocator) {
    try {
      Connection connection = DriverManager.getConnection("jdbc:duckdb:");
      try {
        Statement statement = connection.createStatement();
        statement.execute("SET threads = 1");
        statement.execute("SET preserve_insertion_order = true");
        String quoted = "'" + file.toAbsolutePath().toString().replace("'", "''") + "'";
        ResultSet rows =
            statement.executeQuery("SELECT * FROM " + function + "(" + quoted + options + ")");
        ArrowReader reader =
            (ArrowReader)
                rows.unwrap(DuckDBResultSet.class).arrowExportStream(allocator, batchRows);
        return new FileBatches(reader, rows, statement, connection);
      } catch (SQLException | RuntimeException e) {
        connection.close();
        throw e;
      }
    } catch (SQLException e) {
      throw new WingsException(
          ErrorKind.INVALID,
          "file-unreadable",
          file
              + ": "
              + String.valueOf(e.getMessage()).lines().findFirst().orElse("unreadable")
              + (function.equals("read_csv")
                  ? " Expected a header line, and as many fields as it has in every line."
                  : ""),
          e);
    }
  }

  /** The batches; valid until this is closed. */
  public ArrowReader reader() {
    return reader;
  }

  @Override
  public void close() throws IOException {
    reader.close();
    for (AutoCloseable resource : owned) {
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
