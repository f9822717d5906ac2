package io.wings.catalog.own;

import io.wings.common.cluster.CatalogName;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.iceberg.io.FileIO;

/**
 * What a catalog of Wings' own is opened with.
 *
 * @param warehouse where its tables are, without a slash at the end
 * @param io reads and writes metadata; given to tables
 * @param locationPolicy throws for a location that no table of this catalog may use
 * @param properties of the catalog that are no secrets: {@code table-default.}, {@code
 *     table-override.}
 */
public record OwnCatalogSettings(
    CatalogName name,
    String warehouse,
    FileIO io,
    Consumer<String> locationPolicy,
    Map<String, String> properties) {
  public OwnCatalogSettings {
    properties = Map.copyOf(properties);
  }
}
