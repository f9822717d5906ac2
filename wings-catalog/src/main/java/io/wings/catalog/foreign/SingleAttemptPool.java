package io.wings.catalog.foreign;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import org.apache.iceberg.jdbc.JdbcClientPool;
import org.jspecify.annotations.Nullable;

/**
 * A pool that runs each action once. Iceberg's runs it again after a broken connection; an update
 * that had landed then changes no row, and is taken for a lost commit.
 */
final class SingleAttemptPool extends JdbcClientPool {
  SingleAttemptPool(@Nullable String uri, Map<String, String> properties) {
    super(uri, properties);
  }

  /** The pool still replaces the broken connection, by what would be its second attempt. */
  @Override
  public <R> R run(Action<R, Connection, SQLException> action, boolean retry)
      throws SQLException, InterruptedException {
    return super.run(new Once<>(action), retry);
  }

  private static final class Once<R> implements Action<R, Connection, SQLException> {
    private final Action<R, Connection, SQLException> action;
    private @Nullable SQLException failure;

    Once(Action<R, Connection, SQLException> action) {
      this.action = action;
    }

    @Override
    public R run(Connection connection) throws SQLException {
      if (failure != null) {
        throw failure;
      }
      try {
        return action.run(connection);
      } catch (SQLException e) {
        failure = e;
        throw e;
      }
    }
  }
}
