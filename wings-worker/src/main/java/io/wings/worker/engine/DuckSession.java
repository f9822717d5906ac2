package io.wings.worker.engine;

import io.wings.common.error.ErrorKind;
import io.wings.common.error.WingsException;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Properties;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.arrow.c.ArrowArrayStream;
import org.apache.arrow.c.Data;
import org.apache.arrow.memory.BufferAllocator;
import org.duckdb.DuckDBConnection;
import org.jspecify.annotations.Nullable;

/**
 * One embedded DuckDB instance with its limits set and locked, used by one thread; another may
 * {@link #cancel}. After an error it is closed, not used again.
 */
final class DuckSession implements AutoCloseable {
  private final Connection connection;
  private final ReentrantLock lock = new ReentrantLock();
  private @Nullable Statement running;
  private boolean cancelled;

  private DuckSession(Connection connection) {
    this.connection = connection;
  }

  /** What to make of a statement's rows. */
  @FunctionalInterface
  interface Results<T> {
    T read(ResultSet results) throws SQLException, IOException, InterruptedException;
  }

  /**
   * An instance in memory.
   *
   * @param directory the only one that its statements can read and write
   * @param spill inside it, for what doesn't fit in memory
   */
  static DuckSession open(EngineSettings settings, Path directory, Path spill)
      throws InterruptedException {
    DuckSession session;
    try {
      session = new DuckSession(DriverManager.getConnection("jdbc:duckdb:", new Properties()));
    } catch (SQLException e) {
      throw failed(e);
    }
    try {
      for (String limit : Sql.limits(settings, spill, directory)) {
        session.run(limit);
      }
      return session;
    } catch (RuntimeException | InterruptedException e) {
      session.close();
      throw e;
    }
  }

  void run(String sql) throws InterruptedException {
    query(
        sql,
        _ -> {
          return true;
        });
  }

  /** Runs a statement that reads {@code rows} once, under the name {@link Sql#ROWS}. */
  <T> T queryRows(String sql, RunReader rows, BufferAllocator allocator, Results<T> results)
      throws InterruptedException {
    try (ArrowArrayStream stream = ArrowArrayStream.allocateNew(allocator)) {
      Data.exportArrayStream(allocator, rows, stream);
      try {
        connection.unwrap(DuckDBConnection.class).registerArrowStream(Sql.ROWS, stream);
        return query(sql, results);
      } finally {
        stream.release();
      }
    } catch (SQLException e) {
      throw failed(e);
    } catch (WingsException e) {
      throw original(rows.failure(), e);
    }
  }

  private static WingsException original(@Nullable Throwable failure, WingsException seen)
      throws InterruptedException {
    return switch (failure) {
      case null -> seen;
      case InterruptedException e -> throw e;
      case WingsException e -> e;
      case Error e -> throw e;
      default -> WingsException.unavailable("engine-failed", "the source of rows failed", failure);
    };
  }

  <T> T query(String sql, Results<T> results) throws InterruptedException {
    try (Statement statement = begin()) {
      statement.execute(sql);
      try (ResultSet rows = statement.getResultSet()) {
        return results.read(rows);
      }
    } catch (SQLException | IOException e) {
      if (isCancelled()) {
        throw new InterruptedException();
      }
      throw failed(e);
    } finally {
      end();
    }
  }

  private Statement begin() throws SQLException, InterruptedException {
    lock.lock();
    try {
      if (cancelled) {
        throw new InterruptedException();
      }
      Statement statement = connection.createStatement();
      running = statement;
      return statement;
    } finally {
      lock.unlock();
    }
  }

  private void end() {
    lock.lock();
    try {
      running = null;
    } finally {
      lock.unlock();
    }
  }

  private boolean isCancelled() {
    lock.lock();
    try {
      return cancelled;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Stops the running statement and refuses further ones. A statement that is only about to start
   * misses the signal: call it again until the session's thread is done.
   */
  void cancel() {
    lock.lock();
    try {
      cancelled = true;
      if (running != null) {
        running.cancel();
      }
    } catch (SQLException e) {
      throw failed(e);
    } finally {
      lock.unlock();
    }
  }

  private static WingsException failed(Exception e) {
    return new WingsException(
        ErrorKind.UNAVAILABLE, "engine-failed", "DuckDB: " + e.getMessage(), e);
  }

  @Override
  public void close() {
    try {
      connection.close();
    } catch (SQLException e) {
      throw failed(e);
    }
  }
}
