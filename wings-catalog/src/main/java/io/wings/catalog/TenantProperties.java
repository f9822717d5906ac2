package io.wings.catalog;

import static java.util.Map.entry;

import io.wings.common.cluster.Printable;
import io.wings.common.config.Suggestion;
import io.wings.common.error.WingsException;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * A secret's properties, checked: each is known to the catalog's type, none names code to load, and
 * none reads the process's environment.
 *
 * @param warehouse without a slash at its end; empty for a REST catalog that needs none
 */
record TenantProperties(CatalogType type, Map<String, String> all, Optional<String> warehouse) {
  static final String TYPE = "type";
  static final String WAREHOUSE = "warehouse";
  static final String IO = "io-impl";

  /** Where a REST catalog's tables are when they are local files. */
  static final String LOCAL_ROOT = "wings.local-root";

  /** The name that a JDBC catalog's rows carry, when it isn't the tenant's. */
  static final String JDBC_NAME = "wings.jdbc-catalog-name";

  private static final Set<String> COMMON =
      Set.of(
          TYPE,
          WAREHOUSE,
          IO,
          LOCAL_ROOT,
          "client.region",
          "s3.access-key-id",
          "s3.secret-access-key",
          "s3.session-token",
          Secret.EXPIRES_AT,
          "s3.endpoint",
          "s3.path-style-access");

  private static final Set<String> REST =
      Set.of(
          "uri",
          "prefix",
          "token",
          "credential",
          "scope",
          "audience",
          "resource",
          "oauth2-server-uri",
          "token-expires-in-ms",
          "token-refresh-enabled",
          "token-exchange-enabled",
          "namespace-separator",
          "rest.auth.type",
          "rest.auth.basic.username",
          "rest.auth.basic.password",
          "rest.signing-name",
          "rest.signing-region",
          "rest.access-key-id",
          "rest.secret-access-key",
          "rest.session-token",
          "rest.client.connection-timeout-ms",
          "rest.client.socket-timeout-ms");

  private static final Set<String> JDBC =
      Set.of(
          "uri",
          JDBC_NAME,
          "jdbc.user",
          "jdbc.password",
          "jdbc.schema-version",
          "jdbc.strict-mode",
          "jdbc.init-catalog-tables");

  private static final List<String> PREFIXES = List.of("table-default.", "table-override.");
  private static final String HEADER = "header.";

  /** FileIOs that may be named, since what they do is done by Wings' own. */
  private static final Set<String> FILE_IOS =
      Set.of(
          "org.apache.iceberg.aws.s3.S3FileIO",
          "org.apache.iceberg.io.ResolvingFileIO",
          "io.wings.catalog.io.LocalFileIO");

  private static final Map<String, String> REFUSED_TYPES =
      Map.ofEntries(
          entry("hadoop", "it renames files, and object storage has no atomic rename"),
          entry("hive", "it locks instead of checking a version"),
          entry("dynamodb", "it is not tested; use rest, jdbc or wings"),
          entry("glue", "not in this version; use Glue's Iceberg REST endpoint with type rest"),
          entry("nessie", "use its Iceberg REST endpoint with type rest"),
          entry("bigquery", "not in this version"),
          entry("snowflake", "it can't be written to"),
          entry("ecs", "it is not tested; use rest, jdbc or wings"));

  static TenantProperties of(Secret secret) {
    CatalogType type = type(secret);
    Set<String> known = known(type);
    for (String key : secret.keys()) {
      boolean prefixed =
          PREFIXES.stream().anyMatch(key::startsWith)
              || (type == CatalogType.REST && key.startsWith(HEADER));
      if (!known.contains(key) && !prefixed) {
        throw Suggestion.unknown(
            "catalog-refused", "property of a " + type + " catalog", Printable.of(key), known);
      }
      if (String.valueOf(secret.get(key)).startsWith("env:")) {
        throw refused(key + " would read the process's environment (env:…); put the value itself");
      }
    }
    checkFileIo(secret);
    checkExpiry(secret);
    Map<String, String> all = new HashMap<>(secret.properties());
    all.keySet().removeAll(Set.of(TYPE, IO, Secret.EXPIRES_AT));
    return new TenantProperties(type, Map.copyOf(all), warehouse(type, secret));
  }

  /** What a secret may hold, besides what begins with a known prefix. */
  static Set<String> known(CatalogType type) {
    Set<String> known = new TreeSet<>(COMMON);
    switch (type) {
      case WINGS -> {}
      case REST -> known.addAll(REST);
      case JDBC -> known.addAll(JDBC);
    }
    return known;
  }

  private static CatalogType type(Secret secret) {
    String type = secret.get(TYPE);
    if (type == null) {
      throw refused("expected a \"type\": wings, rest or jdbc");
    }
    return switch (type.toLowerCase(Locale.ROOT)) {
      case "wings" -> CatalogType.WINGS;
      case "rest" -> CatalogType.REST;
      case "jdbc" -> CatalogType.JDBC;
      case String other -> {
        String why = REFUSED_TYPES.getOrDefault(other, "expected wings, rest or jdbc");
        throw refused("catalogs of type " + Printable.of(other) + " are refused: " + why);
      }
    };
  }

  private static void checkFileIo(Secret secret) {
    String fileIo = secret.get(IO);
    if (fileIo != null && !FILE_IOS.contains(fileIo)) {
      throw refused(
          "%s %s is not allowed; leave it out, or use one of %s"
              .formatted(IO, Printable.of(fileIo), new TreeSet<>(FILE_IOS)));
    }
  }

  private static void checkExpiry(Secret secret) {
    String expiry = secret.get(Secret.EXPIRES_AT);
    if (expiry != null && !Secret.MILLIS.matcher(expiry).matches()) {
      throw refused("expected milliseconds since 1970 in " + Secret.EXPIRES_AT);
    }
  }

  private static Optional<String> warehouse(CatalogType type, Secret secret) {
    String warehouse = secret.get(WAREHOUSE);
    if (warehouse == null && type != CatalogType.REST) {
      throw refused("a " + type + " catalog needs a \"" + WAREHOUSE + "\"");
    }
    return Optional.ofNullable(warehouse)
        .map(text -> text.length() > 1 && text.endsWith("/") ? strip(text) : text);
  }

  private static String strip(String warehouse) {
    String text = warehouse;
    while (text.length() > 1 && text.endsWith("/")) {
      text = text.substring(0, text.length() - 1);
    }
    return text;
  }

  Optional<String> get(String key) {
    return Optional.ofNullable(all.get(key));
  }

  /** What tables get of the catalog's properties; no secrets. */
  Map<String, String> tableProperties() {
    Map<String, String> found = new HashMap<>();
    all.forEach(
        (key, value) -> {
          if (PREFIXES.stream().anyMatch(key::startsWith)) {
            found.put(key, value);
          }
        });
    return found;
  }

  static WingsException refused(String why) {
    return WingsException.invalid("catalog-refused", why);
  }

  /** Without values: some are secrets. */
  @Override
  public String toString() {
    return "TenantProperties[" + type + "]";
  }
}
