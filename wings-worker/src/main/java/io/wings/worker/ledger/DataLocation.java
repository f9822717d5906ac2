package io.wings.worker.ledger;

import java.util.List;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableProperties;

/** Where a table's data files are. */
public final class DataLocation {
  /** In the order in which Iceberg's location providers look at them. */
  private static final List<String> PROPERTIES =
      List.of(
          TableProperties.WRITE_DATA_LOCATION,
          "write.object-storage.path",
          "write.folder-storage.path");

  private DataLocation() {}

  /** Below this is every data file that is written to the table as it is set now. */
  public static String of(Table table) {
    for (String property : PROPERTIES) {
      String location = table.properties().get(property);
      if (location != null) {
        return location.endsWith("/") ? location.substring(0, location.length() - 1) : location;
      }
    }
    return table.location() + "/data";
  }
}
