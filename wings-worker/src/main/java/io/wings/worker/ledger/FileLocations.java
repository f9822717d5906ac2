package io.wings.worker.ledger;

import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableProperties;
import org.apache.iceberg.util.LocationUtil;

/** Where a table's files are, as it is set now. */
public final class FileLocations {
  /** In the order in which Iceberg's location providers look at them. */
  private static final List<String> DATA =
      List.of(
          TableProperties.WRITE_DATA_LOCATION,
          "write.object-storage.path",
          "write.folder-storage.path");

  private FileLocations() {}

  /**
   * In these are the table's files: where it is set now, and where Iceberg puts them if it isn't.
   */
  public static Set<String> all(Table table) {
    Set<String> all = new TreeSet<>(List.of(data(table), metadata(table)));
    String base = LocationUtil.stripTrailingSlash(table.location());
    all.addAll(List.of(base + "/data", base + "/metadata"));
    return all;
  }

  /** Below this is every data file. */
  public static String data(Table table) {
    return LocationUtil.stripTrailingSlash(
        DATA.stream()
            .map(table.properties()::get)
            .filter(Objects::nonNull)
            .findFirst()
            .orElse(table.location() + "/data"));
  }

  /** In this is every manifest and manifest list. */
  public static String metadata(Table table) {
    return LocationUtil.stripTrailingSlash(
        table
            .properties()
            .getOrDefault(TableProperties.WRITE_METADATA_LOCATION, table.location() + "/metadata"));
  }
}
