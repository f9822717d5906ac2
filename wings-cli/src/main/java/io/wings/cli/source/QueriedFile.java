package io.wings.cli.source;

import io.wings.common.error.ErrorKind;
import io.wings.common.error.WingsException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.ipc.ArrowReader;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.Schema;
import org.duckdb.DuckDBResultSet;
import org.jspecify.annotations.Nullable;

/**
 * A file that DuckDB reads, in file order. What DuckDB would change without a word is refused: a
 * column renamed because another has its name, a decimal that becomes a double, a duration that
 * becomes a number.
 */
final class QueriedFile implements AutoCloseable {
  /** DuckDB's words for text in another encoding. */
  private static final Pattern NOT_UTF_8 =
      Pattern.compile("unicode|utf-?8", Pattern.CASE_INSENSITIVE);

  /**
   * The first line is the header and every line has as many fields; nothing is guessed but the
   * types, and those from the whole file: a guess that drops lines would lose rows.
   */
  private static final String CSV_OPTIONS =
      ", skip = 0, quote = '\"', escape = '\"', strict_mode = true, null_padding = false,"
          + " ignore_errors = false, sample_size = -1";

  /** Above, DuckDB has no decimals. */
  private static final int MAX_DECIMAL_DIGITS = 38;

  private final Path file;
  private final Connection connection;
  private @Nullable Statement reading;

  private QueriedFile(Path file) throws SQLException {
    this.file = file;
    this.connection = DriverManager.getConnection("jdbc:duckdb:");
  }

  /**
   * Opens {@code file}.
   *
   * @throws WingsException {@code file-unreadable}, {@code file-empty}, {@code
   *     column-name-ambiguous}, {@code type-unsupported}
   */
  static QueriedFile open(Path file) {
    try {
      QueriedFile opened = new QueriedFile(file);
      try (Statement statement = opened.connection.createStatement()) {
        statement.execute("SET threads = 1");
        statement.execute("SET preserve_insertion_order = true");
        return opened;
      } catch (SQLException e) {
        opened.close();
        throw e;
      }
    } catch (SQLException e) {
      throw unreadable(file, e, "");
    }
  }

  ArrowReader parquet(int batchRows, BufferAllocator allocator) {
    try {
      refuseTypesThatWouldChange();
      requireNamesApart(parquetColumns());
      return reader("read_parquet", "", batchRows, allocator);
    } catch (SQLException e) {
      throw unreadable(file, e, "");
    }
  }

  ArrowReader csv(int batchRows, BufferAllocator allocator) {
    String name = file.getFileName().toString().toLowerCase(Locale.ROOT);
    String options = CSV_OPTIONS + ", delim = '" + (name.contains(".tsv") ? "\\t" : ",") + "'";
    try {
      requireNamesApart(csvHeader(options));
      return reader("read_csv", options + ", header = true", batchRows, allocator);
    } catch (SQLException e) {
      throw unreadable(
          file, e, " Expected a header line, and as many fields as it has in every line.");
    }
  }

  ArrowReader json(int batchRows, BufferAllocator allocator) {
    try {
      return reader("read_json", ", format = 'newline_delimited'", batchRows, allocator);
    } catch (SQLException e) {
      throw unreadable(file, e, "");
    }
  }

  private ArrowReader reader(
      String function, String options, int batchRows, BufferAllocator allocator)
      throws SQLException {
    Statement statement = connection.createStatement();
    reading = statement;
    ResultSet rows = statement.executeQuery("SELECT * FROM " + call(function, options));
    return (ArrowReader) rows.unwrap(DuckDBResultSet.class).arrowExportStream(allocator, batchRows);
  }

  private String call(String function, String options) {
    String quoted = "'" + file.toAbsolutePath().toString().replace("'", "''") + "'";
    return function + "(" + quoted + options + ")";
  }

