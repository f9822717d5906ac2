package io.wings.catalog.foreign;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.wings.catalog.io.Reach;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.DriverPropertyInfo;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Logger;
import org.apache.iceberg.inmemory.InMemoryFileIO;
import org.apache.iceberg.jdbc.UncheckedSQLException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class JdbcCatalogsTest {
  private static final String DATABASE = "/only-of-this-test";

  private final Listener driver = new Listener();

  JdbcCatalogsTest() throws SQLException {
    DriverManager.registerDriver(driver);
  }

  @AfterEach
  void close() throws SQLException {
    DriverManager.deregisterDriver(driver);
  }

  private String limits(String server, String query) {
    Map<String, String> properties =
        Map.of("uri", server + DATABASE + query, "warehouse", "s3://b");
    assertThatThrownBy(
            () ->
                JdbcCatalogs.open(
                    "main", properties, false, new Reach(true, true), _ -> new InMemoryFileIO()))
        .isInstanceOf(UncheckedSQLException.class);
    Properties given = driver.given.getLast();
    return given.getProperty("connectTimeout") + " " + given.getProperty("socketTimeout");
  }

  /** PostgreSQL's driver counts seconds, the others milliseconds. */
  @Test
  void aDatabaseThatDoesntAnswerIsWaitedForAsLongAsItsAddressSaysOrAMinute() {
    assertThat(limits("jdbc:postgresql://127.0.0.1:1", "")).isEqualTo("10 60");
    assertThat(limits("jdbc:mysql://127.0.0.1:1", "")).isEqualTo("10000 60000");
    assertThat(limits("jdbc:mariadb://127.0.0.1:1", "?sslmode=verify-full"))
        .isEqualTo("10000 60000");
    assertThat(limits("jdbc:postgresql://127.0.0.1:1", "?socketTimeout=600")).isEqualTo("10 null");
  }

  /** Hears what a driver is given. */
  private static final class Listener implements Driver {
    private final List<Properties> given = new CopyOnWriteArrayList<>();

    @Override
    public @Nullable Connection connect(String url, Properties properties) throws SQLException {
      if (!acceptsURL(url)) {
        return null;
      }
      given.add(properties);
      throw new SQLException("test");
    }

    @Override
    public boolean acceptsURL(String url) {
      return url.contains(DATABASE);
    }

    @Override
    public DriverPropertyInfo[] getPropertyInfo(String url, Properties properties) {
      return new DriverPropertyInfo[0];
    }

    @Override
    public int getMajorVersion() {
      return 1;
    }

    @Override
    public int getMinorVersion() {
      return 0;
    }

    @Override
    public boolean jdbcCompliant() {
      return false;
    }

    @Override
    public Logger getParentLogger() {
      return Logger.getLogger("test");
    }
  }
}
