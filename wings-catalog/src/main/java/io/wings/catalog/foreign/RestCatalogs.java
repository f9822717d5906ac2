package io.wings.catalog.foreign;

import io.wings.common.error.WingsException;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.apache.iceberg.CatalogProperties;
import org.apache.iceberg.catalog.Catalog;
import org.apache.iceberg.catalog.SessionCatalog.SessionContext;
import org.apache.iceberg.catalog.SupportsNamespaces;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.rest.HTTPClient;
import org.apache.iceberg.rest.RESTCatalogProperties;
import org.apache.iceberg.rest.RESTSessionCatalog;
import org.apache.iceberg.rest.RESTUtil;
import org.apache.iceberg.rest.auth.AuthProperties;
import org.jspecify.annotations.Nullable;

/** Opens catalogs that speak the Iceberg REST protocol. */
public final class RestCatalogs {
  private static final Set<String> AUTHENTICATIONS =
      new TreeSet<>(
          Set.of(
              AuthProperties.AUTH_TYPE_NONE,
              AuthProperties.AUTH_TYPE_BASIC,
              AuthProperties.AUTH_TYPE_OAUTH2,
              AuthProperties.AUTH_TYPE_SIGV4));

  /** Without these, signing would look for the process's own. */
  private static final List<String> SIGNING =
      List.of("rest.access-key-id", "rest.secret-access-key", "rest.signing-region");

  /** Of reads; a post is never sent twice, see {@link ServerAnswers}. */
  private static final int MAX_READ_RETRIES = 2;

  private RestCatalogs() {}

  /**
   * Opens a catalog; asks its server for its settings.
   *
   * @param properties of the catalog, checked to be known
   * @param authority whose certificates its server may show beside those that the JDK trusts
   * @param files makes a table's FileIO from the properties and what the server sent for it
   * @param redact takes secrets out of a text
   * @throws WingsException {@code catalog-refused}
   * @throws RuntimeException when it doesn't answer, or refuses
   */
  public static ForeignCatalog open(
      String name,
      Map<String, String> properties,
      Optional<Path> authority,
      Function<Map<String, String>, FileIO> files,
      UnaryOperator<String> redact) {
    checkUri(properties.get(CatalogProperties.URI));
    checkAuthentication(properties);
    Map<String, String> settings = new HashMap<>(properties);
    settings.put("rest.client.max-retries", String.valueOf(MAX_READ_RETRIES));
    settings.put(RESTCatalogProperties.METRICS_REPORTING_ENABLED, "false");
    // A cached table keeps the credentials that were vended with it.
    settings.put(RESTCatalogProperties.TABLE_CACHE_MAX_ENTRIES, "0");
    settings.put(AuthProperties.SIGV4_DELEGATE_AUTH_TYPE, AuthProperties.AUTH_TYPE_NONE);
    RESTSessionCatalog catalog =
        new RESTSessionCatalog(
            config ->
                new ServerAnswers(
                    HTTPClient.builder(CatalogTrust.in(config, authority))
                        .uri(config.get(CatalogProperties.URI))
                        .withHeaders(RESTUtil.configHeaders(config))
                        .build(),
                    redact),
            (_, config) -> files.apply(config));
    try {
      catalog.initialize(name, settings);
    } catch (RuntimeException e) {
      closeAfter(catalog, e);
      throw e;
    }
    Catalog plain = catalog.asCatalog(SessionContext.createEmpty());
    return new ForeignCatalog(plain, (SupportsNamespaces) plain, catalog);
  }

  private static void closeAfter(RESTSessionCatalog catalog, RuntimeException failure) {
    try {
      catalog.close();
    } catch (IOException | RuntimeException e) {
      failure.addSuppressed(e);
    }
  }

  private static void checkUri(@Nullable String text) {
    if (text == null) {
      throw refused("a rest catalog needs a \"uri\"");
    }
    URI uri;
    try {
      uri = URI.create(text);
    } catch (IllegalArgumentException _) {
      throw refused("expected http(s)://host/path in \"uri\"");
    }
    String scheme = String.valueOf(uri.getScheme()).toLowerCase(Locale.ROOT);
    if (!Set.of("http", "https").contains(scheme)
        || uri.getHost() == null
        || uri.getUserInfo() != null) {
      throw refused("expected http(s)://host/path, without a user, in \"uri\"");
    }
  }

  private static void checkAuthentication(Map<String, String> properties) {
    String type = properties.get(AuthProperties.AUTH_TYPE);
    if (type == null) {
      return;
    }
    if (!AUTHENTICATIONS.contains(type)) {
      throw refused(AuthProperties.AUTH_TYPE + " is one of " + AUTHENTICATIONS);
    }
    if (type.equals(AuthProperties.AUTH_TYPE_SIGV4)) {
      for (String needed : SIGNING) {
        if (!properties.containsKey(needed)) {
          throw refused("signing needs " + needed + "; the process's own is never used");
        }
      }
    }
  }

  private static WingsException refused(String why) {
    return WingsException.invalid("catalog-refused", why);
  }
}
