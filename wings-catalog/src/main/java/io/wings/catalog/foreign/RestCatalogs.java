package io.wings.catalog.foreign;

import io.wings.catalog.io.Reach;
import io.wings.common.concurrent.Threads;
import io.wings.common.error.WingsException;
import io.wings.common.time.Time;
import io.wings.common.tls.Tls;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import javax.net.ssl.SSLContext;
import org.apache.hc.core5.ssl.SSLContexts;
import org.apache.iceberg.CatalogProperties;
import org.apache.iceberg.catalog.Catalog;
import org.apache.iceberg.catalog.SessionCatalog.SessionContext;
import org.apache.iceberg.catalog.SupportsNamespaces;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.rest.RESTCatalogProperties;
import org.apache.iceberg.rest.RESTSessionCatalog;
import org.apache.iceberg.rest.auth.AuthProperties;
import org.apache.iceberg.rest.auth.OAuth2Properties;

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

  private RestCatalogs() {}

  /**
   * Opens a catalog; asks its server for its settings.
   *
   * @param properties of the catalog, checked to be known
   * @param reach where it may be
   * @param authority whose certificates its server may show beside those that the JDK trusts
   * @param files makes a table's FileIO from the properties and what the server sent for it
   * @param redact takes secrets out of a text
   * @throws WingsException {@code catalog-refused}
   * @throws RuntimeException when it doesn't answer, or refuses
   */
  public static ForeignCatalog open(
      String name,
      Map<String, String> properties,
      Reach reach,
      Optional<Path> authority,
      Function<Map<String, String>, FileIO> files,
      UnaryOperator<String> redact,
      Time time,
      Threads threads) {
    checkAddresses(properties, reach);
    checkAuthentication(properties);
    Map<String, String> settings = new HashMap<>(properties);
    settings.put(RESTCatalogProperties.METRICS_REPORTING_ENABLED, "false");
    // A cached table keeps the credentials that were vended with it.
    settings.put(RESTCatalogProperties.TABLE_CACHE_MAX_ENTRIES, "0");
    settings.put(AuthProperties.SIGV4_DELEGATE_AUTH_TYPE, AuthProperties.AUTH_TYPE_NONE);
    RESTSessionCatalog catalog =
        new RESTSessionCatalog(
            config ->
                new ServerAnswers(
                    name, CatalogHttp.open(config, reach, trust(authority), time, threads), redact),
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

  private static void checkAddresses(Map<String, String> properties, Reach reach) {
    String uri = properties.get(CatalogProperties.URI);
    if (uri == null) {
      throw refused("a rest catalog needs a \"uri\"");
    }
    reach.checkCatalog(CatalogProperties.URI, uri);
    String tokens = properties.get(OAuth2Properties.OAUTH2_SERVER_URI);
    // Else a path of the same server.
    if (tokens != null && tokens.contains(":")) {
      reach.checkCatalog(OAuth2Properties.OAUTH2_SERVER_URI, tokens);
    }
  }

  private static SSLContext trust(Optional<Path> authority) {
    return authority.map(Tls::trustingAlso).orElseGet(SSLContexts::createDefault);
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

  static WingsException refused(String why) {
    return WingsException.invalid("catalog-refused", why);
  }
}
