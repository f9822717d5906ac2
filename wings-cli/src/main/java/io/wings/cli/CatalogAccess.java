package io.wings.cli;

import io.wings.catalog.CatalogSettings;
import io.wings.common.error.WingsException;
import io.wings.common.tls.Tls;
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

  /**
   * For a cluster at an address.
   *
   * @throws WingsException {@code tls-invalid}
   */
  public CatalogSettings settings(String clusterAddress) {
    CatalogSettings settings = CatalogSettings.of(clusterAddress);
    if (authority == null) {
      return settings;
    }
    // What can't be read is told now, not when the first catalog is opened.
    SSLContext _ = Tls.trustingAlso(authority);
    return settings.trusting(Optional.of(authority));
  }
}
