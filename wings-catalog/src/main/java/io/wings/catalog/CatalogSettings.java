package io.wings.catalog;

import io.wings.catalog.io.Reach;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * How a process opens catalogs.
 *
 * @param clusterAddress where the cluster is, as {@code ObjectStore.address()} says it; tenants may
 *     not use locations inside it, and may use local files only where it isn't on S3
 * @param secretMaxAge how old a secret may get before it is read again; one whose credentials
 *     expire is read again that long before they do
 * @param temporaryDirectory for parts of files that are being uploaded, in a directory per tenant
 * @param restAuthority a PEM file of authorities whose certificates REST catalogs may show beside
 *     those that the JDK trusts; read when a catalog is opened
 * @param reach where catalogs and tenants' storage may be
 */
public record CatalogSettings(
    String clusterAddress,
    Duration secretMaxAge,
    Path temporaryDirectory,
    Optional<Path> restAuthority,
    Reach reach) {
  /**
   * How soon a secret is read again when its store didn't answer, or gave one that soon expires.
   */
  static final Duration SECRET_RETRY = Duration.ofSeconds(30);

  public static final Duration DEFAULT_SECRET_MAX_AGE = Duration.ofMinutes(5);

  /** Defaults for a cluster at {@code clusterAddress}. */
  public static CatalogSettings of(String clusterAddress) {
    return new CatalogSettings(
        clusterAddress,
        DEFAULT_SECRET_MAX_AGE,
        Path.of(System.getProperty("java.io.tmpdir"), "wings"),
        Optional.empty(),
        Reach.of(clusterAddress, Optional.empty(), false));
  }

  /** The same with an authority of REST catalogs. */
  public CatalogSettings trusting(Optional<Path> authority) {
    return new CatalogSettings(clusterAddress, secretMaxAge, temporaryDirectory, authority, reach);
  }

  /** The same with tenants' catalogs and storage there. */
  public CatalogSettings reaching(Reach within) {
    return new CatalogSettings(
        clusterAddress, secretMaxAge, temporaryDirectory, restAuthority, within);
  }
}
