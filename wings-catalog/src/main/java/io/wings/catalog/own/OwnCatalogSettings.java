package io.wings.catalog.own;

import io.wings.catalog.io.LocationPolicy;
import io.wings.common.cluster.CatalogName;
import java.util.Map;
import org.apache.iceberg.io.FileIO;

/**
 * What a catalog of Wings' own is opened with.
 *
 * @param warehouse where its tables are, without a slash at the end
 * @param io reads and writes metadata; given to tables
 * @param policy which locations tables may have
 * @param properties of the catalog that are no secrets: {@code table-default.}, {@code
 *     table-override.}
 */
public record OwnCatalogSettings(
    CatalogName name,
    String warehouse,
    FileIO io,
    LocationPolicy policy,
    Map<String, String> properties) {
  public OwnCatalogSettings {
    properties = Map.copyOf(properties);
  }
}
