package io.wings.catalog.foreign;

import io.wings.common.tls.Tls;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import org.apache.iceberg.rest.auth.TLSConfigurer;
import org.jspecify.annotations.Nullable;

/**
 * Whose certificates a REST catalog may show: those of the JDK's authorities and of the operator's
 * own. Iceberg's client makes it by name, from its properties, which neither a tenant's secret nor
 * a server has a say in here.
 */
public final class CatalogTrust implements TLSConfigurer {
  private static final String CONFIGURER = "rest.client.tls.configurer-impl";
  private static final String AUTHORITY = "wings.catalog-ca-file";

  private @Nullable SSLContext context;

  /** For Iceberg's client. */
  public CatalogTrust() {}

  /**
   * Properties for a client.
   *
   * @param authority a PEM file; empty: the JDK's alone
   */
  static Map<String, String> in(Map<String, String> properties, Optional<Path> authority) {
    Map<String, String> all = new HashMap<>(properties);
    all.remove(CONFIGURER);
    authority.ifPresent(
        file -> {
          all.put(CONFIGURER, CatalogTrust.class.getName());
          all.put(AUTHORITY, file.toString());
        });
    return all;
  }

  @Override
  public void initialize(Map<String, String> properties) {
    String file = properties.get(AUTHORITY);
    if (file == null) {
      throw new IllegalStateException(AUTHORITY + " is missing");
    }
    context = Tls.trustingAlso(Path.of(file));
  }

  @Override
  public SSLContext sslContext() {
    if (context == null) {
      throw new IllegalStateException("not initialised");
    }
    return context;
  }
}