  private List<String> csvHeader(String options) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                "SELECT * FROM "
                    + call("read_csv", options + ", header = false, all_varchar = true")
                    + " LIMIT 1")) {
      if (!row.next()) {
        throw empty(file);
      }
      ResultSetMetaData columns = row.getMetaData();
      List<String> names = new ArrayList<>();
      for (int i = 1; i <= columns.getColumnCount(); i++) {
        String name = row.getString(i);
        if (name != null) {
          names.add(name);
        }
      }
      return names;
    }
  }

  /** The schema's tree comes in pre-order, each node with the number of its children. */
  private List<String> parquetColumns() throws SQLException {
    List<String> names = new ArrayList<>();
    try (Statement statement = connection.createStatement();
        ResultSet node =
            statement.executeQuery(
                "SELECT name, coalesce(num_children, 0) FROM " + call("parquet_schema", ""))) {
      node.next();
      long below = 0;
      while (node.next()) {
        if (below == 0) {
          names.add(node.getString(1));
        } else {
          below--;
        }
        below += node.getLong(2);
      }
    }
    return names;
  }

  private void requireNamesApart(List<String> names) {
    Map<String, String> byLowerCase = new TreeMap<>();
    for (String name : names) {
      String other = byLowerCase.put(name.toLowerCase(Locale.ROOT), name);
      if (other != null) {
        throw WingsException.invalid(
            "column-name-ambiguous",
            other.equals(name)
                ? "%s has the column \"%s\" twice; rename one".formatted(file, name)
                : "%s has the columns \"%s\" and \"%s\", whose names differ only in case; rename one"
                    .formatted(file, other, name));
      }
    }
  }

  private void refuseTypesThatWouldChange() throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet column =
            statement.executeQuery(
                "SELECT name, precision FROM "
                    + call("parquet_schema", "")
                    + " WHERE precision > "
                    + MAX_DECIMAL_DIGITS)) {
      if (column.next()) {
        throw unsupported(column.getString(1), "decimal of " + column.getLong(2) + " digits");
      }
    }
    try (Statement statement = connection.createStatement();
        ResultSet schema =
            statement.executeQuery(
                "SELECT decode(value) FROM "
                    + call("parquet_kv_metadata", "")
                    + " WHERE decode(key) = 'ARROW:schema'")) {
      if (schema.next()) {
        arrowSchema(schema.getString(1)).getFields().forEach(this::refuseDurations);
      }
    }
  }

  /** What the file's writer, if it was Arrow, says the columns were before they were Parquet. */
  private Schema arrowSchema(String base64) {
    try {
      return Schema.deserializeMessage(ByteBuffer.wrap(Base64.getDecoder().decode(base64)));
    } catch (RuntimeException e) {
      throw new WingsException(
          ErrorKind.INVALID,
          "file-unreadable",
          file + ": its ARROW:schema can't be read: " + e.getMessage(),
          e);
    }
  }

  private void refuseDurations(Field field) {
    if (field.getType() instanceof ArrowType.Duration duration) {
      throw unsupported(field.getName(), duration.toString());
    }
    field.getChildren().forEach(this::refuseDurations);
  }

  private WingsException unsupported(String column, String type) {
    return WingsException.invalid(
        "type-unsupported",
        "%s: column \"%s\" is %s, which Iceberg has no type for; cast it in the file"
            .formatted(file, column, type));
  }

  static WingsException empty(Path file) {
    return WingsException.invalid(
        "file-empty", file + " is empty: not even the names of its columns are there");
  }

  static WingsException unreadable(Path file, Exception e, String hint) {
    String message = String.valueOf(e.getMessage());
    String first = message.lines().findFirst().orElse(e.getClass().getSimpleName());
    String advice =
        NOT_UTF_8.matcher(message).find()
            ? " It is read as UTF-8; convert it, as by iconv -f latin1 -t utf-8."
            : hint;
    return new WingsException(
        ErrorKind.INVALID, "file-unreadable", file + ": " + first + advice, e);
  }

  @Override
  public void close() {
    try (connection) {
      if (reading != null) {
        reading.close();
      }
    } catch (SQLException e) {
      throw unreadable(file, e, "");
    }
  }
}
