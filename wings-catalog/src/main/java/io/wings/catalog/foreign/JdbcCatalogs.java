package io.wings.catalog.foreign;

import io.wings.catalog.io.Reach;
import io.wings.common.error.WingsException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.iceberg.CatalogProperties;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.jdbc.JdbcCatalog;
import org.jspecify.annotations.Nullable;

/** Opens Iceberg's catalog in a relational database. */
public final class JdbcCatalogs {
  /** Of hosts only names, addresses and ports: MySQL takes parameters among them, in brackets. */
  private static final Pattern SERVER =
      Pattern.compile(
          "jdbc:(?<driver>postgresql|mysql|mariadb)://(?<hosts>[A-Za-z0-9._,:\\[\\]-]+)"
              + "/[^/?#@;&=]+(\\?(?<query>.*))?");

  private static final Pattern PORT = Pattern.compile(":[0-9]*$");

  private static final Pattern FILE = Pattern.compile("jdbc:sqlite:(?<path>/[^?#]+)");

  /** Others can load code, read files, or carry a password. */
  private static final Set<String> PARAMETERS =
      new TreeSet<>(
          Set.of("ssl", "sslmode", "useSSL", "currentSchema", "connectTimeout", "socketTimeout"));

  /** Drivers wait for ever where nothing says how long; these are their own names for it. */
  private static final Map<String, Duration> TIMEOUTS =
      Map.of("connectTimeout", Duration.ofSeconds(10), "socketTimeout", Duration.ofSeconds(60));

  private JdbcCatalogs() {}

  /**
   * Opens a catalog, and makes its tables where they are missing.
   *
   * @param name the catalog's name in the database: a part of the key of its rows
   * @param properties of the catalog, checked to be known
   * @param allowFiles whether a database may be a local file
   * @param reach where one may be that isn't
   * @throws WingsException {@code catalog-refused}
   * @throws RuntimeException when it doesn't answer, or refuses
   */
  public static ForeignCatalog open(
      String name,
      Map<String, String> properties,
      boolean allowFiles,
      Reach reach,
      Function<Map<String, String>, FileIO> files) {
    checkUri(properties.get(CatalogProperties.URI), allowFiles, reach);
    Map<String, String> settings = new HashMap<>(properties);
    settings.putIfAbsent("jdbc.schema-version", "V1");
    timeouts(String.valueOf(properties.get(CatalogProperties.URI)))
        .forEach((limit, value) -> settings.put("jdbc." + limit, value));
    JdbcCatalog catalog =
        new JdbcCatalog(
            files,
            config -> new SingleAttemptPool(config.get(CatalogProperties.URI), config),
            true);
    catalog.initialize(name, settings);
    return new ForeignCatalog(catalog, catalog, catalog);
  }

  /** The file of a database that is a local one; empty for another, or for what isn't allowed. */
  public static Optional<Path> localFile(String uri) {
    Matcher file = FILE.matcher(uri);
    return file.matches() ? Optional.of(Path.of(file.group("path"))) : Optional.empty();
  }

  /** Those that the address doesn't say, in its driver's unit. */
  private static Map<String, String> timeouts(String uri) {
    Matcher server = SERVER.matcher(uri);
    if (!server.matches()) {
      return Map.of();
    }
    String query = "&" + server.group("query");
    Map<String, String> unsaid = new HashMap<>();
    TIMEOUTS.forEach(
        (limit, time) -> {
          if (!query.contains("&" + limit + "=")) {
            boolean seconds = server.group("driver").equals("postgresql");
            unsaid.put(limit, String.valueOf(seconds ? time.toSeconds() : time.toMillis()));
          }
        });
    return unsaid;
  }

  private static void checkUri(@Nullable String uri, boolean allowFiles, Reach reach) {
    if (uri == null) {
      throw refused("a jdbc catalog needs a \"uri\"");
    }
    if (FILE.matcher(uri).matches()) {
      if (!allowFiles) {
        throw refused("a database in a local file is only for a cluster in a local directory");
      }
      return;
    }
    Matcher server = SERVER.matcher(uri);
    if (!server.matches()) {
      throw refused(
          "expected jdbc:postgresql://host:port/database (or mysql, mariadb, sqlite:/path) in"
              + " \"uri\", with user and password in jdbc.user and jdbc.password");
    }
    for (String host : server.group("hosts").split(",", -1)) {
      reach.checkHost(CatalogProperties.URI, PORT.matcher(host).replaceFirst(""));
    }
    String query = server.group("query");
    if (query != null) {
      for (String parameter : query.split("&", -1)) {
        if (!PARAMETERS.contains(parameter.split("=", 2)[0])) {
          throw refused("parameters of \"uri\" may be " + PARAMETERS);
        }
      }
    }
  }

  private static WingsException refused(String why) {
    return WingsException.invalid("catalog-refused", why);
  }
}
