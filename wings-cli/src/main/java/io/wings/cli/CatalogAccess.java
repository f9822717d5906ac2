package io.wings.cli;

import io.wings.catalog.CatalogSettings;
import io.wings.catalog.io.Reach;
import io.wings.common.error.WingsException;
import io.wings.common.tls.Tls;
import java.net.URI;
import java.nio.file.Path;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** How tenants' catalogs are reached, as far as their secrets don't say. */
public final class CatalogAccess {
  @Option(
      names = "--catalog-ca-file",
      paramLabel = "FILE",
      defaultValue = "${env:WINGS_CATALOG_CA_FILE}",
      description =
          "Authorities, PEM, of which tenants' REST catalogs may show certificates beside those"
              + " that the JDK trusts (WINGS_CATALOG_CA_FILE).")
  private @Nullable Path authority;

  @Option(
      names = "--catalog-http",
      defaultValue = "${env:WINGS_CATALOG_HTTP:-false}",
      description =
          "Tenants' REST catalogs may be reached by http://, in plaintext (WINGS_CATALOG_HTTP)."
              + " Where the cluster's store is on this machine they may be anyway.")
  private boolean plaintext;

  /**
   * For a cluster at an address.
   *
   * @param storeEndpoint of its S3-compatible server
   * @throws WingsException {@code tls-invalid}
   */
  public CatalogSettings settings(String clusterAddress, Optional<URI> storeEndpoint) {
    CatalogSettings settings =
        CatalogSettings.of(clusterAddress)
            .reaching(Reach.of(clusterAddress, storeEndpoint, plaintext));
    if (authority == null) {
      return settings;
    }
    // What can't be read is told now, not when the first catalog is opened.
    SSLContext _ = Tls.trustingAlso(authority);
    return settings.trusting(Optional.of(authority));
  }
}
